/* The timing protocol on the null device, whose times and failures are
 * scripted. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <math.h>
#include <string.h>

static const char twice_as_fast[] =
    "{\"whet_script\": 1, \"default\": {\"time_ns\": 1000000},"
    " \"rules\": [{\"match\": \" SPEED=2 \", \"time_ns\": 500000}]}";

static whet_protocol blocks_of(unsigned blocks, unsigned pairs)
{
    whet_protocol p = {.name = "test",
                       .blocks = blocks,
                       .pairs_per_block = pairs,
                       .warmup_calls = 1,
                       .reference_budget_ns = 60000000000u,
                       .min_gain = 0.01};

    return p;
}

static whet_verdict compare(kit_session *s, const whet_protocol *protocol)
{
    whet_verdict v;
    whet_err err = {0};

    if (whet_judge_compare(&v, s->judge, s->arms[0], s->arms[1], protocol,
                           &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return v;
}

static whet_verdict compare_script(const char *script, unsigned blocks,
                                   unsigned pairs)
{
    kit_session *s = kit_open_session(script);
    whet_protocol p = blocks_of(blocks, pairs);
    whet_verdict v = compare(s, &p);

    kit_close_session(s);
    return v;
}

static void test_judge_compare__steady_times_give_their_ratio(void **state)
{
    whet_verdict v = compare_script(twice_as_fast, 4, 3);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_true(v.has_ratio && v.is_gain);
    assert_true(fabs(v.ratio - 2) < 1e-9);
    assert_true(fabs(v.ratio_lo - 2) < 1e-9 && fabs(v.ratio_hi - 2) < 1e-9);
    assert_true(fabs(v.total_ratio - 2) < 1e-9);
    assert_int_equal(v.block_count, 4);
    assert_int_equal(v.candidate_time.call_count, 12);
    assert_int_equal(v.reference_time.call_count, 12);
    assert_int_equal(v.candidate_time.median_ns, 500000);
    assert_int_equal(v.candidate_time.total_ns, 6000000);
    assert_int_equal(v.candidate_time.block_index[11], 3);
    assert_int_equal(v.verified_calls, 13); /* one to warm up */
    assert_int_equal(v.evidence, WHET_EVIDENCE_SCRIPTED);
    assert_string_equal(v.point, "SPEED=2");
    assert_string_equal(v.protocol, "test");
    assert_int_equal(v.spend.device_ns, 12 * 1500000 + 1500000);
    whet_verdict_deinit(&v);
}

static void test_judge_compare__interval_follows_the_noise(void **state)
{
    static const char noisy[] =
        "{\"whet_script\": 1, \"default\": {\"jitter_pct\": 20}}";
    whet_verdict v = compare_script(noisy, 12, 8);
    double half = log(v.ratio_hi / v.ratio_lo) / 2;

    (void)state;
    /* Medians of 8 calls uniform within 20 % spread by some 6 % (the median of
     * n uniform draws has variance 1 / (4 (n + 2)) of the width squared); two
     * arms and 12 blocks: 2.2 * 6 % * sqrt(2 / 12). */
    assert_true(half > 0.01 && half < 0.12);
    assert_true(v.ratio_lo < v.ratio && v.ratio < v.ratio_hi);
    assert_true(v.ratio_lo < 1 && v.ratio_hi > 1);
    assert_false(v.is_gain);
    assert_true(v.candidate_time.p5_ns < v.candidate_time.median_ns);
    assert_true(v.candidate_time.median_ns < v.candidate_time.p95_ns);
    whet_verdict_deinit(&v);
}

static void test_judge_compare__intervals_hold_the_truth_mostly(void **state)
{
    unsigned seed, hits = 0;

    (void)state;
    for (seed = 0; seed < 100; seed++) {
        char script[256];
        whet_verdict v;

        snprintf(script, sizeof script,
                 "{\"whet_script\": 1, \"seed\": %u,"
                 " \"default\": {\"jitter_pct\": 20},"
                 " \"rules\": [{\"match\": \" SPEED=2 \","
                 " \"time_ns\": 800000}]}",
                 seed);
        v = compare_script(script, 8, 4);
        hits += v.ratio_lo <= 1.25 && 1.25 <= v.ratio_hi;
        whet_verdict_deinit(&v);
    }
    /* 95 of 100 are expected; fewer than 86 would be four deviations off. The
     * seeds are fixed, so this cannot fail by chance from one run to another.
     */
    assert_in_range(hits, 87, 100);
}

static void test_judge_compare__a_single_block_proves_no_gain(void **state)
{
    whet_verdict v = compare_script(twice_as_fast, 1, 10);

    (void)state;
    assert_true(v.has_ratio);
    assert_true(v.ratio_lo == 0 && isinf(v.ratio_hi));
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
}

