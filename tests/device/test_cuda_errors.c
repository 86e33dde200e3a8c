/* The table of CUDA errors: complete, in order, and with NVIDIA's numbers if
 * their header is here. */

#include "device/cuda_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_device_cuda_errors__rows_are_complete_and_unique(void **state)
{
    size_t count, i, j;
    const whet_gpu_error *rows = whet_cuda__errors(&count);

    (void)state;
    assert_true(count > 40);
    for (i = 0; i < count; i++) {
        const whet_gpu_error *row = &rows[i];

        assert_int_equal(strncmp(row->name, "CUDA_ERROR_", 11), 0);
        assert_true(strlen(row->cause) > 10 && strlen(row->remedy) > 10);
        /* Fits a message, with what was done and where. */
        assert_true(strlen(row->cause) + strlen(row->remedy) < 200);
        assert_null(strpbrk(row->cause, "\n;"));
        assert_null(strchr(row->remedy, '\n'));
        assert_true(i == 0 || rows[i - 1].code < row->code);
        assert_ptr_equal(whet_cuda__explain(row->code), row);
        for (j = 0; j < i; j++)
            assert_string_not_equal(rows[j].name, row->name);
    }
    assert_null(whet_cuda__explain(0));
    assert_null(whet_cuda__explain(-1));
    assert_null(whet_cuda__explain(123456));
}

static void test_device_cuda_errors__has_what_kernels_meet(void **state)
{
    static const int codes[] = {1,   2,   3,   34,  100, 200, 209, 214,
                                700, 701, 702, 716, 718, 719, 803, 804};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof codes / sizeof codes[0]; i++)
        assert_non_null(whet_cuda__explain(codes[i]));
}

static void
test_device_cuda_errors__numbers_are_those_of_the_header(void **state)
{
    static const char *const paths[] = {
        "/usr/local/cuda/include/cuda.h", "/usr/local/cuda-13.0/include/cuda.h",
        "/usr/local/include/cuda.h", "/usr/include/cuda.h"};
    whet_buf header = {0};
    size_t count, i;
    const whet_gpu_error *rows = whet_cuda__errors(&count);

    (void)state;
    for (i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (whet_fs_read(&header, paths[i], 8 << 20, NULL) == WHET_OK)
            break;
    if (header.bytes == 0) {
        print_message("no cuda.h is installed\n");
        skip();
    }
    for (i = 0; i < count; i++) {
        char name[96];
        const char *at = header.data;
        long value = -1;

        snprintf(name, sizeof name, " %s ", rows[i].name);
        while (value < 0 && (at = strstr(at, name)) != NULL) {
            at += strlen(name);
            at += strspn(at, " ");
            if (*at == '=')
                value = strtol(at + 1, NULL, 10);
        }
        if (value != rows[i].code)
            fail_msg("%s is %ld, not %d", rows[i].name, value, rows[i].code);
    }
    whet_buf_deinit(&header);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_cuda_errors__rows_are_complete_and_unique),
        cmocka_unit_test(test_device_cuda_errors__has_what_kernels_meet),
        cmocka_unit_test(
            test_device_cuda_errors__numbers_are_those_of_the_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
