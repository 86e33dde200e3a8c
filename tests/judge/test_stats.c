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

static void test_judge_stats__z_is_the_normal_quantile(void **state)
{
    (void)state;
    /* Abramowitz and Stegun, table 26.5. */
    assert_true(fabs(whet_stat_z(0.5)) < 1e-9);
    assert_close(whet_stat_z(0.025), 1.959963985, 1e-8);
    assert_close(whet_stat_z(0.001), 3.090232306, 1e-8);
    assert_close(whet_stat_z(0.025 / 1000), 4.0556, 1e-4);
}

static void test_judge_stats__values_alone_give_students_t(void **state)
{
    /* 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, error 0.1 / sqrt 3. */
    const double values[] = {0.1, 0.2, 0.3};
    const double error = 0.1 / sqrt(3.0);
    const unsigned together[] = {0, 0, 0};
    whet_stat_estimate e = whet_stat_grouped(values, NULL, 3);

    (void)state;
    assert_close(e.mean, 0.2, 1e-12);
    assert_close(e.error, error, 1e-12);
    assert_close(e.half, 4.3027 * error, 1e-12);
    /* One group tells as much as there is to tell: its spread. */
    e = whet_stat_grouped(values, together, 3);
    assert_close(e.error, error, 1e-12);
    assert_close(e.half, 4.3027 * error, 1e-12);
}

static void test_judge_stats__groups_that_differ_count_as_one_each(void **state)
{
    /* Means 1, 2, 6: mean 3, squares 4 + 1 + 9, error sqrt(14 / 2 / 3). */
    const double values[] = {1, 1, 2, 2, 6, 6, 6, 6};
    const unsigned group[] = {0, 0, 1, 1, 2, 2, 2, 2};
    whet_stat_estimate e = whet_stat_grouped(values, group, 8);

    (void)state;
    assert_close(e.mean, 3, 1e-12);
    assert_close(e.error, sqrt(14.0 / 6.0), 1e-12);
    assert_close(e.half, 4.3027 * sqrt(14.0 / 6.0), 1e-12);
}

static void test_judge_stats__groups_alike_leave_the_spread_within(void **state)
{
    /* Squares within: 2 in each of two groups of two: variance 2; the means
     * agree by chance. Error sqrt(2 (1/2 + 1/2)) / 2. */
    const double values[] = {4, 6, 4, 6};
    const unsigned group[] = {0, 0, 1, 1};
    whet_stat_estimate e = whet_stat_grouped(values, group, 4);

    (void)state;
    assert_close(e.mean, 5, 1e-12);
    assert_close(e.error, sqrt(2.0) / 2.0, 1e-12);
    assert_close(e.half, 4.3027 * sqrt(2.0) / 2.0, 1e-12);
}

static void test_judge_stats__one_value_knows_nothing(void **state)
{
    const double values[] = {0.5};
    whet_stat_estimate e = whet_stat_grouped(values, NULL, 1);

    (void)state;
    assert_close(e.mean, 0.5, 1e-12);
    assert_true(isinf(e.half) && isinf(e.error));
}

static void test_judge_stats__equal_values_leave_no_doubt(void **state)
{
    const double values[] = {0.25, 0.25, 0.25, 0.25};
    whet_stat_estimate e = whet_stat_grouped(values, NULL, 4);

    (void)state;
    assert_true(e.error == 0 && e.half == 0);
}

/* Sum of 12 uniform draws less 6: variance 1, near enough to a normal one. */
static double draw(whet_rng *rng)
{
    double sum = -6.0;
    int i;

    for (i = 0; i < 12; i++)
        sum += (double)whet_rng_below(rng, 1u << 24) / (1u << 24);
    return sum;
}

/* Of 2000 sessions of a confirmation whose true mean is 0: share whose interval
 * holds it. Blocks spread by 1, generations by `spread`. */
