/* Whole judgements on a device with memory of its own, played by a worker of
 * ordinary memory: what is copied, what is timed, who is blamed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_device.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static whet_protocol protocol(void)
{
    whet_protocol p = whet_protocol_confirm(6);

    p.blocks = 2;
    p.pairs_per_block = 3;
    p.generations = 2;
    p.hidden_shapes = 0;
    p.public_shapes = false;
    return p;
}

static whet_status compare(whet_verdict *out, fake_session *s,
                           const whet_protocol *p, whet_err *err)
{
    return whet_judge_compare(out, s->judge, s->arms[0], s->arms[1], p, err);
}

/* Reason of a candidate beside a good reference. */
static whet_reason reason_of(const char *word, char message[512])
{
    fake_session *s = fake_open(0, FAKE_GOOD, word);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};
    whet_reason reason;

    if (strcmp(word, FAKE_HANG) == 0)
        s->judge->opts.call_timeout_ns = s->judge->call_timeout_ns = 100000000u;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    reason = v.reason;
    if (message != NULL)
        memcpy(message, v.message, 512);
    if (reason != WHET_REASON_NONE)
        assert_string_not_equal(v.message, "");
    whet_verdict_deinit(&v);
    fake_close(s);
    return reason;
}

static void test_judge_stage__times_are_the_devices(void **state)
{
    fake_session *s = fake_open(0, FAKE_SLOW, FAKE_GOOD);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    p.hidden_shapes = 2;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_int_equal(v.candidate_time.call_count, 6);
    assert_int_equal(v.candidate_time.median_ns, 1000);
    assert_int_equal(v.reference_time.median_ns, 2000);
    assert_true(v.ratio == 2.0 && v.is_gain);
    /* 6 calls, 2 warm-ups, 2 calls on each of 2 shapes. */
    assert_int_equal(v.verified_calls, 12);
    assert_int_equal(v.shapes_verified, 2);
    assert_true(v.spend.device_ns > 0 && v.spend.verify_ns > 0);
    assert_false(s->arms[0]->worker.is_running);
    assert_false(s->arms[1]->worker.is_running);
    whet_verdict_deinit(&v);
    fake_close(s);
}

static void test_judge_stage__wrong_kernels_are_found(void **state)
{
    (void)state;
    assert_int_equal(reason_of(FAKE_NOTHING, NULL), WHET_REASON_UNWRITTEN);
    assert_int_equal(reason_of(FAKE_BEHIND, NULL), WHET_REASON_GUARD);
    assert_int_equal(reason_of(FAKE_INPUT, NULL), WHET_REASON_INPUT);
}

static void test_judge_stage__stray_writes_show_at_the_end(void **state)
{
    char message[512];

    (void)state;
    assert_int_equal(reason_of(FAKE_STRAY, message), WHET_REASON_GUARD);
    assert_non_null(strstr(message, "another call"));
}

static void test_judge_stage__failing_calls_are_blamed(void **state)
{
    char message[512];

    (void)state;
    assert_int_equal(reason_of(FAKE_FAIL, message), WHET_REASON_LAUNCH);
    assert_non_null(strstr(message, "illegal address"));
    assert_int_equal(reason_of(FAKE_DIE, NULL), WHET_REASON_CRASH);
    assert_int_equal(reason_of(FAKE_NO_WAY_BACK, message), WHET_REASON_LAUNCH);
    assert_non_null(strstr(message, "link is down"));
    assert_int_equal(reason_of(FAKE_HANG, NULL), WHET_REASON_CALL_TIMEOUT);
}

static void test_judge_stage__clocks_and_caches_are_settled(void **state)
{
    char message[512];

    (void)state;
    assert_int_equal(reason_of(FAKE_SETTLE, message), WHET_REASON_LAUNCH);
    assert_non_null(strstr(message, "spin 2000000 flush 2000"));
}

