/* Blame, shares and the text for people. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <math.h>
#include <string.h>

static void test_judge_verdict__blame_says_what_and_where(void **state)
{
    int i;

    (void)state;
    for (i = 1; i < WHET_REASON_COUNT; i++) {
        whet_call call = {.reason = (whet_reason)i};
        whet_verdict v = {.outcome = WHET_OUTCOME_CORRECT};

        whet_judge__blame(&v, &call, NULL);
        assert_int_equal(v.reason, i);
        assert_int_equal(v.outcome, whet_reason_outcome((whet_reason)i));
        assert_string_not_equal(v.message, "");
        whet_strcopy(call.text, sizeof call.text, "detail");
        whet_judge__blame(&v, &call, "somewhere");
        assert_non_null(strstr(v.message, "detail"));
        assert_non_null(strstr(v.message, "somewhere"));
    }
}

static void test_judge_verdict__share_of_limit(void **state)
{
    whet_verdict v = {.limit_ns = 50};

    (void)state;
    assert_true(isnan(whet_verdict_share_of_limit(&v)));
    v.candidate_time.median_ns = 200;
    assert_true(whet_verdict_share_of_limit(&v) == 0.25);
    v.limit_ns = 0;
    assert_true(isnan(whet_verdict_share_of_limit(&v)));
}

static void assert_prints(const whet_verdict *v, const char *part)
{
    whet_buf out = {0};

    whet_verdict_print(&out, v);
    if (strstr(whet_buf_str(&out), part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, whet_buf_str(&out));
    whet_buf_deinit(&out);
}

static void test_judge_verdict__print_tells_all(void **state)
{
    whet_verdict v = kit_verdict();

    (void)state;
    assert_prints(&v, "correct");
    assert_prints(&v, "UNSAFE");
    assert_prints(&v, "2.00x");
    assert_prints(&v, "over 2 blocks, too few for an interval");
    v.block_count = 3;
    assert_prints(&v, "[0.33, 2.33] over 3 blocks: a gain");
    assert_prints(&v, "point      SPEED=2");
    assert_prints(&v, "17 calls");
    assert_prints(&v, "scripted, one context at a time");
    assert_prints(&v,
                  "kernel     first: 96 + 32 registers, 8 B spilled, 4096 B "
                  "LDS\n             8 waves a CU, bound by registers\n");
    v.is_gain = false;
    assert_prints(&v, "no gain");
    v.ratio_lo = 1.5;
    v.total_ratio = 0.68;
    assert_prints(&v, "no gain (mean times: 0.68x)");
    v.outcome = WHET_OUTCOME_WRONG;
    v.reason = WHET_REASON_MISMATCH;
    assert_prints(&v, "wrong (mismatch)");
    whet_verdict_deinit(&v);
}

static void test_judge_verdict__lines_stay_narrow_and_plain(void **state)
{
    whet_verdict v = kit_verdict();
    whet_buf out = {0};
    const char *at;

    (void)state;
    v.is_unsafe = false;
    whet_strcopy(v.message, sizeof v.message, "evil \x1b[2J message");
    whet_verdict_print(&out, &v);
    for (at = whet_buf_str(&out); *at != '\0'; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= 32);
    for (at = whet_buf_str(&out); *at != '\0'; at += strcspn(at, "\n") + 1)
        assert_true(strcspn(at, "\n") <= 100);
    whet_buf_deinit(&out);
    whet_verdict_deinit(&v);
}

static void test_judge_verdict__deinit_may_be_repeated(void **state)
{
    whet_verdict v = kit_verdict();

    (void)state;
    whet_verdict_deinit(&v);
    whet_verdict_deinit(&v);
    assert_null(v.candidate_time.call_ns);
}

static void test_judge_verdict__failures_tell_one_digit(void **state)
{
    static const double rows[][2] = {
        {1.0000001, 2.0}, {1.5, 2.0},   {17.3, 20.0},    {9.01, 10.0},
        {123456.7, 2e5},  {1e300, 1e6}, {INFINITY, 1e6}, {0.0, 0.0}};
    const whet_call call = {.reason = WHET_REASON_MISMATCH};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_verdict v = {.worst_error = rows[i][0]};

        whet_judge__blame(&v, &call, NULL);
        assert_true(v.worst_error == rows[i][1]);
        /* Blamed twice it is no other. */
        whet_judge__blame(&v, &call, NULL);
        assert_true(v.worst_error == rows[i][1]);
    }
    {
        whet_verdict v = {.worst_error = NAN};

        whet_judge__blame(&v, &call, NULL);
        assert_true(isnan(v.worst_error));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_verdict__blame_says_what_and_where),
        cmocka_unit_test(test_judge_verdict__share_of_limit),
        cmocka_unit_test(test_judge_verdict__print_tells_all),
        cmocka_unit_test(test_judge_verdict__lines_stay_narrow_and_plain),
        cmocka_unit_test(test_judge_verdict__deinit_may_be_repeated),
        cmocka_unit_test(test_judge_verdict__failures_tell_one_digit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
