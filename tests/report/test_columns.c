/* Width of text on a terminal. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

#include "report/report_priv.h"

#include <string.h>

static size_t width(const char *text)
{
    return whet_text_columns(text, strlen(text));
}

static void test_report_columns__counts_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(width(""), 0);
    assert_int_equal(width("abc"), 3);
    assert_int_equal(width("\u00e9\u0416\u03bb"), 3); /* narrow letters */
    assert_int_equal(width("e\u0301"), 1);            /* combining accent */
    assert_int_equal(width("\u65e5\u672c"), 4);       /* wide */
    assert_int_equal(width("\uff21"), 2);             /* full width A */
    assert_int_equal(width("\U0001f600"), 2);         /* emoji */
    assert_int_equal(width("\u2588"), 1);             /* block */
}

static void test_report_columns__counts_broken_bytes_once(void **state)
{
    (void)state;
    assert_int_equal(width("\xff\xfe"), 2);
    assert_int_equal(width("\xe6"), 1);
    assert_int_equal(whet_text_columns("\xe6\x97\xa5", 2), 2);
    assert_int_equal(width("\xe6"
                           "ab"),
                     3);
}

static void test_report_columns__cuts_between_characters(void **state)
{
    static const char text[] = "a\u65e5b";
    size_t columns;

    (void)state;
    assert_int_equal(whet_report__cut(&columns, text, strlen(text), 2), 1);
    assert_int_equal(columns, 1); /* half a wide character is none */
    assert_int_equal(whet_report__cut(&columns, text, strlen(text), 3), 4);
    assert_int_equal(columns, 3);
    assert_int_equal(whet_report__cut(&columns, text, strlen(text), 0), 0);
    assert_int_equal(columns, 0);
    /* A mark belongs to the letter before it. */
    assert_int_equal(whet_report__cut(&columns, "e\u0301x", 4, 1), 3);
    assert_int_equal(columns, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_columns__counts_what_a_terminal_shows),
        cmocka_unit_test(test_report_columns__counts_broken_bytes_once),
        cmocka_unit_test(test_report_columns__cuts_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
