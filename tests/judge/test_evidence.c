/* Blocks that outside evidence voids, on the null device with a machine whose
 * looks are scripted. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/compare_priv.h"
#include "judge_kit.h"

#include <math.h>
#include <string.h>

static const char twice_as_fast[] =
    "{\"whet_script\": 1, \"default\": {\"time_ns\": 1000000},"
    " \"rules\": [{\"match\": \" SPEED=2 \", \"time_ns\": 500000}]}";

static whet_machine quiet(void)
{
    whet_machine m = {.now_ns = 1000,
                      .throttle_count = NAN,
                      .throttled_ns = NAN,
                      .slowdown = NAN,
                      .ecc_count = NAN,
                      .clock_mhz = NAN,
                      .foreign_count = NAN,
                      .busy_ticks = NAN,
                      .own_ticks = NAN,
                      .all_ticks = NAN};

    return m;
}

static void test_judge_evidence__what_is_unknown_voids_nothing(void **state)
{
    whet_machine before = quiet(), after = quiet(), known = quiet();
    char text[120];

    (void)state;
    after.now_ns = 1000000000u;
    assert_null(whet_judge__void_rule(text, &before, &after));
    known.throttle_count = known.throttled_ns = known.ecc_count = 7;
    known.clock_mhz = 1980;
    known.foreign_count = known.slowdown = 0;
    assert_null(whet_judge__void_rule(text, &before, &known));
    assert_null(whet_judge__void_rule(text, &known, &before));
    /* What happened before is not of this block. */
    after = known;
    after.now_ns = 1000000000u;
    assert_null(whet_judge__void_rule(text, &known, &after));
}

static void test_judge_evidence__each_trouble_has_its_rule(void **state)
{
    whet_machine before = quiet(), after;
    char text[120];

    (void)state;
    before.throttle_count = before.throttled_ns = before.ecc_count = 7;
    before.clock_mhz = 1980;
    before.foreign_count = before.slowdown = 0;
    after = before;
    after.now_ns = 1000001000u; /* a second later */
    after.throttled_ns += 9e6;  /* below 1 % of it */
    after.clock_mhz = 1965;     /* a step of 0.8 % */
    assert_null(whet_judge__void_rule(text, &before, &after));
    after.clock_mhz = 1950;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-clock");
    assert_non_null(strstr(text, "1950"));
    after.throttled_ns += 2e6;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-throttle");
    after.throttled_ns = before.throttled_ns;
    after.throttle_count++;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-throttle");
    after.throttle_count--;
    after.slowdown = 1;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-throttle");
    after.foreign_count = 1;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-foreign");
    after.ecc_count++;
    assert_string_equal(whet_judge__void_rule(text, &before, &after),
                        "void-ecc");
    assert_string_not_equal(text, "");
}

static void test_judge_evidence__hidden_time_is_found(void **state)
{
    double reference[8], candidate[8];
    unsigned i, hidden_us;

    (void)state;
    for (hidden_us = 0; hidden_us <= 400; hidden_us += 100) {
        for (i = 0; i < 8; i++) {
            reference[i] = 2.1e6 + 1000.0 * i;
            candidate[i] = reference[i] + 1000.0 * hidden_us;
        }
        candidate[7] += 1e9; /* one call that waited long is no evidence */
        /* 0.2 ms, and 4 deviations of 1.4826 * 2000 ns. */
        assert_true((whet_judge__hidden_ns(reference, 8, candidate, 8, 1e6) >
                     0) == (hidden_us > 211));
    }
}

static void
test_judge_evidence__hidden_time_below_a_percent_is_left(void **state)
{
    double reference[8], candidate[8];
    unsigned i;

    (void)state;
    for (i = 0; i < 8; i++) {
        reference[i] = 2.1e6;
        candidate[i] = 3.0e6;
    }
    assert_true(whet_judge__hidden_ns(reference, 8, candidate, 8, 100e6) == 0);
    assert_true(whet_judge__hidden_ns(reference, 8, candidate, 8, 80e6) > 0);
    assert_true(whet_judge__hidden_ns(reference, 4, candidate, 8, 1e6) == 0);
    assert_true(whet_judge__hidden_ns(reference, 8, candidate, 4, 1e6) == 0);
}

/* --- whole comparisons ---------------------------------------------------- */

/* What looks answer follows from the number of the look, kept in the session's
 * own order counter: blocks begun so far. */
