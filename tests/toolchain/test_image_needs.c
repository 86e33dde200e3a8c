/* What an image may not ask of the driver: undefined symbols, hidden arguments
 * of printf and the like, too much stack. Real images, patched. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The row of a symbol, to be written to. */
static unsigned char *symbol_row(const whet_buf *data, const char *table_name,
                                 const char *name)
{
    whet_elf_section table, names;
    whet_elf_symbol symbol;
    whet_elf elf;
    uint32_t i;

    assert_int_equal(whet_elf__open(&elf, data->data, data->bytes, NULL),
                     WHET_OK);
    assert_int_equal(
        whet_elf__find_section(&table, NULL, &elf, table_name, NULL), WHET_OK);
    assert_int_equal(whet_elf__section(&names, &elf, table.link, NULL),
                     WHET_OK);
    for (i = 0; i < table.data.bytes / 24; i++) {
        assert_int_equal(
            whet_elf__symbol(&symbol, &table.data, &names.data, i, NULL),
            WHET_OK);
        if (strcmp(symbol.name, name) == 0)
            return (unsigned char *)data->data +
                   (table.data.data - (const unsigned char *)data->data) +
                   (size_t)i * 24;
    }
    fail_msg("no symbol %s", name);
    return NULL;
}

static void test_toolchain_image_needs__takes_honest_images(void **state)
{
    static const char *const names[] = {"sm_80.cubin", "sm_90a.cubin",
                                        "gfx906.hsaco", "gfx90a.hsaco"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        whet_buf data = {0};
        whet_image image;
        whet_err err = {0};

        image_kit_read(&data, names[i]);
        if (image_kit_resources(&image, &data, &err) != WHET_OK)
            fail_msg("%s: %s", names[i], err.msg);
        whet_buf_deinit(&data);
    }
}

static void test_toolchain_image_needs__refuses_undefined_symbols(void **state)
{
    static const char *const files[][2] = {{"sm_80.cubin", ".symtab"},
                                           {"gfx906.hsaco", ".dynsym"}};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof files / sizeof files[0]; i++) {
        whet_buf data = {0};

        image_kit_read(&data, files[i][0]);
        memset(symbol_row(&data, files[i][1], "axpy") + 6, 0, 2);
        image_kit_expect_refused(&data, WHET_EUNSUPPORTED,
                                 "it needs axpy of the driver");
        image_kit_expect_refused(&data, WHET_EUNSUPPORTED, "no printf");
        whet_buf_deinit(&data);
    }
}

/* An object of that name is the assembler's; code of that name is not. */
static void test_toolchain_image_needs__tells_objects_from_code(void **state)
{
    static const char name[] = ".nv.reservedSmem.offset0";
    whet_buf data = {0};

    (void)state;
    image_kit_read(&data, "sm_90a.cubin");
    assert_int_equal(symbol_row(&data, ".symtab", name)[6], 0);
    symbol_row(&data, ".symtab", name)[4] = 0x12; /* global, a function */
    image_kit_expect_refused(&data, WHET_EUNSUPPORTED, name);
    whet_buf_deinit(&data);
}

/* A document with one kernel that has one argument of that kind. */
static void wrap_argument(whet_buf *out, const char *kind)
{
    whet_buf text = {0};

    whet_buf_puts(&text, "\x81\xae"
                         "amdhsa.kernels\x91\x82\xa5.name\xa1k"
                         "\xa5.args\x91\x82\xa5.size\x08\xab.value_kind");
    whet_buf_printf(&text, "\xd9%c%s", (int)strlen(kind), kind);
    image_kit_wrap(out, text.data, text.bytes);
    whet_buf_deinit(&text);
}

static void test_toolchain_image_needs__refuses_hidden_arguments(void **state)
{
    static const char *const refused[] = {
        "hidden_printf_buffer", "hidden_hostcall_buffer", "hidden_heap_v1",
        "hidden_default_queue", "hidden_completion_action"};
    static const char *const harmless[] = {
        "hidden_none", "hidden_global_offset_x", "hidden_block_count_x",
        "hidden_dynamic_lds_size"};
    whet_image image;
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        whet_buf data = {0};

        wrap_argument(&data, refused[i]);
        image_kit_expect_refused(&data, WHET_EUNSUPPORTED, refused[i]);
        whet_buf_deinit(&data);
    }
    for (i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        whet_buf data = {0};

        wrap_argument(&data, harmless[i]);
        if (image_kit_resources(&image, &data, &err) != WHET_OK)
            fail_msg("%s: %s", harmless[i], err.msg);
        whet_buf_deinit(&data);
    }
}

static void test_toolchain_image_needs__bounds_the_stack(void **state)
{
    static const char record[] = "\x04\x11\x08"; /* frame size: symbol, bytes */
    whet_buf data = {0};
    whet_image image;
    char *at;

    (void)state;
    image_kit_read(&data, "sm_80.cubin");
    at = memmem(data.data, data.bytes, record, sizeof record);
    assert_non_null(at);
    memcpy(at + 8, "\0\0\1\0", 4); /* 64 KiB */
    assert_int_equal(image_kit_resources(&image, &data, NULL), WHET_OK);
    memcpy(at + 8, "\1\0\1\0", 4);
    image_kit_expect_refused(&data, WHET_EUNSUPPORTED,
                             "65537 bytes of stack for each work-item");
    whet_buf_deinit(&data);
}

static void test_toolchain_image_needs__bounds_the_tables(void **state)
{
    whet_buf data = {0};

    (void)state;
    image_kit_read(&data, "gfx906.hsaco");
    memset(symbol_row(&data, ".dynsym", "axpy"), 0xff,
           4); /* a name outside the names */
    image_kit_expect_refused(&data, WHET_EINVAL, "lies outside the names");
    whet_buf_deinit(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image_needs__takes_honest_images),
        cmocka_unit_test(test_toolchain_image_needs__refuses_undefined_symbols),
        cmocka_unit_test(test_toolchain_image_needs__tells_objects_from_code),
        cmocka_unit_test(test_toolchain_image_needs__refuses_hidden_arguments),
        cmocka_unit_test(test_toolchain_image_needs__bounds_the_stack),
        cmocka_unit_test(test_toolchain_image_needs__bounds_the_tables),
    };

    return cmocka_run_group_tests_name("toolchain_image_needs", tests, NULL,
                                       NULL);
}
