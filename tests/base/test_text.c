/* UTF-8 decoding and cutting, against the table of well-formed sequences in
 * the Unicode standard (3.9, table 3-7). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_priv.h"

static size_t next(const char *text, size_t bytes)
{
    uint32_t code = 0;

    return whet_base__utf8_next(&code, text, bytes);
}

static void test_base_text__accepts_well_formed_sequences(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
        uint32_t code;
    } rows[] = {
        {"\x7f", 1, 0x7f},
        {"\xc2\x80", 2, 0x80},
        {"\xdf\xbf", 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xd7ff},
        {"\xee\x80\x80", 3, 0xe000},
        {"\xef\xbf\xbf", 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t code = 0;

        assert_int_equal(
            whet_base__utf8_next(&code, rows[i].text, rows[i].bytes),
            rows[i].bytes);
        assert_int_equal(code, rows[i].code);
        assert_int_equal(next(rows[i].text, rows[i].bytes - 1), 0);
    }
}

static void test_base_text__refuses_ill_formed_sequences(void **state)
{
    static const char *const rows[] = {
        "\x80",
        "\xc0\x80",
        "\xc1\xbf",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "\xc3(",
        "\xe2\x82(",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(next(rows[i], strlen(rows[i])), 0);
    assert_int_equal(next("", 0), 0);
}

static void test_base_text__unsafe_characters(void **state)
{
    static const uint32_t unsafe[] = {0,      0x1b,   0x7f,   0x85,
                                      0x61c,  0x200e, 0x200f, 0x2028,
                                      0x202a, 0x202e, 0x2066, 0x2069};
    static const uint32_t safe[] = {' ',    '~',    0xa0,   0x200d, 0x2027,
                                    0x2030, 0x2065, 0x206a, 0x1f600};

    (void)state;
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        assert_true(whet_base__is_unsafe(unsafe[i]));
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
        assert_false(whet_base__is_unsafe(safe[i]));
}

static void test_base_text__cut_respects_characters(void **state)
{
    const char *text = "a\xe2\x82\xac"
                       "b";

    (void)state;
    assert_int_equal(whet_base__utf8_cut(text, 5, 9), 5);
    assert_int_equal(whet_base__utf8_cut(text, 5, 5), 5);
    assert_int_equal(whet_base__utf8_cut(text, 5, 4), 4);
    assert_int_equal(whet_base__utf8_cut(text, 5, 3), 1);
    assert_int_equal(whet_base__utf8_cut(text, 5, 2), 1);
    assert_int_equal(whet_base__utf8_cut(text, 5, 0), 0);
    /* No boundary within reach: cut anyway instead of to nothing. */
    assert_int_equal(whet_base__utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

static void test_base_text__escape_max_never_splits_an_escape(void **state)
{
    static const char *const want[] = {
        "", "a", "a", "a", "a", "a\\x1b", "a\\x1b", "a\\x1b\xc3\xa9"};

    (void)state;
    for (size_t max = 0; max < sizeof want / sizeof want[0]; max++) {
        whet_buf buf = {0};

        whet_base__escape_max(&buf, "a\x1b\xc3\xa9", 4, false, max);
        assert_string_equal(whet_buf_str(&buf), want[max]);
        whet_buf_deinit(&buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_text__accepts_well_formed_sequences),
        cmocka_unit_test(test_base_text__refuses_ill_formed_sequences),
        cmocka_unit_test(test_base_text__unsafe_characters),
        cmocka_unit_test(test_base_text__cut_respects_characters),
        cmocka_unit_test(test_base_text__escape_max_never_splits_an_escape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