static void errors_in_two_blocks(whet_machine *out, const whet_judge *judge,
                                 const pid_t *own)
{
    (void)own;
    *out = quiet();
    out->ecc_count = (judge->order_step > 3) + (judge->order_step > 7);
}

static void errors_in_each_block(whet_machine *out, const whet_judge *judge,
                                 const pid_t *own)
{
    (void)own;
    *out = quiet();
    out->ecc_count = (double)judge->order_step;
}

static void busy_machine(whet_machine *out, const whet_judge *judge,
                         const pid_t *own)
{
    (void)own;
    *out = quiet();
    out->all_ticks = 100.0 * (double)judge->order_step;
    out->busy_ticks = 0.9 * out->all_ticks;
    out->own_ticks = 0.4 * out->all_ticks;
}

static whet_verdict compare(void (*look)(whet_machine *, const whet_judge *,
                                         const pid_t *),
                            whet_protocol p, bool is_watched)
{
    kit_session *s = kit_open_session(twice_as_fast);
    whet_verdict v;
    whet_err err = {0};

    s->judge->look = look;
    p.is_watched = is_watched;
    if (whet_judge_compare(&v, s->judge, s->arms[0], s->arms[1], &p, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    kit_close_session(s);
    return v;
}

static uint32_t count_of(const whet_verdict *v, const char *name)
{
    uint32_t i;

    for (i = 0; i < v->rule_count; i++)
        if (strcmp(v->rules[i].name, name) == 0)
            return v->rules[i].count;
    return 0;
}

static void test_judge_evidence__void_blocks_are_repeated(void **state)
{
    whet_protocol p = whet_protocol_timing("test", 12, 2);
    whet_verdict v = compare(errors_in_two_blocks, p, true);

    (void)state;
    assert_int_equal(count_of(&v, "void-ecc"), 2);
    assert_int_equal(count_of(&v, "voids"), 0);
    assert_int_equal(v.block_count, 12);
    /* For both arms alike, and not in the sums either. */
    assert_int_equal(v.candidate_time.call_count, 24);
    assert_int_equal(v.reference_time.call_count, 24);
    assert_int_equal(v.candidate_time.total_ns, 24 * 500000);
    assert_int_equal(v.candidate_time.block_index[23], 11);
    /* Verified they were all the same: 28, and 4 to warm up. */
    assert_int_equal(v.verified_calls, 32);
    assert_true(v.is_gain);
    whet_verdict_deinit(&v);
}

static void test_judge_evidence__too_many_voids_leave_no_gain(void **state)
{
    whet_protocol p = whet_protocol_timing("test", 12, 2);
    whet_verdict v = compare(errors_in_each_block, p, true);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_int_equal(count_of(&v, "voids"), 1);
    assert_true(count_of(&v, "void-ecc") > 2);
    assert_false(v.is_gain);
    /* Yet as many calls are verified as ever, and it ends. */
    assert_int_equal(v.candidate_time.call_count, 24);
    assert_true(v.ratio_lo > 1.9);
    whet_verdict_deinit(&v);
}

static void test_judge_evidence__screenings_are_not_watched(void **state)
{
    whet_verdict v = compare(errors_in_each_block, whet_protocol_screen(12),
                             whet_protocol_screen(12).is_watched);

    (void)state;
    assert_int_equal(v.rule_count, 0);
    assert_true(v.is_gain);
    whet_verdict_deinit(&v);
}

static void test_judge_evidence__foreign_load_is_told(void **state)
{
    whet_verdict v =
        compare(busy_machine, whet_protocol_timing("test", 6, 2), true);

    (void)state;
    assert_int_equal(count_of(&v, "foreign-load"), 1);
    assert_non_null(strstr(v.rules[0].text, "50 %"));
    assert_true(v.is_gain); /* and no more than that */
    whet_verdict_deinit(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_evidence__what_is_unknown_voids_nothing),
        cmocka_unit_test(test_judge_evidence__each_trouble_has_its_rule),
        cmocka_unit_test(test_judge_evidence__hidden_time_is_found),
        cmocka_unit_test(
            test_judge_evidence__hidden_time_below_a_percent_is_left),
        cmocka_unit_test(test_judge_evidence__void_blocks_are_repeated),
        cmocka_unit_test(test_judge_evidence__too_many_voids_leave_no_gain),
        cmocka_unit_test(test_judge_evidence__screenings_are_not_watched),
        cmocka_unit_test(test_judge_evidence__foreign_load_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
