/* Evaluation: exact arithmetic, its refusals, lookups. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/expr.h"

#include <string.h>

static whet_status eval(int64_t *out, const char *text, whet_err *err)
{
    static const char *const names[] = {"rows", "cols", "big", "least"};
    static const int64_t values[] = {7, 10, INT64_MAX, INT64_MIN};
    whet_binding binding = {names, values, 4};
    whet_expr *expr = NULL;
    whet_status st;

    assert_int_equal(whet_expr_parse(&expr, text, strlen(text), err), WHET_OK);
    st = whet_expr_eval(out, expr, whet_binding_lookup, &binding, err);
    whet_expr_free(expr);
    return st;
}

static void test_task_expr_eval__divides_towards_minus_infinity(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"7 / 2", 3},
        {"-7 / 2", -4},
        {"7 / -2", -4},
        {"-7 / -2", 3},
        {"-8 / 2", -4},
        {"7 % 2", 1},
        {"-7 % 2", 1},
        {"7 % -2", -1},
        {"-7 % -2", -1},
        {"-8 % 2", 0},
        {"least % -1", 0},
        {"least / 1", INT64_MIN},
        {"least / 2", INT64_MIN / 2},
        {"big / -1", -INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};
        int64_t value = 0;

        assert_int_equal(eval(&value, rows[i].text, &err), WHET_OK);
        if (value != rows[i].value)
            fail_msg("%s gave %lld", rows[i].text, (long long)value);
    }
}

static void test_task_expr_eval__computes_functions_at_their_edges(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"ceil_div(0, 5)", 0},
        {"ceil_div(5, 5)", 1},
        {"ceil_div(6, 5)", 2},
        {"ceil_div(big, 1)", INT64_MAX},
        {"ceil_div(big, big)", 1},
        {"round_up(0, 8)", 0},
        {"round_up(8, 8)", 8},
        {"round_up(9, 8)", 16},
        {"round_up(big, 1)", INT64_MAX},
        {"pow2_ceil(0)", 1},
        {"pow2_ceil(1)", 1},
        {"pow2_ceil(2)", 2},
        {"pow2_ceil(3)", 4},
        {"pow2_ceil(4611686018427387904)", (int64_t)1 << 62},
        {"min(big, least)", INT64_MIN},
        {"max(big, least)", INT64_MAX},
        {"min(-1, -2, -3)", -3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};
        int64_t value = 0;

        assert_int_equal(eval(&value, rows[i].text, &err), WHET_OK);
        if (value != rows[i].value)
            fail_msg("%s gave %lld", rows[i].text, (long long)value);
    }
}

static void refuse(const char *text, const char *message)
{
    whet_err err = {0};
    int64_t value = 99;

    assert_int_equal(eval(&value, text, &err), WHET_EINVAL);
    assert_int_equal(value, 0);
    assert_string_equal(err.msg, message);
}

static void test_task_expr_eval__refuses_overflow(void **state)
{
    (void)state;
    refuse("big + 1", "'big + 1', column 5: 9223372036854775807 + 1 overflows "
                      "64 bits");
    refuse("least - 1", "'least - 1', column 7: -9223372036854775808 - 1 "
                        "overflows 64 bits");
    refuse("big * 2", "'big * 2', column 5: 9223372036854775807 * 2 overflows "
                      "64 bits");
    refuse("-least", "'-least', column 1: -(-9223372036854775808) overflows 64 "
                     "bits");
    refuse("least / -1", "'least / -1', column 7: / of -9223372036854775808 "
                         "and -1 overflows 64 bits");
    refuse("round_up(big, 2)",
           "'round_up(big, 2)', column 1: round_up of 9223372036854775807 and "
           "2 overflows 64 bits");
    refuse("pow2_ceil(4611686018427387905)",
           "'pow2_ceil(4611686018427387905)', column 1: "
           "pow2_ceil(4611686018427387905) overflows 64 bits");
}

static void test_task_expr_eval__refuses_zero_and_negative(void **state)
{
    (void)state;
    refuse("1 / (rows - 7)",
           "'1 / (rows - 7)', column 3: division by zero (1 / 0)");
    refuse("1 % 0", "'1 % 0', column 3: division by zero (1 % 0)");
    refuse("ceil_div(1, 0)",
           "'ceil_div(1, 0)', column 1: division by zero (1 ceil_div 0)");
    refuse("ceil_div(-1, 2)", "'ceil_div(-1, 2)', column 1: ceil_div(-1, 2), "
                              "expected no negative argument");
    refuse("round_up(1, -2)", "'round_up(1, -2)', column 1: round_up(1, -2), "
                              "expected no negative argument");
    refuse("pow2_ceil(-1)", "'pow2_ceil(-1)', column 1: pow2_ceil(-1), "
                            "expected no negative argument");
}

static void test_task_expr_eval__suggests_a_close_name(void **state)
{
    (void)state;
    refuse("rows * colz", "'rows * colz', column 8: unknown name 'colz', did "
                          "you mean 'cols'?");
    refuse("wavefront", "'wavefront', column 1: unknown name 'wavefront'");
}

static void test_task_expr_eval__decides_before_the_right_side(void **state)
{
    whet_err err = {0};
    int64_t value = 0;

    (void)state;
    assert_int_equal(eval(&value, "1 or 1 / 0", &err), WHET_OK);
    assert_int_equal(value, 1);
    assert_int_equal(eval(&value, "0 and nobody", &err), WHET_OK);
    assert_int_equal(value, 0);
    assert_int_equal(eval(&value, "3 and 5", &err), WHET_OK);
    assert_int_equal(value, 1);
    assert_int_equal(eval(&value, "0 or 5", &err), WHET_OK);
    assert_int_equal(value, 1);
}

static whet_status own_lookup(int64_t *out, const char *name, void *payload,
                              whet_err *err)
{
    int *calls = payload;

    *out = 5;
    ++*calls;
    if (strcmp(name, "gone") == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "no '%s' here", name);
    return strcmp(name, "five") == 0 ? WHET_OK : WHET_ENOTFOUND;
}

static void test_task_expr_eval__passes_on_what_a_lookup_says(void **state)
{
    whet_expr *expr;
    whet_err err = {0};
    int64_t value = 0;
    int calls = 0;

    (void)state;
    assert_int_equal(whet_expr_parse(&expr, "five * five + gone", 18, NULL),
                     WHET_OK);
    assert_int_equal(whet_expr_eval(&value, expr, own_lookup, &calls, &err),
                     WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "no 'gone' here");
    assert_int_equal(calls, 3);
    whet_expr_free(expr);
    assert_int_equal(whet_expr_parse(&expr, "six", 3, NULL), WHET_OK);
    assert_int_equal(whet_expr_eval(&value, expr, own_lookup, &calls, &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, "'six', column 1: unknown name 'six'");
    assert_int_equal(whet_expr_eval(&value, expr, own_lookup, &calls, NULL),
                     WHET_EINVAL);
    whet_expr_free(expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_expr_eval__divides_towards_minus_infinity),
        cmocka_unit_test(
            test_task_expr_eval__computes_functions_at_their_edges),
        cmocka_unit_test(test_task_expr_eval__refuses_overflow),
        cmocka_unit_test(test_task_expr_eval__refuses_zero_and_negative),
        cmocka_unit_test(test_task_expr_eval__suggests_a_close_name),
        cmocka_unit_test(test_task_expr_eval__decides_before_the_right_side),
        cmocka_unit_test(test_task_expr_eval__passes_on_what_a_lookup_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
