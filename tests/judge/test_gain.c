/* What is a gain, and what turns one into none. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/compare_priv.h"
#include "judge_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 12, CALLS = 60 };

/* A comparison that has run: times of both arms by block, ratios of blocks. */
struct fixture {
    whet_judge judge;
    whet_arm arms[2];
    whet_protocol protocol;
    whet_verdict verdict;
    whet_comparison c;
    double log_ratio[BLOCKS];
    unsigned generation[BLOCKS];
};

static void add_calls(whet_timing *t, uint64_t first_ns, uint64_t second_ns,
                      unsigned every)
{
    uint32_t i;

    t->call_ns = calloc(CALLS, sizeof *t->call_ns);
    t->block_index = calloc(CALLS, sizeof *t->block_index);
    assert_true(t->call_ns != NULL && t->block_index != NULL);
    for (i = 0; i < CALLS; i++) {
        /* A little spread, so that no test meets a variance of zero. */
        t->call_ns[i] = (i % every == 0 ? second_ns : first_ns) + i % 7;
        t->block_index[i] = i / (CALLS / BLOCKS);
        t->total_ns += t->call_ns[i];
    }
    t->call_count = CALLS;
}

/* The candidate is `percent` % faster in all blocks, give or take `spread`. */
static struct fixture *setup(double percent, double spread)
{
    struct fixture *f = calloc(1, sizeof *f);
    unsigned b;

    assert_non_null(f);
    f->judge.aa_error = NAN;
    f->protocol = whet_protocol_confirm(CALLS);
    f->c = (whet_comparison){.judge = &f->judge,
                             .arms = {&f->arms[0], &f->arms[1]},
                             .protocol = &f->protocol,
                             .out = &f->verdict,
                             .log_ratio = f->log_ratio,
                             .generation = f->generation,
                             .block_count = BLOCKS};
    for (b = 0; b < BLOCKS; b++) {
        f->log_ratio[b] =
            log(1.0 + percent / 100.0) + (b % 2 == 0 ? spread : -spread);
        f->generation[b] = whet_protocol_generation(&f->protocol, b);
    }
    return f;
}

static void teardown(struct fixture *f)
{
    whet_verdict_deinit(&f->verdict);
    free(f);
}

static void test_judge_gain__a_clear_ratio_is_one(void **state)
{
    struct fixture *f = setup(20, 0.01);

    (void)state;
    add_calls(&f->verdict.reference_time, 1200000, 1200000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 1000000, 2);
    whet_judge__conclude(&f->c);
    assert_true(f->verdict.is_gain);
    assert_true(fabs(f->verdict.ratio - 1.2) < 1e-9);
    assert_true(f->verdict.ratio_error > 0);
    assert_int_equal(f->verdict.rule_count, 0);
    assert_true(whet_verdict_score(&f->verdict) == f->verdict.ratio);
    teardown(f);
}

static void test_judge_gain__the_best_of_many_needs_more(void **state)
{
    unsigned tried;

    (void)state;
    for (tried = 0; tried < 2000; tried += 500) {
        struct fixture *f = setup(4, 0.03);

        add_calls(&f->verdict.reference_time, 1040000, 1040000, 2);
        add_calls(&f->verdict.candidate_time, 1000000, 1000000, 2);
        f->verdict.tried = tried;
        whet_judge__conclude(&f->c);
        /* The interval itself stays what it is. */
        assert_true(f->verdict.ratio_lo > 1.01);
        assert_true(f->verdict.is_gain == (tried == 0));
        assert_true(whet_verdict_has_rule(&f->verdict, "multiplicity") ==
                    (tried > 0));
        teardown(f);
    }
}

static void test_judge_gain__one_of_one_is_not_corrected(void **state)
{
    struct fixture *f = setup(4, 0.03);

    (void)state;
    add_calls(&f->verdict.reference_time, 1040000, 1040000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 1000000, 2);
    f->verdict.tried = 1;
    whet_judge__conclude(&f->c);
    assert_true(f->verdict.is_gain);
    teardown(f);
}