static void test_judge_compare__a_small_gain_must_exceed_the_least(void **state)
{
    static const char half_a_percent[] =
        "{\"whet_script\": 1, \"default\": {\"time_ns\": 1005000},"
        " \"rules\": [{\"match\": \" SPEED=2 \", \"time_ns\": 1000000}]}";
    whet_verdict v = compare_script(half_a_percent, 4, 2);

    (void)state;
    assert_true(v.ratio_lo > 1.004);
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
}

static void test_judge_compare__hopeless_candidates_are_dropped(void **state)
{
    static const char slow[] =
        "{\"whet_script\": 1,"
        " \"rules\": [{\"match\": \" SPEED=2 \", \"time_ns\": 3000000}]}";
    kit_session *s = kit_open_session(slow);
    whet_protocol p = blocks_of(6, 2);
    whet_verdict v;

    (void)state;
    p.drop_ratio = 0.5;
    v = compare(s, &p);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_int_equal(v.block_count, 1);
    assert_int_equal(v.candidate_time.call_count, 2);
    assert_string_not_equal(v.message, "");
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
    p.drop_ratio = 0.3;
    v = compare(s, &p);
    assert_int_equal(v.block_count, 6);
    assert_string_equal(v.message, "");
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__dear_references_are_called_less(void **state)
{
    static const char dear[] =
        "{\"whet_script\": 1, \"default\": {\"time_ns\": 1000000000},"
        " \"rules\": [{\"match\": \" SPEED=2 \", \"time_ns\": 500000}]}";
    kit_session *s = kit_open_session(dear);
    whet_protocol p = blocks_of(4, 10);
    whet_verdict v;

    (void)state;
    p.reference_budget_ns = 12000000000u; /* three calls a block */
    v = compare(s, &p);
    assert_int_equal(v.reference_time.call_count, 12);
    assert_int_equal(v.candidate_time.call_count, 40);
    assert_int_equal(v.block_count, 4);
    whet_verdict_deinit(&v);
    p.reference_budget_ns = 1; /* never fewer than one */
    v = compare(s, &p);
    assert_int_equal(v.reference_time.call_count, 4);
    assert_int_equal(v.candidate_time.call_count, 40);
    assert_true(fabs(v.ratio - 2000) < 1e-6);
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__call_counts_do_not_depend_on_it(void **state)
{
    static const char *const scripts[] = {
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
        " \"time_ns\": 1}]}",
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
        " \"time_ns\": 900000000}]}",
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
        " \"jitter_pct\": 90}]}"};
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        whet_verdict v = compare_script(scripts[i], 5, 7);

        assert_int_equal(v.candidate_time.call_count, 35);
        assert_int_equal(v.reference_time.call_count, 35);
        whet_verdict_deinit(&v);
    }
}

static void test_judge_compare__one_late_failure_refuses(void **state)
{
    static const char late[] =
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
        " \"fail\": \"mismatch\", \"fail_from_call\": 24}]}";
    whet_verdict v = compare_script(late, 4, 6);

    (void)state;
    /* Call 0 warms up; calls 1 to 24 are timed, of which the last fails. */
    assert_int_equal(v.outcome, WHET_OUTCOME_WRONG);
    assert_int_equal(v.reason, WHET_REASON_MISMATCH);
    assert_string_not_equal(v.message, "");
    assert_false(v.has_ratio || v.is_gain);
    assert_int_equal(v.verified_calls, 24);
    assert_int_equal(v.candidate_time.call_count, 23);
    whet_verdict_deinit(&v);
}

static void test_judge_compare__each_reason_comes_through(void **state)
{
    int i;

    (void)state;
    for (i = WHET_REASON_MISMATCH; i < WHET_REASON_COUNT; i++) {
        char script[256];
        whet_verdict v;

        snprintf(script, sizeof script,
                 "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
                 " \"fail\": \"%s\"}]}",
                 whet_reason_name((whet_reason)i));
        v = compare_script(script, 2, 2);
        assert_int_equal(v.reason, i);
        assert_int_equal(v.outcome, whet_reason_outcome((whet_reason)i));
        assert_string_not_equal(v.message, "");
        assert_int_equal(v.verified_calls, 0);
        whet_verdict_deinit(&v);
    }
}

static void expect_reference_failure(unsigned from_call)
{
    char script[256];
    kit_session *s;
    whet_protocol p = blocks_of(3, 4);
    whet_verdict v;
    whet_err err = {0};

    snprintf(script, sizeof script,
             "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=1 \","
             " \"fail\": \"guard\", \"fail_from_call\": %u}]}",
             from_call);
    s = kit_open_session(script);
    assert_int_equal(
        whet_judge_compare(&v, s->judge, s->arms[0], s->arms[1], &p, &err),
        WHET_EFAIL);
    assert_non_null(strstr(err.msg, "reference"));
    assert_non_null(strstr(err.msg, "guard"));
    assert_false(v.has_ratio);
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__a_failing_reference_ends_it(void **state)
{
    (void)state;
    expect_reference_failure(0);
    expect_reference_failure(7);
}

static void test_judge_compare__cancelling_stops_it(void **state)
{
    kit_session *s = kit_open_session(twice_as_fast);
    whet_protocol p = blocks_of(3, 4);
    volatile int cancel = 1;
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    s->judge->opts.cancel = &cancel;
    assert_int_equal(
        whet_judge_compare(&v, s->judge, s->arms[0], s->arms[1], &p, &err),
        WHET_ECANCELLED);
    assert_string_not_equal(err.msg, "");
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__times_below_the_floor_are_refused(void **state)
{
    kit_session *s = kit_open_session(twice_as_fast);
    whet_protocol p = blocks_of(3, 4);
    whet_verdict v;

    (void)state;
    s->judge->floor_ns = 600000;
    v = compare(s, &p);
    assert_int_equal(v.outcome, WHET_OUTCOME_INTEGRITY);
    assert_int_equal(v.reason, WHET_REASON_BELOW_FLOOR);
    assert_string_not_equal(v.message, "");
    whet_verdict_deinit(&v);
    s->judge->floor_ns = 500000;
    v = compare(s, &p);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__aa_of_equal_times_is_one(void **state)
{
    kit_session *s = kit_open_session(twice_as_fast);
    whet_protocol p = blocks_of(3, 4);
    double ratio, lo, hi;
    whet_verdict v;

    (void)state;
    assert_true(isnan(s->judge->aa_error));
    assert_int_equal(
        whet_judge_aa(&ratio, &lo, &hi, s->judge, s->arms[0], 4, 2, NULL),
        WHET_OK);
    assert_true(fabs(ratio - 1) < 1e-9 && lo <= ratio && ratio <= hi);
    assert_true(s->judge->aa_error < 1e-9);
    v = compare(s, &p);
    assert_true(v.aa_error < 1e-9);
    assert_true(v.is_gain);
    whet_verdict_deinit(&v);
    /* A gain must exceed three errors of the A/A control. */
    s->judge->aa_error = 0.34;
    v = compare(s, &p);
    assert_true(v.aa_error == 0.34);
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_compare__aa_of_a_failing_arm_fails(void **state)
{
    static const char failing[] =
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=1 \","
        " \"fail\": \"mismatch\"}]}";
    kit_session *s = kit_open_session(failing);
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_judge_aa(NULL, NULL, NULL, s->judge, s->arms[0], 4, 2, &err),
        WHET_EFAIL);
    assert_string_not_equal(err.msg, "");
    assert_true(isnan(s->judge->aa_error));
    kit_close_session(s);
}

static void test_judge_compare__same_script_same_verdict(void **state)
{
    static const char noisy[] =
        "{\"whet_script\": 1, \"seed\": 7, \"default\": {\"jitter_pct\": 30}}";
    whet_verdict a = compare_script(noisy, 6, 3);
    whet_verdict b = compare_script(noisy, 6, 3);

    (void)state;
    assert_memory_equal(a.candidate_time.call_ns, b.candidate_time.call_ns,
                        a.candidate_time.call_count * sizeof(uint64_t));
    assert_true(a.ratio == b.ratio && a.ratio_lo == b.ratio_lo);
    assert_int_equal(a.spend.wall_ns, b.spend.wall_ns);
    whet_verdict_deinit(&a);
    whet_verdict_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_compare__steady_times_give_their_ratio),
        cmocka_unit_test(test_judge_compare__interval_follows_the_noise),
        cmocka_unit_test(test_judge_compare__intervals_hold_the_truth_mostly),
        cmocka_unit_test(test_judge_compare__a_single_block_proves_no_gain),
        cmocka_unit_test(
            test_judge_compare__a_small_gain_must_exceed_the_least),
        cmocka_unit_test(test_judge_compare__hopeless_candidates_are_dropped),
        cmocka_unit_test(test_judge_compare__dear_references_are_called_less),
        cmocka_unit_test(test_judge_compare__call_counts_do_not_depend_on_it),
        cmocka_unit_test(test_judge_compare__one_late_failure_refuses),
        cmocka_unit_test(test_judge_compare__each_reason_comes_through),
        cmocka_unit_test(test_judge_compare__a_failing_reference_ends_it),
        cmocka_unit_test(test_judge_compare__cancelling_stops_it),
        cmocka_unit_test(test_judge_compare__times_below_the_floor_are_refused),
        cmocka_unit_test(test_judge_compare__aa_of_equal_times_is_one),
        cmocka_unit_test(test_judge_compare__aa_of_a_failing_arm_fails),
        cmocka_unit_test(test_judge_compare__same_script_same_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
