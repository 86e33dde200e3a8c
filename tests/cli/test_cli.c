/* What commands share. Printing is tested through the program. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_bytes(uint64_t bytes, const char *expected)
{
    whet_buf out = {0};

    whet_cli_add_bytes(&out, bytes);
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void test_cli_cli__writes_bytes_for_people(void **state)
{
    (void)state;
    assert_bytes(0, "0 B");
    assert_bytes(1023, "1023 B");
    assert_bytes(1024, "1.0 KiB");
    assert_bytes(1536, "1.5 KiB");
    assert_bytes((1 << 20) - 1, "1.0 MiB"); /* never "1024.0 KiB" */
    assert_bytes(UINT64_C(25276502016), "23.5 GiB");
    assert_bytes(UINT64_MAX, "16.0 EiB");
}

static void assert_rate(double per_s, const char *expected)
{
    whet_buf out = {0};

    whet_cli_add_rate(&out, per_s, "B/s");
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void test_cli_cli__writes_rates_for_people(void **state)
{
    (void)state;
    assert_rate(0, "0.000 B/s");
    assert_rate(12.34e9, "12.34 GB/s");
    assert_rate(999.99e6, "1.000 GB/s");
    assert_rate(1e18, "1000. PB/s");
}

static void assert_wrapped(const char *text, size_t column,
                           const char *expected)
{
    whet_buf out = {0};

    whet_cli_add_wrapped(&out, text, column, 4);
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void test_cli_cli__breaks_lines_at_100_columns(void **state)
{
    (void)state;
    assert_wrapped("", 0, "\n");
    assert_wrapped("two  words", 0, "two words\n");
    assert_wrapped("fits here", 91, "fits here\n");
    assert_wrapped("fits not", 93, "fits\n    not\n");
    /* A word is never cut, nor moved where nothing is in front of it. */
    assert_wrapped("longword x", 99, "longword\n    x\n");
    assert_wrapped("a\x1b", 0, "a\\x1b\n");
}

static void test_cli_cli__escapes_outside_text(void **state)
{
    json_t *text = whet_cli_json_text("a\x1b\xff");
    json_t *none = whet_cli_json_text(NULL);

    (void)state;
    assert_string_equal(json_string_value(text), "a\\x1b\\xff");
    assert_true(json_is_null(none));
    json_decref(text);
    json_decref(none);
}

static void test_cli_cli__writes_words_for_a_shell(void **state)
{
    static const struct {
        const char *text, *word;
    } rows[] = {
        {"a/b-1.ledger", "a/b-1.ledger"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"", "''"},
        {"-x", "./-x"},
        {"two words", "'two words'"},
        {"$(id);`id`\\", "'$(id);`id`\\'"},
        {"it's", "'it'\\''s'"},
        {"\x1b[2J", "$'\\033[2J'"},
        {"a\nb'\\", "$'a\\012b\\047\\134'"},
        {"\xff\xe2\x80\xae", "$'\\377\\342\\200\\256'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_buf out = {0};

        whet_cli_add_word(&out, rows[i].text);
        assert_string_equal(whet_buf_str(&out), rows[i].word);
        whet_buf_deinit(&out);
    }
}

static void test_cli_cli__maps_errors_to_exit_status(void **state)
{
    static const struct {
        whet_status code;
        int status;
    } cases[] = {{WHET_EINVAL, 2}, {WHET_ENOTFOUND, 2},
                 {WHET_EFAIL, 3},  {WHET_EUNSUPPORTED, 3},
                 {WHET_ENOMEM, 3}, {WHET_ECANCELLED, 130}};
    int saved = dup(STDERR_FILENO);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    /* The lines themselves are looked at through the program. */
    assert_true(null >= 0 && dup2(null, STDERR_FILENO) >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        whet_err err = {0};

        whet_err_set(&err, cases[i].code, "x");
        assert_int_equal(whet_cli_fail(&err), cases[i].status);
    }
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    close(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cli__writes_bytes_for_people),
        cmocka_unit_test(test_cli_cli__writes_rates_for_people),
        cmocka_unit_test(test_cli_cli__breaks_lines_at_100_columns),
        cmocka_unit_test(test_cli_cli__escapes_outside_text),
        cmocka_unit_test(test_cli_cli__writes_words_for_a_shell),
        cmocka_unit_test(test_cli_cli__maps_errors_to_exit_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
