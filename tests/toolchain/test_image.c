/* The image codec: round trip, and every kind of malformed bytes. */

#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    DIGEST_BYTES = WHET_HASH_TEXT_BYTES - 1,
    VERSION_AT = 8,
    KERNEL_COUNT_AT = 12,
    BYTE_COUNT_AT = 16,
    DIGEST_AT = 24,
    KERNELS_AT = DIGEST_AT + DIGEST_BYTES,
    ARG_COUNT_AT = KERNELS_AT + WHET_KERNEL_NAME_BYTES,
    ARGS_AT = ARG_COUNT_AT + 4,
    KERNEL_BYTES =
        WHET_KERNEL_NAME_BYTES + 4 + 5 * WHET_KERNEL_ARG_MAX + 8 * 9 + 4
};

static char machine_code[] = "machine code \0 with a NUL";

static void make_image(whet_image *image)
{
    memset(image, 0, sizeof *image);
    image->bytes = machine_code;
    image->byte_count = sizeof machine_code;
    image->hash = whet_hash_bytes(machine_code, sizeof machine_code);
    image->kernel_count = 2;
    strcpy(image->kernels[0].name, "first");
    image->kernels[0].arg_count = 3;
    image->kernels[0].args[0] = WHET_IMAGE_ARG_GLOBAL;
    image->kernels[0].args[1] = WHET_IMAGE_ARG_I64;
    image->kernels[0].args[2] = WHET_IMAGE_ARG_F64;
    image->kernels[0].lds_bytes = 1 << 20;
    image->kernels[0].private_bytes = 7;
    image->kernels[0].group_items_max = 1024;
    image->kernels[0].register_count = 96;
    image->kernels[0].arg_bytes[1] = 8;
    image->kernels[0].arg_bytes[WHET_KERNEL_ARG_MAX - 1] = 255;
    image->kernels[0].accumulator_count = 64;
    image->kernels[0].scalar_count = 100;
    image->kernels[0].spill_bytes = UINT64_MAX;
    image->kernels[0].spill_count = 3;
    image->kernels[0].scalar_spill_count = 2;
    image->kernels[0].wave_size = 64;
    memset(image->kernels[1].name, 'k', WHET_KERNEL_NAME_BYTES - 1);
    image->kernels[1].arg_count = UINT32_MAX;
}

static void make_bytes(whet_buf *out)
{
    whet_image image;

    make_image(&image);
    whet_image_encode(out, &image);
    assert_false(out->failed);
}

/* Make the last digest fit again, as an attacker would. */
static void sign(whet_buf *data)
{
    size_t body = data->bytes - DIGEST_BYTES;
    whet_hash hash = whet_hash_bytes(data->data, body);

    memcpy(data->data + body, hash.text, DIGEST_BYTES);
}

static void expect_refused(const whet_buf *data, const char *word)
{
    whet_image image;
    whet_err err = {0};

    assert_int_equal(whet_image_decode(&image, data->data, data->bytes, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, word));
    assert_null(image.bytes);
    assert_int_equal(image.kernel_count, 0);
}

/* Write one byte of a good image, sign it again, expect a refusal. */
static void expect_patch_refused(size_t at, unsigned char byte,
                                 const char *word)
{
    whet_buf data = {0};

    make_bytes(&data);
    data.data[at] = (char)byte;
    sign(&data);
    expect_refused(&data, word);
    whet_buf_deinit(&data);
}

static void test_toolchain_image__round_trip_keeps_all(void **state)
{
    whet_image before, after;
    whet_buf data = {0};
    whet_err err = {0};

    (void)state;
    make_image(&before);
    whet_buf_puts(&data, "in front");
    whet_image_encode(&data, &before);
    assert_int_equal(
        whet_image_decode(&after, data.data + 8, data.bytes - 8, &err),
        WHET_OK);
    assert_int_equal(after.byte_count, before.byte_count);
    assert_memory_equal(after.bytes, before.bytes, before.byte_count);
    assert_string_equal(after.hash.text, before.hash.text);
    assert_int_equal(after.kernel_count, 2);
    assert_memory_equal(after.kernels, before.kernels, sizeof after.kernels);
    whet_image_deinit(&after);
    assert_null(after.bytes);
    whet_buf_deinit(&data);
}