static double coverage(double spread, bool by_generation)
{
    enum { BLOCKS = 12, SESSIONS = 2000 };
    whet_protocol p = whet_protocol_confirm(300);
    unsigned hits = 0, i, b, group[BLOCKS];
    double values[BLOCKS], shift = 0;
    whet_rng rng;

    whet_rng_init(&rng, 1, (uint64_t)(spread * 10), "test.coverage");
    for (i = 0; i < SESSIONS; i++) {
        whet_stat_estimate e;

        for (b = 0; b < BLOCKS; b++) {
            group[b] = whet_protocol_generation(&p, b);
            if (b == 0 || group[b] != group[b - 1])
                shift = spread * draw(&rng);
            values[b] = shift + draw(&rng);
        }
        e = whet_stat_grouped(values, by_generation ? group : NULL, BLOCKS);
        hits += fabs(e.mean) <= e.half;
    }
    return (double)hits / SESSIONS;
}

static void test_judge_stats__intervals_cover_the_truth(void **state)
{
    static const double spreads[] = {0, 0.3, 1, 3, 10};
    size_t i;

    (void)state;
    /* 2000 sessions at 95 % spread by 0.5 %: three deviations are allowed.
     * Blocks as the unit of analysis hold the truth far less often as soon as
     * generations differ as much as blocks do. */
    for (i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        if (!(coverage(spreads[i], true) >= 0.935))
            fail_msg("spread %g: %g", spreads[i], coverage(spreads[i], true));
    assert_true(coverage(0, false) >= 0.935);
    assert_true(coverage(1, false) < 0.85);
}

static void test_judge_stats__two_clusters_are_seen(void **state)
{
    double values[300];
    unsigned i;
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, 2, 0, "test.clusters");
    for (i = 0; i < 300; i++) /* one in five is a third slower */
        values[i] = (i % 5 == 0 ? 133 : 100) + draw(&rng);
    assert_true(whet_stat_is_bimodal(values, 300));
    for (i = 0; i < 300; i++) /* 2 % apart: too little to matter */
        values[i] = (i % 2 == 0 ? 102 : 100) + 0.01 * draw(&rng);
    assert_false(whet_stat_is_bimodal(values, 300));
    for (i = 0; i < 19; i++)
        values[i] = i % 2 == 0 ? 150 : 100;
    assert_false(whet_stat_is_bimodal(values, 19)); /* too few */
    for (i = 0; i < 20; i++)
        values[i] = i % 2 == 0 ? 150 : 100;
    assert_true(whet_stat_is_bimodal(values, 20));
}

static void test_judge_stats__noise_is_no_cluster(void **state)
{
    double values[300];
    unsigned i, round;
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, 3, 0, "test.noise");
    for (round = 0; round < 50; round++) {
        for (i = 0; i < 300; i++) /* a bell of 20 % */
            values[i] = 100 + 20 * draw(&rng) / 2;
        assert_false(whet_stat_is_bimodal(values, 300));
        for (i = 0; i < 300; i++) /* evenly between 100 and 200 */
            values[i] = 100 + whet_rng_below(&rng, 100);
        assert_false(whet_stat_is_bimodal(values, 300));
        for (i = 0; i < 300; i++) /* a long tail */
            values[i] =
                100 * (1 - log((1 + whet_rng_below(&rng, 1000)) / 1001.0));
        assert_false(whet_stat_is_bimodal(values, 300));
        for (i = 0; i < 300; i++) /* one call in 50 is hit by something */
            values[i] = (i % 50 == 0 ? 500 : 100) + draw(&rng);
        assert_false(whet_stat_is_bimodal(values, 300));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_stats__median_and_quantiles_interpolate),
        cmocka_unit_test(test_judge_stats__t95_is_within_a_thousandth),
        cmocka_unit_test(test_judge_stats__z_is_the_normal_quantile),
        cmocka_unit_test(test_judge_stats__values_alone_give_students_t),
        cmocka_unit_test(
            test_judge_stats__groups_that_differ_count_as_one_each),
        cmocka_unit_test(
            test_judge_stats__groups_alike_leave_the_spread_within),
        cmocka_unit_test(test_judge_stats__one_value_knows_nothing),
        cmocka_unit_test(test_judge_stats__equal_values_leave_no_doubt),
        cmocka_unit_test(test_judge_stats__intervals_cover_the_truth),
        cmocka_unit_test(test_judge_stats__two_clusters_are_seen),
        cmocka_unit_test(test_judge_stats__noise_is_no_cluster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
