/* Cubins: what ptxas 13.0 printed for the same kernels, and files whose
 * records are malformed. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_kernels(const char *file, uint64_t staged_registers)
{
    whet_buf data = {0};
    const whet_kernel_facts *kernel;
    whet_image image;
    whet_err err = {0};

    image_kit_read(&data, file);
    if (image_kit_resources(&image, &data, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(image.kernel_count, 3);
    kernel = image_kit_kernel(&image, "axpy");
    assert_int_equal(kernel->arg_count, 4);
    assert_memory_equal(kernel->arg_bytes, ((uint8_t[4]){8, 8, 4, 4}), 4);
    assert_int_equal(kernel->args[0], WHET_IMAGE_ARG_UNKNOWN);
    assert_int_equal(kernel->register_count, 10);
    assert_int_equal(kernel->group_items_max, 256);
    assert_int_equal(kernel->lds_bytes, 0);
    assert_int_equal(kernel->private_bytes, 0);
    assert_int_equal(kernel->wave_size, 32);
    kernel = image_kit_kernel(&image, "staged");
    assert_memory_equal(kernel->arg_bytes, ((uint8_t[5]){8, 8, 24, 2, 0}), 5);
    assert_int_equal(kernel->register_count, staged_registers);
    assert_int_equal(kernel->group_items_max, 0);
    assert_int_equal(kernel->lds_bytes, 16 * 17 * 4);
    kernel = image_kit_kernel(&image, "spilled");
    assert_int_equal(kernel->register_count, 32);
    assert_int_equal(kernel->group_items_max, 1024);
    assert_int_equal(kernel->private_bytes, 48);
    assert_int_equal(kernel->spill_bytes, 0); /* Only the log tells. */
    whet_buf_deinit(&data);
}

static void test_toolchain_image_cubin__reads_sm_80(void **state)
{
    (void)state;
    expect_kernels("sm_80.cubin", 12);
}

/* Its sections of shared memory hold the system's KiB as well. */
static void test_toolchain_image_cubin__reads_sm_90a(void **state)
{
    (void)state;
    expect_kernels("sm_90a.cubin", 10);
}

/* Overwrite bytes behind the first place of a pattern. */
static void expect_patch_refused(const char *pattern, size_t pattern_bytes,
                                 size_t skip, const char *with, size_t bytes,
                                 const char *word)
{
    whet_buf data = {0};
    char *at;

    image_kit_read(&data, "sm_80.cubin");
    at = memmem(data.data, data.bytes, pattern, pattern_bytes);
    assert_non_null(at);
    memcpy(at + skip, with, bytes);
    image_kit_expect_refused(&data, WHET_EINVAL, word);
    whet_buf_deinit(&data);
}

/* The record of a parameter: block, attribute 0x17, 12 bytes. */
#define PARAM "\x04\x17\x0c\0\0\0\0\0"

static void test_toolchain_image_cubin__refuses_bad_parameters(void **state)
{
    (void)state;
    expect_patch_refused(PARAM, 8, 8, "\x20\0", 2, "more than 32 arguments");
    expect_patch_refused(PARAM, 8, 8, "\x07\0", 2, "of its 8 parameters");
    expect_patch_refused(PARAM, 8, 8, "\0\0", 2, "two arguments number 0");
    expect_patch_refused(PARAM, 8, 12, "\0\0\0\0", 4, "no bytes");
    expect_patch_refused(PARAM, 8, 2, "\x08\0", 2, "8 bytes, expected 12");
    expect_patch_refused(PARAM, 8, 2, "\xff\xff", 2, "lies outside");
    expect_patch_refused(PARAM, 8, 0, "\x09", 1, "unknown format 9");
}

static void test_toolchain_image_cubin__refuses_bad_names(void **state)
{
    (void)state;
    expect_patch_refused(".nv.info.axpy", 13, 9, "b", 1,
                         "no section .nv.info.axpy");
}

static void
test_toolchain_image_cubin__refuses_files_without_symbols(void **state)
{
    whet_buf data = {0};

    (void)state;
    image_kit_read(&data, "sm_80.cubin");
    memset(data.data + 60, 0, 2);
    image_kit_expect_refused(&data, WHET_EINVAL, "no symbols");
    whet_buf_deinit(&data);
}

/* A required block counts like a largest one; the smaller of two is kept. */
static void test_toolchain_image_cubin__reads_required_blocks(void **state)
{
    static const char record[] = "\x04\x05\x0c\0\0\x01\0\0\x01\0\0\0\x01\0\0";
    whet_buf data = {0};
    whet_image image;
    whet_err err = {0};
    char *at;

    (void)state;
    image_kit_read(&data, "sm_80.cubin");
    at = memmem(data.data, data.bytes, record, sizeof record - 1);
    assert_non_null(at);
    memcpy(at + 1, "\x10\x0c\0\x08\0\0\0\x04\0\0\0\x02", 12);
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image_kit_kernel(&image, "axpy")->group_items_max, 64);
    /* Extents whose product is no size of a block say nothing. */
    memset(at + 4, 0xff, 12);
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image_kit_kernel(&image, "axpy")->group_items_max, 0);
    whet_buf_deinit(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image_cubin__reads_sm_80),
        cmocka_unit_test(test_toolchain_image_cubin__reads_sm_90a),
        cmocka_unit_test(test_toolchain_image_cubin__refuses_bad_parameters),
        cmocka_unit_test(test_toolchain_image_cubin__refuses_bad_names),
        cmocka_unit_test(
            test_toolchain_image_cubin__refuses_files_without_symbols),
        cmocka_unit_test(test_toolchain_image_cubin__reads_required_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
