/* The nvrtc toolchain with a real compiler: gpu_kit.c has the cases that all
 * GPU toolchains share. Needs the NVRTC library and a sandbox. */

#include "gpu_kit.h"

static void test_toolchain_nvrtc__accepts_its_languages(void **state)
{
    const gpu_kit *kit = *state;

    assert_true(whet_toolchain_accepts(kit->ops, "cuda"));
    assert_true(whet_toolchain_accepts(kit->ops, "portable"));
    assert_false(whet_toolchain_accepts(kit->ops, "opencl"));
    assert_non_null(strstr(kit->identity, "dialect "));
}

/* What such a kernel asks of the driver; an assert that is compiled out asks
 * for nothing. */
static void test_toolchain_nvrtc__refuses_calls_of_the_host(void **state)
{
    static const char *const rows[][2] = {
        {"printf(\"%d\", x[0])", "it needs vprintf of the driver"},
        {"x[0] = *(int *)malloc(x[1])", "it needs malloc of the driver"},
        {"__assertfail(\"a\", \"b\", 1, \"c\", 1)",
         "it needs __assertfail of the driver"},
        {"int a[20000]; for (int i = 0; i < 20000; i++) a[i * x[1] % 20000] "
         "= i; x[0] = a[x[2]]",
         "of stack for each work-item"}};
    const gpu_kit *kit = *state;
    whet_build_request request;
    whet_image image;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *source = whet_asprintf(
            "%sextern \"C\" __global__ void k(int *x) { %s; }\n",
            i == 2 ? "extern \"C\" __device__ void __assertfail(const char *, "
                     "const char *, unsigned, const char *, size_t);\n"
                   : "",
            rows[i][0]);

        request = gpu_kit_request(kit, source);
        gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_LIMIT, 0, rows[i][1]);
        free(source);
    }
    request = gpu_kit_request(kit, "#define NDEBUG\n"
                                   "#ifdef NDEBUG\n"
                                   "#define check(x) ((void)0)\n"
                                   "#else\n"
                                   "#define check(x) (x ? 0 : printf(\"\"))\n"
                                   "#endif\n"
                                   "extern \"C\" __global__ void k(int *x)\n"
                                   "{ check(x[0]); x[1] = 2; }\n");
    gpu_kit_build(&image, kit, &request);
    whet_image_deinit(&image);
}

int main(int argc, char **argv)
{
    gpu_kit kit;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_toolchain_nvrtc__accepts_its_languages,
                                  &kit),
        cmocka_unit_test_prestate(
            test_toolchain_nvrtc__refuses_calls_of_the_host, &kit),
        GPU_KIT_CASES(&kit),
    };
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    status = gpu_kit_setup(&kit, "nvrtc", "cuda", "sm_90a", "sm_80");
    if (status != 0)
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
