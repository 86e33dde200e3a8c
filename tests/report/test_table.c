/* Text tables, whole outputs against what a person should see. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static const whet_table_column two[] = {
    {.title = "Name"},
    {.title = "Count", .align = WHET_ALIGN_RIGHT, .is_whole = true},
};

static void assert_prints(const whet_table *table, const char *expected)
{
    whet_buf out = {0};

    whet_table_print(&out, table);
    assert_false(out.failed);
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void test_report_table__aligns_and_underlines(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    whet_table_add_row(&table, (const char *const[]){"a", "1"});
    whet_table_add_cell(&table, "%s", "longer");
    whet_table_add_cell(&table, "%d", 12345678);
    assert_int_equal(whet_table_row_count(&table), 2);
    assert_prints(&table, "Name       Count\n"
                          "------  --------\n"
                          "a              1\n"
                          "longer  12345678\n");
    whet_table_deinit(&table);
}

static void test_report_table__shows_titles_without_rows(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    table.indent = 2;
    assert_int_equal(whet_table_row_count(&table), 0);
    assert_prints(&table, "  Name  Count\n"
                          "  ----  -----\n");
    whet_table_deinit(&table);
}

static void test_report_table__tells_unknown_from_nothing(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    whet_table_add_row(&table, (const char *const[]){"", NULL});
    assert_prints(&table, "Name  Count\n"
                          "----  -----\n"
                          "-       n/a\n");
    whet_table_deinit(&table);
}

static void test_report_table__leaves_no_spaces_at_line_ends(void **state)
{
    static const whet_table_column columns[] = {{.title = "A"}, {.title = "B"}};
    whet_table table;

    (void)state;
    whet_table_init(&table, columns, 2);
    whet_table_add_row(&table, (const char *const[]){"x", "y"});
    whet_table_add_row(&table, (const char *const[]){"x", "yyyy"});
    whet_table_add_cell(&table, "last");
    assert_prints(&table, "A     B\n"
                          "----  ----\n"
                          "x     y\n"
                          "x     yyyy\n"
                          "last\n");
    whet_table_deinit(&table);
}

static void test_report_table__fills_up_an_unfinished_row(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    whet_table_add_cell(&table, "half");
    assert_int_equal(whet_table_row_count(&table), 1);
    whet_table_add_row(&table, (const char *const[]){"next", "2"});
    assert_prints(&table, "Name  Count\n"
                          "----  -----\n"
                          "half    n/a\n"
                          "next      2\n");
    whet_table_deinit(&table);
}

static void test_report_table__escapes_cells(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    whet_table_add_row(&table, (const char *const[]){"\x1b[31m\n\xff", "1"});
    assert_prints(&table, "Name              Count\n"
                          "----------------  -----\n"
                          "\\x1b[31m\\x0a\\xff      1\n");
    whet_table_deinit(&table);
}

static void test_report_table__knows_wide_characters(void **state)
{
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    whet_table_add_row(&table,
                       (const char *const[]){"\u65e5\u672c\u8a9e", "1"});
    whet_table_add_row(&table, (const char *const[]){"e\u0301", "2"});
    assert_prints(&table, "Name    Count\n"
                          "------  -----\n"
                          "\u65e5\u672c\u8a9e      1\n"
                          "e\u0301           2\n");
    whet_table_deinit(&table);
}

/* Columns of the longest line. */
static size_t widest(const char *text)
{
    size_t most = 0;

    while (*text != '\0') {
        size_t bytes = strcspn(text, "\n");
        size_t columns = whet_text_columns(text, bytes);

        most = columns > most ? columns : most;
        text += bytes + (text[bytes] == '\n');
    }
    return most;
}

static void test_report_table__cuts_the_widest_to_the_budget(void **state)
{
    static const whet_table_column columns[] = {
        {.title = "Id", .is_whole = true}, {.title = "A"}, {.title = "B"}};
    char id[33], a[61], b[201];
    whet_buf out = {0};
    whet_table table;

    (void)state;
    memset(id, 'i', 32);
    memset(a, 'a', 60);
    memset(b, 'b', 200);
    id[32] = a[60] = b[200] = '\0';
    whet_table_init(&table, columns, 3);
    whet_table_add_row(&table, (const char *const[]){id, a, b});
    whet_table_print(&out, &table);
    assert_int_equal(widest(whet_buf_str(&out)), WHET_TABLE_WIDTH);
    assert_non_null(strstr(out.data, id));
    /* 100 - 32 - 2 gaps leave 64: 32 for each, ellipsis included. */
    assert_non_null(
        strstr(out.data, "  aaaaaaaaaaaaaaaaaaaaaaaaaaaaa...  bbb"));
    assert_non_null(strstr(out.data, "  bbbbbbbbbbbbbbbbbbbbbbbbbbbbb...\n"));
    whet_buf_deinit(&out);
    whet_table_deinit(&table);
}

static void test_report_table__never_cuts_whole_columns(void **state)
{
    static const whet_table_column columns[] = {
        {.title = "Id", .is_whole = true}, {.title = "Text"}};
    char id[151];
    whet_buf out = {0};
    whet_table table;

    (void)state;
    memset(id, 'i', 150);
    id[150] = '\0';
    whet_table_init(&table, columns, 2);
    whet_table_add_row(&table, (const char *const[]){id, "some longer text"});
    whet_table_print(&out, &table);
    assert_non_null(strstr(out.data, id));
    assert_non_null(strstr(out.data, "  som...\n"));
    whet_buf_deinit(&out);
    whet_table_deinit(&table);
}

static void test_report_table__tells_of_missing_rows(void **state)
{
    whet_buf out = {0};
    whet_table table;

    (void)state;
    whet_table_init(&table, two, 2);
    table.failed = true; /* as after an allocation that failed */
    whet_table_add_row(&table, (const char *const[]){"a", "1"});
    assert_int_equal(whet_table_row_count(&table), 0);
    whet_table_print(&out, &table);
    assert_true(out.failed);
    whet_buf_deinit(&out);
    whet_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_table__aligns_and_underlines),
        cmocka_unit_test(test_report_table__shows_titles_without_rows),
        cmocka_unit_test(test_report_table__tells_unknown_from_nothing),
        cmocka_unit_test(test_report_table__leaves_no_spaces_at_line_ends),
        cmocka_unit_test(test_report_table__fills_up_an_unfinished_row),
        cmocka_unit_test(test_report_table__escapes_cells),
        cmocka_unit_test(test_report_table__knows_wide_characters),
        cmocka_unit_test(test_report_table__cuts_the_widest_to_the_budget),
        cmocka_unit_test(test_report_table__never_cuts_whole_columns),
        cmocka_unit_test(test_report_table__tells_of_missing_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
