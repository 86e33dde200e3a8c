/* The hip toolchain with a real compiler: gpu_kit.c has the cases that all
 * GPU toolchains share. Needs hipcc or clang with ROCm and a sandbox. */

#include "gpu_kit.h"

static void test_toolchain_hip__accepts_its_languages(void **state)
{
    const gpu_kit *kit = *state;

    assert_true(whet_toolchain_accepts(kit->ops, "hip"));
    assert_true(whet_toolchain_accepts(kit->ops, "portable"));
    assert_false(whet_toolchain_accepts(kit->ops, "opencl"));
    assert_non_null(strstr(kit->identity, "dialect "));
}

int main(int argc, char **argv)
{
    gpu_kit kit;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_toolchain_hip__accepts_its_languages,
                                  &kit),
        GPU_KIT_CASES(&kit),
    };
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    status = gpu_kit_setup(&kit, "hip", "hip", "gfx906", "gfx90a");
    if (status != 0)
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