static void test_toolchain_image__finds_kernel_by_name(void **state)
{
    whet_image image;

    (void)state;
    make_image(&image);
    assert_ptr_equal(whet_image_kernel(&image, "first"), &image.kernels[0]);
    assert_null(whet_image_kernel(&image, "firs"));
    assert_null(whet_image_kernel(&image, ""));
}

static void test_toolchain_image__refuses_every_cut(void **state)
{
    whet_buf data = {0};
    whet_image image;
    whet_err err;
    size_t bytes, full;

    (void)state;
    make_bytes(&data);
    full = data.bytes;
    for (bytes = 0; bytes < full; bytes++) {
        char *exact = malloc(bytes + (bytes == 0));

        memcpy(exact, data.data, bytes);
        err.msg[0] = '\0';
        assert_int_equal(whet_image_decode(&image, exact, bytes, &err),
                         WHET_EINVAL);
        assert_string_not_equal(err.msg, "");
        free(exact);
    }
    whet_buf_add(&data, "x", 1);
    expect_refused(&data, "bytes long");
    whet_buf_deinit(&data);
}

static void test_toolchain_image__refuses_every_flipped_bit(void **state)
{
    whet_buf data = {0};
    whet_image image;
    size_t i;

    (void)state;
    make_bytes(&data);
    for (i = 0; i < data.bytes; i++) {
        data.data[i] ^= (char)(1 << i % 8);
        assert_int_equal(whet_image_decode(&image, data.data, data.bytes, NULL),
                         WHET_EINVAL);
        data.data[i] ^= (char)(1 << i % 8);
    }
    whet_buf_deinit(&data);
}

static void test_toolchain_image__refuses_signed_nonsense(void **state)
{
    (void)state;
    expect_patch_refused(0, 'W', "not an image");
    expect_patch_refused(VERSION_AT, 9, "version 9");
    expect_patch_refused(VERSION_AT, 1, "version 1");
    expect_patch_refused(KERNEL_COUNT_AT, WHET_KERNEL_MAX + 1, "17 kernels");
    expect_patch_refused(KERNEL_COUNT_AT, 3, "bytes long");
    expect_patch_refused(KERNEL_COUNT_AT + 3, 0xff, "kernels");
    expect_patch_refused(BYTE_COUNT_AT + 7, 0xff, "bytes");
    expect_patch_refused(BYTE_COUNT_AT, 1, "bytes long");
    expect_patch_refused(DIGEST_AT, 'x', "digest");
    expect_patch_refused(KERNELS_AT, '-', "identifier");
    expect_patch_refused(KERNELS_AT, '\0', "identifier");
    expect_patch_refused(KERNELS_AT + KERNEL_BYTES + WHET_KERNEL_NAME_BYTES - 1,
                         'k', "identifier");
    expect_patch_refused(ARG_COUNT_AT, WHET_KERNEL_ARG_MAX + 1, "33 arguments");
    expect_patch_refused(ARGS_AT, WHET_IMAGE_ARG_F64 + 1, "unknown kind");
}

static void test_toolchain_image__refuses_two_kernels_of_one_name(void **state)
{
    whet_buf data = {0};
    whet_image image;

    (void)state;
    make_image(&image);
    strcpy(image.kernels[1].name, image.kernels[0].name);
    whet_image_encode(&data, &image);
    expect_refused(&data, "two kernels");
    whet_buf_deinit(&data);
}

static void test_toolchain_image__refuses_no_bytes(void **state)
{
    whet_buf data = {0};
    whet_image image;

    (void)state;
    make_image(&image);
    image.byte_count = 0;
    image.hash = whet_hash_bytes("", 0);
    whet_image_encode(&data, &image);
    expect_refused(&data, "0 bytes");
    whet_buf_deinit(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image__round_trip_keeps_all),
        cmocka_unit_test(test_toolchain_image__finds_kernel_by_name),
        cmocka_unit_test(test_toolchain_image__refuses_every_cut),
        cmocka_unit_test(test_toolchain_image__refuses_every_flipped_bit),
        cmocka_unit_test(test_toolchain_image__refuses_signed_nonsense),
        cmocka_unit_test(test_toolchain_image__refuses_two_kernels_of_one_name),
        cmocka_unit_test(test_toolchain_image__refuses_no_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
