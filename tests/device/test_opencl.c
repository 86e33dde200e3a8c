/* The OpenCL back-end as the supervisor sees it: with a device if there is
 * one, and always as on a machine without. */

#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As on a machine without GPUs, which "auto" would prefer. */
static int hide_gpus(void **state)
{
    (void)state;
    return setenv("WHET_CUDA_LIBRARY", "/none", 1) != 0 ||
           setenv("WHET_HIP_LIBRARY", "/none", 1) != 0;
}

static int restore(void **state)
{
    (void)state;
    return unsetenv("WHET_OPENCL_LIBRARY");
}

static void test_device_opencl__absence_is_told_with_remedy(void **state)
{
    static const char *const texts[] = {NULL, "auto", "opencl", "opencl:0"};
    const whet_device_ops *ops = whet_device_find("opencl");
    whet_device_facts found[WHET_DEVICE_LIST_MAX];
    whet_device_handle handle;
    uint32_t count = 9;
    size_t i;

    (void)state;
    setenv("WHET_OPENCL_LIBRARY", "/nonexistent", 1);
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        whet_err err = {0};

        assert_int_equal(whet_device_open(&handle, texts[i], &err),
                         WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, "apt-get install ocl-icd-libopencl1 "
                                        "pocl-opencl-icd"));
        assert_null(handle.ops);
    }
    assert_int_equal(ops->probe(found, &count, NULL), WHET_EUNSUPPORTED);
    assert_int_equal(count, 0);
}

/* Gives false if there is no device here. */
static bool open_or_skip(whet_device_handle *handle)
{
    whet_err err = {0};
    whet_status st = whet_device_open(handle, "opencl", &err);

    if (st == WHET_OK)
        return true;
    assert_int_equal(st, WHET_EUNSUPPORTED);
    print_message("no device: %s\n", err.msg);
    return false;
}

static void test_device_opencl__facts_are_those_of_a_cpu(void **state)
{
    whet_device_handle handle, again;
    const whet_limits *limits = &handle.facts.limits;
    whet_err err = {0};
    char text[32];

    (void)state;
    if (!open_or_skip(&handle))
        skip();
    assert_string_equal(handle.facts.backend, "opencl");
    assert_true(handle.facts.is_cpu);
    assert_int_equal(handle.facts.evidence, WHET_EVIDENCE_MEASURED);
    assert_string_not_equal(handle.facts.name, "");
    assert_string_not_equal(handle.facts.driver, "");
    /* The target and its compiler: both decide the machine code. */
    assert_non_null(strchr(handle.facts.arch, ' '));
    assert_int_equal(limits->wave_size, 1);
    assert_in_range(limits->cu_count, 1, 1 << 20);
    assert_true(limits->lds_bytes > 0 && limits->group_items_max > 0);
    assert_true(limits->memory_bytes > 0);
    assert_true(limits->block_max[2] > 0 && limits->grid_max[2] > 0);
    assert_int_equal(strlen(handle.facts.id), WHET_HASH_TEXT_BYTES - 1);
    snprintf(text, sizeof text, "opencl:%u", handle.facts.index);
    assert_int_equal(whet_device_open(&again, text, &err), WHET_OK);
    assert_string_equal(again.facts.id, handle.facts.id);
    whet_device_close(&again);
    whet_device_close(&handle);
}

static void test_device_opencl__auto_takes_it(void **state)
{
    whet_device_handle handle, chosen;
    whet_err err = {0};

    (void)state;
    if (!open_or_skip(&handle))
        skip();
    assert_int_equal(whet_device_open(&chosen, "auto", &err), WHET_OK);
    assert_string_equal(chosen.facts.id, handle.facts.id);
    whet_device_close(&chosen);
    whet_device_close(&handle);
}

static void test_device_opencl__bad_selectors_are_told(void **state)
{
    static const struct {
        const char *text;
        whet_status status;
    } rows[] = {
        {"opencl:first", WHET_EINVAL}, {"opencl:-1", WHET_EINVAL},
        {"opencl: 0", WHET_EINVAL},    {"opencl:0x", WHET_EINVAL},
        {"opencl:31", WHET_ENOTFOUND}, {"opencl:4294967296", WHET_ENOTFOUND},
    };
    whet_device_handle handle;
    size_t i;

    (void)state;
    if (!open_or_skip(&handle))
        skip();
    whet_device_close(&handle);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};

        assert_int_equal(whet_device_open(&handle, rows[i].text, &err),
                         rows[i].status);
        assert_non_null(strstr(err.msg, rows[i].text));
        assert_null(handle.ops);
    }
}

static void test_device_opencl__clock_runs_and_secrets_differ(void **state)
{
    unsigned char first[16], second[16];
    whet_device_handle handle;
    whet_clock clock;
    uint64_t start_ns;
    whet_err err = {0};

    (void)state;
    if (!open_or_skip(&handle))
        skip();
    clock = handle.ops->clock(handle.device);
    start_ns = whet_clock_now(&clock);
    assert_int_equal(handle.ops->entropy(handle.device, first, &err), WHET_OK);
    assert_int_equal(handle.ops->entropy(handle.device, second, &err), WHET_OK);
    assert_memory_not_equal(first, second, sizeof first);
    assert_true(whet_clock_now(&clock) >= start_ns);
    whet_device_close(&handle);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            test_device_opencl__absence_is_told_with_remedy, restore),
        cmocka_unit_test(test_device_opencl__facts_are_those_of_a_cpu),
        cmocka_unit_test(test_device_opencl__auto_takes_it),
        cmocka_unit_test(test_device_opencl__bad_selectors_are_told),
        cmocka_unit_test(test_device_opencl__clock_runs_and_secrets_differ),
    };
    int status;

    if (whet_toolchain_child(&status, argc, argv) ||
        whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, hide_gpus, NULL);
}