static void expect_broken(uint32_t index, const char *word, const char *part)
{
    fake_session *s = fake_open(index, FAKE_GOOD, word);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    assert_int_equal(compare(&v, s, &p, &err), WHET_EFAIL);
    if (strstr(err.msg, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", err.msg, part);
    whet_verdict_deinit(&v);
    fake_close(s);
}

/* None of this is the candidate's doing. */
static void test_judge_stage__a_broken_device_breaks_the_session(void **state)
{
    (void)state;
    expect_broken(0, FAKE_NO_TIME, "give 0 ns");
    expect_broken(0, FAKE_LONG_TIME, "give 3600000000000 ns");
    expect_broken(FAKE_INDEX_FULL, FAKE_GOOD, "no memory is free");
    expect_broken(FAKE_INDEX_NO_COPY, FAKE_GOOD, "link is down");
}

static void test_judge_stage__a_third_of_the_memory_each(void **state)
{
    fake_session *s = fake_open(0, FAKE_GOOD, FAKE_GOOD);
    whet_worker worker;
    whet_call blame;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_judge__room_bytes(s->judge), 16u << 20);
    s->device.facts.limits.memory_bytes = 6u << 20;
    assert_int_equal(whet_judge__worker_begin(&worker, &blame, s->judge, 0,
                                              &s->arms[0]->image,
                                              &s->arms[0]->plan, NULL, &err),
                     WHET_OK);
    assert_int_equal(blame.reason, WHET_REASON_PLAN_LIMIT);
    assert_non_null(strstr(blame.text, "a third of the device's memory"));
    assert_false(worker.is_running);
    s->device.facts.llc_bytes = 0;
    assert_int_equal(whet_judge__flush_bytes(s->judge), 256u << 20);
    fake_close(s);
}

static void test_judge_stage__exclusive_cards_take_one_at_a_time(void **state)
{
    fake_session *s = fake_open(FAKE_INDEX_EXCLUSIVE, FAKE_SLOW, FAKE_GOOD);
    whet_protocol p = protocol();
    double ratio = 0.0;
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    p.hidden_shapes = 1;
    p.blocks = 3;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_true(v.ratio == 2.0);
    assert_int_equal(v.block_count, 3);
    assert_int_equal(v.candidate_time.call_count, 9);
    assert_int_equal(v.reference_time.call_count, 9);
    whet_verdict_deinit(&v);
    if (whet_judge_aa(&ratio, NULL, NULL, s->judge, s->arms[0], 2, 2, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    assert_true(ratio == 1.0);
    /* Side by side, the card would have told. */
    s->device.facts.is_exclusive = WHET_UNKNOWN;
    assert_int_equal(compare(&v, s, &p, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "the card is in use"));
    whet_verdict_deinit(&v);
    fake_close(s);
}

static void test_judge_stage__exclusive_cards_blame_alike(void **state)
{
    fake_session *s = fake_open(FAKE_INDEX_EXCLUSIVE, FAKE_GOOD, FAKE_STRAY);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(v.reason, WHET_REASON_GUARD);
    whet_verdict_deinit(&v);
    fake_close(s);
    s = fake_open(FAKE_INDEX_EXCLUSIVE, FAKE_NOTHING, FAKE_GOOD);
    assert_int_equal(compare(&v, s, &p, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "the reference kernel fails"));
    whet_verdict_deinit(&v);
    fake_close(s);
}

/* A reference that becomes the candidate changes stages. */
static void test_judge_stage__arms_change_places(void **state)
{
    fake_session *s = fake_open(0, FAKE_SLOW, FAKE_GOOD);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    p.generations = 0;
    assert_int_equal(compare(&v, s, &p, &err), WHET_OK);
    assert_true(v.ratio == 2.0);
    assert_true(s->arms[0]->worker.is_running);
    whet_verdict_deinit(&v);
    assert_int_equal(
        whet_judge_compare(&v, s->judge, s->arms[1], s->arms[0], &p, &err),
        WHET_OK);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_true(v.ratio == 0.5);
    whet_verdict_deinit(&v);
    fake_close(s);
}

static void test_judge_stage__time_outside_the_events_is_found(void **state)
{
    fake_session *s = fake_open(0, FAKE_SLOW, FAKE_HIDES);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    p.pairs_per_block = 6;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    /* By the events it is twice as fast. */
    assert_true(v.ratio == 2.0);
    assert_true(whet_verdict_has_rule(&v, "conservation"));
    assert_true(whet_verdict_has_rule(&v, "voids"));
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
    fake_close(s);
}

static whet_verdict with_controls(const whet_calibration *known,
                                  const char *driver)
{
    fake_session *s = fake_open(0, FAKE_SLOW, FAKE_GOOD);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    whet_strcopy(s->device.facts.driver, sizeof s->device.facts.driver, driver);
    s->judge->opts.calibration = known;
    if (compare(&v, s, &p, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    fake_close(s);
    return v;
}

static void test_judge_stage__controls_are_asked_for(void **state)
{
    whet_calibration known = {.controls = {3, 0.5}, .driver = "1"};
    whet_verdict v = with_controls(NULL, "1");

    (void)state;
    assert_true(whet_verdict_has_rule(&v, "controls-missing"));
    assert_true(v.is_gain); /* told, no more */
    whet_verdict_deinit(&v);
    v = with_controls(&known, "1");
    assert_int_equal(v.rule_count, 0);
    assert_true(v.is_gain);
    whet_verdict_deinit(&v);
    v = with_controls(&known, "2");
    assert_true(whet_verdict_has_rule(&v, "controls-missing"));
    whet_verdict_deinit(&v);
    known.controls.spin = 2;
    v = with_controls(&known, "1");
    assert_true(whet_verdict_has_rule(&v, "controls-failed"));
    assert_false(v.is_gain);
    whet_verdict_deinit(&v);
}

static void test_judge_stage__no_launch_must_be_found_wrong(void **state)
{
    fake_session *s = fake_open(FAKE_INDEX_EAGER, FAKE_GOOD, FAKE_GOOD);
    whet_protocol p = protocol();
    whet_verdict v;
    whet_err err = {0};

    (void)state;
    assert_int_equal(compare(&v, s, &p, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "no-op control"));
    assert_false(v.has_ratio);
    assert_false(s->judge->has_no_op);
    whet_verdict_deinit(&v);
    fake_close(s);
    s = fake_open(0, FAKE_GOOD, FAKE_GOOD);
    assert_int_equal(compare(&v, s, &p, &err), WHET_OK);
    assert_true(s->judge->has_no_op);
    whet_verdict_deinit(&v);
    fake_close(s);
}

/* For the exclusive card's lock; workers are told by their environment. */
static int make_folder(void **state)
{
    char *folder = NULL;

    *state = NULL;
    if (whet_fs_tempdir(&folder, "whet-test", NULL) != WHET_OK)
        return -1;
    *state = folder;
    return setenv("TMPDIR", folder, 1);
}

static int remove_folder(void **state)
{
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_stage__times_are_the_devices),
        cmocka_unit_test(test_judge_stage__wrong_kernels_are_found),
        cmocka_unit_test(test_judge_stage__stray_writes_show_at_the_end),
        cmocka_unit_test(test_judge_stage__failing_calls_are_blamed),
        cmocka_unit_test(test_judge_stage__clocks_and_caches_are_settled),
        cmocka_unit_test(test_judge_stage__a_broken_device_breaks_the_session),
        cmocka_unit_test(test_judge_stage__a_third_of_the_memory_each),
        cmocka_unit_test(test_judge_stage__exclusive_cards_take_one_at_a_time),
        cmocka_unit_test(test_judge_stage__exclusive_cards_blame_alike),
        cmocka_unit_test(test_judge_stage__arms_change_places),
        cmocka_unit_test(test_judge_stage__time_outside_the_events_is_found),
        cmocka_unit_test(test_judge_stage__controls_are_asked_for),
        cmocka_unit_test(test_judge_stage__no_launch_must_be_found_wrong),
    };

    if (argc == 2 && strcmp(argv[1], "__worker") == 0)
        whet_judge__worker_main(fake_find);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
