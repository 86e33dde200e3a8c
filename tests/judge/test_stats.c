/* Statistics with answers worked out by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/judge.h"

#include <math.h>

static void assert_close(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.17g, expected %.17g", got, want);
}

static void test_judge_stats__median_and_quantiles_interpolate(void **state)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    double many[] = {50, 10, 40, 20, 30};

    (void)state;
    assert_true(whet_stat_median(odd, 3) == 3);
    assert_true(whet_stat_median(even, 4) == 2.5);
    assert_true(whet_stat_median(one, 1) == 7);
    assert_true(whet_stat_quantile(one, 1, 0.95) == 7);
    assert_true(whet_stat_quantile(many, 5, 0) == 10);
    assert_true(whet_stat_quantile(many, 5, 1) == 50);
    assert_close(whet_stat_quantile(many, 5, 0.05), 12, 1e-12);
    assert_close(whet_stat_quantile(many, 5, 0.95), 48, 1e-12);
    assert_close(whet_stat_quantile(many, 5, 0.375), 25, 1e-12);
}

static void test_judge_stats__t95_is_within_a_thousandth(void **state)
{
    /* Published table of Student's t, 97.5 %. */
    static const struct {
        unsigned df;
        double t;
    } table[] = {{1, 12.7062},   {2, 4.30265},  {3, 3.18245},  {5, 2.57058},
                 {11, 2.20099},  {20, 2.08596}, {21, 2.07961}, {22, 2.07387},
                 {25, 2.05954},  {30, 2.04227}, {60, 2.00030}, {120, 1.97993},
                 {1000, 1.96234}};
    size_t i;
    unsigned df;

    (void)state;
    for (i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_close(whet_stat_t95(table[i].df), table[i].t, 1e-3);
    assert_true(isinf(whet_stat_t95(0)));
    for (df = 1; df < 200; df++)
        assert_true(whet_stat_t95(df + 1) < whet_stat_t95(df));
}

static void test_judge_stats__ratio_of_three_blocks(void **state)
{
    /* Logs 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, error 0.1 / sqrt 3. */
    const double logs[] = {0.1, 0.2, 0.3};
    const double error = 0.1 / sqrt(3.0), half = 4.3027 * error;
    double ratio, lo, hi, got;

    (void)state;
    whet_stat_ratio(&ratio, &lo, &hi, &got, logs, 3);
    assert_close(ratio, exp(0.2), 1e-12);
    assert_close(got, error, 1e-12);
    assert_close(lo, exp(0.2 - half), 1e-6);
    assert_close(hi, exp(0.2 + half), 1e-6);
}

static void test_judge_stats__one_block_knows_nothing(void **state)
{
    const double logs[] = {0.5};
    double ratio, lo, hi, error;

    (void)state;
    whet_stat_ratio(&ratio, &lo, &hi, &error, logs, 1);
    assert_close(ratio, exp(0.5), 1e-12);
    assert_true(lo == 0);
    assert_true(isinf(hi) && isinf(error));
}

static void test_judge_stats__equal_blocks_leave_no_doubt(void **state)
{
    const double logs[] = {0.25, 0.25, 0.25, 0.25};
    double ratio, lo, hi, error;

    (void)state;
    whet_stat_ratio(&ratio, &lo, &hi, &error, logs, 4);
    assert_true(error == 0);
    assert_true(lo == ratio && hi == ratio);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_stats__median_and_quantiles_interpolate),
        cmocka_unit_test(test_judge_stats__t95_is_within_a_thousandth),
        cmocka_unit_test(test_judge_stats__ratio_of_three_blocks),
        cmocka_unit_test(test_judge_stats__one_block_knows_nothing),
        cmocka_unit_test(test_judge_stats__equal_blocks_leave_no_doubt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
