/* Parsing of expressions: precedence, names, every kind of refusal. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/expr.h"

#include <string.h>

static int64_t value_of(const char *text)
{
    static const char *const names[] = {"rows", "cols", "VEC"};
    static const int64_t values[] = {7, 10, 4};
    whet_binding binding = {names, values, 3};
    whet_expr *expr = NULL;
    whet_err err = {0};
    int64_t value = 0;

    if (whet_expr_parse(&expr, text, strlen(text), &err) != WHET_OK)
        fail_msg("%s: %s", text, err.msg);
    if (whet_expr_eval(&value, expr, whet_binding_lookup, &binding, &err) !=
        WHET_OK)
        fail_msg("%s: %s", text, err.msg);
    whet_expr_free(expr);
    return value;
}

static void test_task_expr__binds_operators_by_precedence(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"100 / 5 / 2", 10},
        {"100 / 7 % 4", 2},
        {"-2 * 3", -6},
        {"2 - -3", 5},
        {"- - 3", 3},
        {"1 + 2 == 3", 1},
        {"not 1 == 2", 1},
        {"not 1 and 0", 0},
        {"1 or 0 and 0", 1},
        {"(1 or 0) and 0", 0},
        {"not not 5", 1},
        {"rows * cols + VEC", 74},
        {"rows<cols", 1},
        {"rows >= cols", 0},
        {"rows <= 7 and rows != 8 and rows > 6", 1},
        {" \t\n\r rows\n", 7},
        {"min(rows, cols, VEC)", 4},
        {"max(1, min(rows, cols)) + ceil_div(cols, VEC)", 10},
        {"round_up(cols, VEC) * pow2_ceil(rows)", 96},
        {"9223372036854775807", INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (value_of(rows[i].text) != rows[i].value)
            fail_msg("%s gave %lld", rows[i].text,
                     (long long)value_of(rows[i].text));
    }
}

static void refuse(const char *text, const char *message)
{
    whet_expr *expr = (whet_expr *)&expr;
    whet_err err = {0};

    assert_int_equal(whet_expr_parse(&expr, text, strlen(text), &err),
                     WHET_EINVAL);
    assert_null(expr);
    assert_string_equal(err.msg, message);
}

static void test_task_expr__says_what_it_expected_and_where(void **state)
{
    (void)state;
    refuse("", "column 1: the expression ends, expected a number, name or "
               "'('");
    refuse("1 +", "column 4: the expression ends, expected a number, name or "
                  "'('");
    refuse("(1 + 2", "column 7: the expression ends, expected an operator or "
                     "')'");
    refuse("1 2", "column 3: unexpected '2', expected an operator or the end");
    refuse("and", "column 1: unexpected 'and', expected a number, name or '('");
    refuse("1 < 2 < 3", "column 7: comparisons do not chain, expected 'and' "
                        "between two of them");
    refuse("0.5", "column 2: unexpected '.' in a number, expected a whole "
                  "decimal number");
    refuse("0x10", "column 2: unexpected 'x' in a number, expected a whole "
                   "decimal number");
    refuse("9223372036854775808",
           "column 1: the number is too large, expected at most "
           "9223372036854775807");
    refuse("x[0]", "column 2: unexpected '[', expected a number, name or "
                   "operator");
    refuse("a \x01", "column 3: unexpected byte 0x01, expected a number, name "
                     "or operator");
    refuse("\xc3\xa9", "column 1: unexpected byte 0xc3, expected a number, "
                       "name or operator");
}

static void test_task_expr__translates_habits_of_other_languages(void **state)
{
    (void)state;
    refuse("a && b", "column 3: unexpected '&&', expected 'and'");
    refuse("a || b", "column 3: unexpected '||', expected 'or'");
    refuse("!a", "column 1: unexpected '!', expected 'not'");
    refuse("a = b", "column 3: unexpected '=', expected '=='");
    refuse("a // b", "column 3: unexpected '//', expected '/', which is floor "
                     "division");
    refuse("2 ** 3", "column 3: unexpected '**', expected a product");
}

static void test_task_expr__checks_functions(void **state)
{
    (void)state;
    refuse("sqrt(4)", "column 1: unknown function 'sqrt', expected min, max, "
                      "ceil_div, round_up or pow2_ceil");
    refuse("1 + min", "column 5: 'min' is a function, expected '(' after it");
    refuse("min(1)", "column 1: min() has 1 argument, expected at least 2");
    refuse("ceil_div(1, 2, 3)",
           "column 1: ceil_div() has 3 arguments, expected 2");
    refuse("pow2_ceil(1, 2)",
           "column 1: pow2_ceil() has 2 arguments, expected 1");
    refuse("min(1,2,3,4,5,6,7,8,9)",
           "column 1: min() has 9 arguments, expected 8");
    refuse("min()", "column 5: unexpected ')', expected a number, name or '('");
    refuse("min(1 2)", "column 7: unexpected '2', expected ',' or ')'");
}

static void test_task_expr__bounds_length_nesting_and_names(void **state)
{
    char text[1024];
    whet_expr *expr;
    whet_err err = {0};

    (void)state;
    memset(text, '(', 63);
    text[63] = '1';
    memset(text + 64, ')', 63);
    assert_int_equal(whet_expr_parse(&expr, text, 127, &err), WHET_OK);
    whet_expr_free(expr);
    memset(text, '(', 64);
    text[64] = '1';
    memset(text + 65, ')', 64);
    assert_int_equal(whet_expr_parse(&expr, text, 129, &err), WHET_EINVAL);
    assert_string_equal(err.msg, "column 65: nested too deeply, expected at "
                                 "most 64 levels");
    memset(text, '-', 200);
    assert_int_equal(whet_expr_parse(&expr, text, 200, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "nested too deeply"));
    memset(text, ' ', 513);
    text[0] = '1';
    assert_int_equal(whet_expr_parse(&expr, text, 512, &err), WHET_OK);
    whet_expr_free(expr);
    assert_int_equal(whet_expr_parse(&expr, text, 513, &err), WHET_EINVAL);
    assert_string_equal(err.msg, "column 513: the expression has 513 bytes, "
                                 "expected at most 512");
    memset(text, 'n', 64);
    assert_int_equal(whet_expr_parse(&expr, text, 63, &err), WHET_OK);
    whet_expr_free(expr);
    assert_int_equal(whet_expr_parse(&expr, text, 64, &err), WHET_EINVAL);
    assert_string_equal(err.msg,
                        "column 1: the name has 64 bytes, expected at most 63");
}

static void test_task_expr__refuses_a_nul_byte(void **state)
{
    whet_expr *expr;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_expr_parse(&expr, "1\0+1", 4, &err), WHET_EINVAL);
    assert_string_equal(err.msg, "column 2: unexpected byte 0x00, expected a "
                                 "number, name or operator");
    assert_int_equal(whet_expr_parse(&expr, "1 +", 3, NULL), WHET_EINVAL);
}

static void test_task_expr__lists_each_name_once(void **state)
{
    static const char text[] = "a + bb * a - min(c, a) + ccc";
    whet_expr *expr;
    size_t count = 0;
    const char *const *names;

    (void)state;
    assert_int_equal(whet_expr_parse(&expr, text, strlen(text), NULL), WHET_OK);
    names = whet_expr_names(expr, &count);
    assert_int_equal(count, 4);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "bb");
    assert_string_equal(names[2], "c");
    assert_string_equal(names[3], "ccc");
    assert_string_equal(whet_expr_text(expr), text);
    whet_expr_free(expr);
    whet_expr_free(NULL);
}

static void test_task_expr__holds_the_densest_texts(void **state)
{
    char text[WHET_EXPR_TEXT_BYTES_MAX];
    size_t count = 0;
    whet_expr *expr;

    (void)state;
    /* 256 one-byte names with one byte between them, then 52 distinct. */
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 == 1 ? '+' : (char)('a' + i / 2 % 26);
    assert_int_equal(whet_expr_parse(&expr, text, sizeof text - 1, NULL),
                     WHET_OK);
    whet_expr_names(expr, &count);
    assert_int_equal(count, 26);
    whet_expr_free(expr);
    /* Two bytes a name: as many distinct ones as fit. */
    for (size_t i = 0; i + 3 <= sizeof text; i += 3) {
        text[i] = (char)('a' + i / 3 / 26);
        text[i + 1] = (char)('a' + i / 3 % 26);
        text[i + 2] = '*';
    }
    assert_int_equal(whet_expr_parse(&expr, text, 509, NULL), WHET_OK);
    whet_expr_names(expr, &count);
    assert_int_equal(count, 170);
    whet_expr_free(expr);
}

static void test_task_expr__knows_its_reserved_words(void **state)
{
    (void)state;
    assert_true(whet_expr_is_reserved("and"));
    assert_true(whet_expr_is_reserved("pow2_ceil"));
    assert_false(whet_expr_is_reserved("And"));
    assert_false(whet_expr_is_reserved("wave_size"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_expr__binds_operators_by_precedence),
        cmocka_unit_test(test_task_expr__says_what_it_expected_and_where),
        cmocka_unit_test(test_task_expr__translates_habits_of_other_languages),
        cmocka_unit_test(test_task_expr__checks_functions),
        cmocka_unit_test(test_task_expr__bounds_length_nesting_and_names),
        cmocka_unit_test(test_task_expr__refuses_a_nul_byte),
        cmocka_unit_test(test_task_expr__lists_each_name_once),
        cmocka_unit_test(test_task_expr__holds_the_densest_texts),
        cmocka_unit_test(test_task_expr__knows_its_reserved_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
