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

/* The row of plain clang, which is told where ROCm is. */
static void test_toolchain_hip__compiles_with_plain_clang(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request =
        gpu_kit_request(kit, "extern \"C\" __global__ void k(float *x)\n"
                             "{ x[threadIdx.x] = 2 * x[threadIdx.x]; }\n");
    char identity[256];
    whet_image image;

    setenv("WHET_HIP_COMPILER", "clang", 1);
    if (kit->ops->identify(identity, 0, NULL) != WHET_OK) {
        unsetenv("WHET_HIP_COMPILER");
        skip();
    }
    assert_non_null(strstr(identity, "; clang: "));
    gpu_kit_build(&image, kit, &request);
    assert_string_equal(image.kernels[0].name, "k");
    whet_image_deinit(&image);
    request.has_openmp = true;
    gpu_kit_build(&image, kit, &request);
    whet_image_deinit(&image);
    unsetenv("WHET_HIP_COMPILER");
}

int main(int argc, char **argv)
{
    gpu_kit kit;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_toolchain_hip__accepts_its_languages,
                                  &kit),
        cmocka_unit_test_prestate(test_toolchain_hip__compiles_with_plain_clang,
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