static void test_judge_gain__two_kinds_of_times_are_told(void **state)
{
    struct fixture *f = setup(20, 0.001);
    whet_buf text = {0};

    (void)state;
    /* Fast in two calls of three, slow in the third: the median hides it. */
    add_calls(&f->verdict.reference_time, 1200000, 1200000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 1600000, 3);
    whet_judge__conclude(&f->c);
    assert_true(whet_verdict_has_rule(&f->verdict, "bimodal"));
    assert_false(f->verdict.is_gain); /* by the mean times: equal */
    assert_true(whet_verdict_score(&f->verdict) == f->verdict.total_ratio);
    assert_true(f->verdict.total_ratio < 1.01 && f->verdict.ratio > 1.19);
    whet_verdict_print(&text, &f->verdict);
    assert_non_null(strstr(whet_buf_str(&text), "1.00x by mean times; 1.20x"));
    whet_buf_deinit(&text);
    teardown(f);
}

static void test_judge_gain__a_long_tail_is_told(void **state)
{
    struct fixture *f = setup(20, 0.001);

    (void)state;
    /* One call in thirty is three times as long: no cluster, but a mean 7 %
     * above the median. */
    add_calls(&f->verdict.reference_time, 1200000, 1200000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 3000000, 30);
    whet_judge__conclude(&f->c);
    assert_true(whet_verdict_has_rule(&f->verdict, "bimodal"));
    assert_non_null(strstr(f->verdict.rules[0].text, "1.07"));
    teardown(f);
}

static void test_judge_gain__what_both_arms_show_is_the_machine(void **state)
{
    struct fixture *f = setup(20, 0.001);

    (void)state;
    add_calls(&f->verdict.reference_time, 1200000, 1900000, 3);
    add_calls(&f->verdict.candidate_time, 1000000, 1600000, 3);
    whet_judge__conclude(&f->c);
    assert_int_equal(f->verdict.rule_count, 0);
    assert_true(f->verdict.is_gain);
    teardown(f);
}

static void test_judge_gain__failed_controls_forbid_it(void **state)
{
    struct fixture *f = setup(20, 0.001);

    (void)state;
    add_calls(&f->verdict.reference_time, 1200000, 1200000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 1000000, 2);
    whet_judge__rule(&f->verdict, "controls-failed", "");
    whet_judge__conclude(&f->c);
    assert_true(f->verdict.has_ratio);
    assert_false(f->verdict.is_gain);
    teardown(f);
}

/* What a native kernel could spare itself by taking its worker's place must not
 * make a gain; other devices launch from a trusted process. */
static void test_judge_gain__is_not_made_of_overhead(void **state)
{
    const whet_device_ops native = {.caps = WHET_DEVICE_CAP_NATIVE};
    const whet_device_ops other = {.caps = WHET_DEVICE_CAP_LIVE};
    struct fixture *f = setup(20, 0.01);
    uint64_t mean_ns;

    (void)state;
    add_calls(&f->verdict.reference_time, 1200000, 1200000, 2);
    add_calls(&f->verdict.candidate_time, 1000000, 1000000, 2);
    f->judge.ops = &native;
    mean_ns = f->verdict.reference_time.total_ns / CALLS;
    f->verdict.launch_ns = mean_ns / 3;
    whet_judge__conclude(&f->c);
    assert_false(f->verdict.is_gain);
    assert_true(whet_verdict_has_rule(&f->verdict, "overhead"));
    f->verdict.rule_count = 0;
    f->verdict.launch_ns = mean_ns / 100;
    whet_judge__conclude(&f->c);
    assert_true(f->verdict.is_gain);
    f->judge.ops = &other;
    f->verdict.launch_ns = mean_ns / 3;
    whet_judge__conclude(&f->c);
    assert_true(f->verdict.is_gain);
    teardown(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_gain__is_not_made_of_overhead),
        cmocka_unit_test(test_judge_gain__a_clear_ratio_is_one),
        cmocka_unit_test(test_judge_gain__the_best_of_many_needs_more),
        cmocka_unit_test(test_judge_gain__one_of_one_is_not_corrected),
        cmocka_unit_test(test_judge_gain__two_kinds_of_times_are_told),
        cmocka_unit_test(test_judge_gain__a_long_tail_is_told),
        cmocka_unit_test(test_judge_gain__what_both_arms_show_is_the_machine),
        cmocka_unit_test(test_judge_gain__failed_controls_forbid_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
