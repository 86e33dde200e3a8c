/* The list of devices, as a driver gives it. Needs an OpenCL device. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static void test_toolchain_opencl_list__facts_are_plausible(void **state)
{
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    uint32_t i;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_opencl_list(infos, &count, &err), WHET_OK);
    assert_in_range(count, 1, WHET_OPENCL_DEVICE_MAX);
    for (i = 0; i < count; i++) {
        assert_int_equal(infos[i].index, i);
        assert_string_not_equal(infos[i].name, "");
        assert_string_not_equal(infos[i].version, "");
        assert_string_not_equal(infos[i].driver, "");
        assert_string_not_equal(infos[i].platform, "");
        assert_string_not_equal(infos[i].platform_version, "");
        assert_in_range(infos[i].cu_count, 1, 1 << 20);
        assert_true(infos[i].lds_bytes >= 1 << 10);
        assert_true(infos[i].memory_bytes >= 1 << 20);
        assert_true(infos[i].group_items_max >= 1);
        assert_true(infos[i].block_max[0] >= 1);
        if (infos[i].is_cpu)
            assert_int_equal(infos[i].wave_size, 1);
    }
}

/* The driver stays out of this process. */
static void test_toolchain_opencl_list__loads_no_driver_here(void **state)
{
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    char line[1024];
    FILE *maps;

    (void)state;
    assert_int_equal(whet_opencl_list(infos, &count, NULL), WHET_OK);
    maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        assert_null(strstr(line, "libLLVM"));
        assert_null(strstr(line, "libpocl"));
    }
    fclose(maps);
}

static void test_toolchain_opencl_list__identity_names_the_driver(void **state)
{
    const whet_toolchain_ops *ops = whet_toolchain_find("opencl");
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    char first[256], second[256];
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_opencl_list(infos, &count, &err), WHET_OK);
    assert_int_equal(ops->identify(first, 0, &err), WHET_OK);
    assert_non_null(strstr(first, infos[0].driver));
    assert_non_null(strstr(first, "dialect "));
    assert_int_equal(ops->identify(second, 0, &err), WHET_OK);
    assert_string_equal(first, second);
    assert_int_equal(ops->identify(second, count, &err), WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no device"));
    assert_string_equal(second, "");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_opencl_list__facts_are_plausible),
        cmocka_unit_test(test_toolchain_opencl_list__loads_no_driver_here),
        cmocka_unit_test(test_toolchain_opencl_list__identity_names_the_driver),
    };
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count;
    whet_err err = {0};
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    if (whet_opencl_list(infos, &count, &err) == WHET_EUNSUPPORTED) {
        printf("skipped: %s\n", err.msg);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
