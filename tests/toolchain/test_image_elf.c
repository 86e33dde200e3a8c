/* The ELF container and the choice of a reader: files of other formats, tables
 * that lie outside, notes in sections and segments. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const files[] = {"sm_80.cubin", "sm_90a.cubin",
                                    "gfx906.hsaco", "gfx90a.hsaco"};
enum { FILE_COUNT = sizeof files / sizeof *files };

static void expect_text_refused(const char *text, size_t bytes,
                                const char *word)
{
    whet_buf data = {0};

    whet_buf_add(&data, text, bytes);
    image_kit_expect_refused(&data, WHET_EUNSUPPORTED, word);
    whet_buf_deinit(&data);
}

static void test_toolchain_image_elf__names_other_formats(void **state)
{
    static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__\2\0\0\0";

    (void)state;
    expect_text_refused(bundle, sizeof bundle, "an offload bundle");
    expect_text_refused("CCOB\2\0", 6, "compressed offload bundle");
    expect_text_refused("\x50\xed\x55\xba", 4, "fat binary");
    expect_text_refused("", 0, "not a 64-bit");
    expect_text_refused("\x7f"
                        "ELF",
                        4, "not a 64-bit");
}

static void test_toolchain_image_elf__refuses_other_machines(void **state)
{
    whet_buf data = {0};

    (void)state;
    image_kit_read(&data, "sm_80.cubin");
    data.data[18] = 62;
    image_kit_expect_refused(&data, WHET_EUNSUPPORTED, "machine 62");
    whet_buf_deinit(&data);
}

static void test_toolchain_image_elf__refuses_every_cut(void **state)
{
    unsigned i;
    size_t bytes;

    (void)state;
    for (i = 0; i < FILE_COUNT; i++) {
        whet_buf data = {0};

        image_kit_read(&data, files[i]);
        /* Each file ends with one of its tables. */
        for (bytes = data.bytes - 1; bytes > 0; bytes -= bytes < 97 ? 1 : 97) {
            whet_image image = {0};
            whet_err err = {0};

            image.bytes = malloc(bytes);
            memcpy(image.bytes, data.data, bytes);
            image.byte_count = bytes;
            assert_int_not_equal(whet_image_read_resources(&image, &err),
                                 WHET_OK);
            assert_string_not_equal(err.msg, "");
            whet_image_deinit(&image);
        }
        whet_buf_deinit(&data);
    }
}

/* Nothing but that it ends and reads inside the file, for the sanitizers. */
static void test_toolchain_image_elf__bears_any_flipped_byte(void **state)
{
    unsigned i;
    size_t at;

    (void)state;
    for (i = 0; i < FILE_COUNT; i++) {
        whet_buf data = {0};
        whet_image image;
        whet_err err;

        image_kit_read(&data, files[i]);
        for (at = 0; at < data.bytes; at += at < 4096 ? 1 : 3) {
            err.msg[0] = '\0';
            data.data[at] ^= (char)0xff;
            if (image_kit_resources(&image, &data, &err) != WHET_OK)
                assert_string_not_equal(err.msg, "");
            data.data[at] ^= (char)0xff;
        }
        whet_buf_deinit(&data);
    }
}

static void expect_patch_refused(const char *file, size_t at, size_t bytes,
                                 const char *word)
{
    whet_buf data = {0};

    image_kit_read(&data, file);
    memset(data.data + at, 0xff, bytes);
    image_kit_expect_refused(&data, WHET_EINVAL, word);
    whet_buf_deinit(&data);
}

static void test_toolchain_image_elf__refuses_tables_outside(void **state)
{
    (void)state;
    expect_patch_refused("sm_80.cubin", 40, 8, "tables lie outside");
    expect_patch_refused("gfx906.hsaco", 32, 8, "tables lie outside");
    expect_patch_refused("sm_80.cubin", 60, 2, "65535 sections");
    expect_patch_refused("gfx906.hsaco", 56, 2, "65535 segments");
    expect_patch_refused("sm_80.cubin", 58, 2, "unknown size");
    expect_patch_refused("sm_80.cubin", 62, 2, "no section 65535");
}

static void test_toolchain_image_elf__refuses_notes_outside(void **state)
{
    whet_buf data = {0};

    (void)state;
    image_kit_wrap(&data, "\x80", 1);
    memset(data.data + 120 + 4, 0xff, 4);
    image_kit_expect_refused(&data, WHET_EINVAL, "note 0 lies outside");
    memset(data.data + 64 + 8, 0xff, 8);
    image_kit_expect_refused(&data, WHET_EINVAL, "segment 0 lies outside");
    whet_buf_deinit(&data);
}

static void test_toolchain_image_elf__misses_a_note(void **state)
{
    whet_buf data = {0};

    (void)state;
    image_kit_wrap(&data, "\x80", 1);
    data.data[120 + 8] = 10; /* The note of code objects before version 3. */
    image_kit_expect_refused(&data, WHET_EINVAL, "no AMDGPU metadata note");
    whet_buf_deinit(&data);
}

static void test_toolchain_image_elf__finds_notes_in_sections(void **state)
{
    whet_buf data = {0};
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_read(&data, "gfx906.hsaco");
    memset(data.data + 56, 0, 2); /* No segments. */
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image.kernel_count, 3);
    whet_buf_deinit(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image_elf__names_other_formats),
        cmocka_unit_test(test_toolchain_image_elf__refuses_other_machines),
        cmocka_unit_test(test_toolchain_image_elf__refuses_every_cut),
        cmocka_unit_test(test_toolchain_image_elf__bears_any_flipped_byte),
        cmocka_unit_test(test_toolchain_image_elf__refuses_tables_outside),
        cmocka_unit_test(test_toolchain_image_elf__refuses_notes_outside),
        cmocka_unit_test(test_toolchain_image_elf__misses_a_note),
        cmocka_unit_test(test_toolchain_image_elf__finds_notes_in_sections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
