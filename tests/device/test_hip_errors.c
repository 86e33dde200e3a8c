/* The table of HIP errors: complete, in order, and the codes of one vendor. */

#include "device/hip_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_device_hip_errors__rows_are_complete_and_unique(void **state)
{
    size_t count, i, j;
    const whet_gpu_error *rows = whet_hip__errors(&count);

    (void)state;
    assert_true(count > 40);
    for (i = 0; i < count; i++) {
        assert_int_equal(strncmp(rows[i].name, "hipError", 8), 0);
        assert_true(strlen(rows[i].cause) > 10);
        assert_true(strlen(rows[i].remedy) > 5);
        assert_true(strlen(rows[i].cause) + strlen(rows[i].remedy) < 240);
        assert_null(strchr(rows[i].cause, '\n'));
        assert_null(strchr(rows[i].remedy, '\n'));
        assert_true(i == 0 || rows[i - 1].code < rows[i].code);
        assert_ptr_equal(whet_hip__explain(rows[i].code), &rows[i]);
        for (j = 0; j < i; j++)
            assert_string_not_equal(rows[j].name, rows[i].name);
    }
    assert_null(whet_hip__explain(0));
    assert_null(whet_hip__explain(-1));
    assert_null(whet_hip__explain(123456));
}

static void test_device_hip_errors__has_what_one_vendor_says(void **state)
{
    static const struct {
        int code;
        const char *name, *word;
    } rows[] = {
        {209, "hipErrorNoBinaryForGpu", "architecture"},
        {218, "hipErrorInvalidKernelFile", "DTK"},
        {303, "hipErrorSharedObjectInitFailed", "could not start"},
        {719, "hipErrorLaunchFailure", "died"},
        {1053, "hipErrorRuntimeOther", "HSA"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const whet_gpu_error *row = whet_hip__explain(rows[i].code);

        assert_non_null(row);
        assert_string_equal(row->name, rows[i].name);
        assert_non_null(strstr(row->cause, rows[i].word));
    }
}

static void test_device_hip_errors__make_a_line(void **state)
{
    const whet_gpu_api api = {.name = "HIP", .explain = whet_hip__explain};
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_gpu__fail(&err, &api, 2, "cannot allocate"),
                     WHET_EFAIL);
    assert_non_null(strstr(err.msg, "HIP: cannot allocate: "
                                    "hipErrorOutOfMemory (2): "));
    assert_int_equal(whet_gpu__fail(&err, &api, 7777, "cannot allocate"),
                     WHET_EFAIL);
    assert_non_null(strstr(err.msg, "7777"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_hip_errors__rows_are_complete_and_unique),
        cmocka_unit_test(test_device_hip_errors__has_what_one_vendor_says),
        cmocka_unit_test(test_device_hip_errors__make_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
