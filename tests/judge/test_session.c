/* Sessions: what they know of the device before anything is judged. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <math.h>
#include <string.h>

static whet_judge_opts opts_of(const kit_session *s)
{
    whet_judge_opts opts = {.device = &s->device, .task = s->task};

    assert_int_equal(
        whet_task_workload(&opts.workload, s->task, "M=8,N=8,K=8", NULL),
        WHET_OK);
    return opts;
}

static void test_judge_session__replay_needs_no_other_process(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");

    (void)state;
    assert_true(s->judge->verifier.fd < 0);
    assert_null(s->judge->reference);
    assert_true(isnan(s->judge->aa_error));
    assert_string_equal(s->judge->workload_text, "M=8 N=8 K=8");
    assert_int_equal(s->judge->limit_ns, 0);
    kit_close_session(s);
    whet_judge_close(NULL);
}

static void test_judge_session__calibration_gives_the_limit(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_calibration calibration = {
        .copy_bytes_per_s = 1e9,
        .rate_count = 1,
        .rates = {{.name = "f32.vector", .ops_per_s = 1e9}},
        .launch_ns = 77};
    whet_judge_opts opts = opts_of(s);
    whet_hash hash = whet_hash_bytes("c", 1);
    whet_verdict v;
    whet_judge *judge;

    (void)state;
    opts.calibration = &calibration;
    assert_int_equal(whet_judge_open(&judge, &opts, NULL), WHET_OK);
    whet_judge__verdict_init(&v, judge, "-", &hash);
    /* 2 * 8^3 operations take 1024 ns, 3 * 4 * 64 bytes take 768 ns. */
    assert_int_equal(v.limit_ns, 1024);
    assert_int_equal(v.launch_ns, 77);
    assert_string_equal(v.candidate.text, hash.text);
    assert_int_equal(v.evidence, WHET_EVIDENCE_SCRIPTED);
    whet_verdict_deinit(&v);
    whet_judge_close(judge);
    kit_close_session(s);
}

static void test_judge_session__uncountable_work_is_refused(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_judge_opts opts = opts_of(s);
    whet_judge *judge = (whet_judge *)1;
    whet_err err = {0};
    int i;

    (void)state;
    for (i = 0; i < 3; i++)
        opts.workload.dim[i] = INT64_MAX / 2;
    assert_int_equal(whet_judge_open(&judge, &opts, &err), WHET_EINVAL);
    assert_null(judge);
    assert_string_not_equal(err.msg, "");
    kit_close_session(s);
}

static void test_judge_session__keys_differ(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_key a, b;

    (void)state;
    assert_int_equal(whet_judge__key(&a, s->judge, NULL), WHET_OK);
    assert_int_equal(whet_judge__key(&b, s->judge, NULL), WHET_OK);
    assert_memory_not_equal(&a, &b, sizeof a);
    kit_close_session(s);
}

/* What a probe would tell of a machine without user namespaces. */
static void test_judge_session__says_what_lacks_a_sandbox(void **state)
{
    const whet_device_ops gpu = {.caps = WHET_DEVICE_CAP_LIVE};
    const whet_device_ops cpu = {.caps = WHET_DEVICE_CAP_LIVE |
                                         WHET_DEVICE_CAP_NATIVE};
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_judge judge = *s->judge;
    whet_hash hash = whet_hash_bytes("c", 1);
    whet_err err = {0};
    whet_verdict v;

    (void)state;
    judge.opts.log = (whet_log){0};
    judge.ops = &cpu;
    assert_int_equal(whet_judge__need_sandbox(&judge, &err), WHET_OK);
    assert_false(judge.has_open_builds);
    whet_strcopy(judge.sandbox.reason, sizeof judge.sandbox.reason,
                 "no user namespaces");
    assert_int_equal(whet_judge__need_sandbox(&judge, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "no user namespaces"));
    judge.opts.is_unsafe = true;
    assert_int_equal(whet_judge__need_sandbox(&judge, &err), WHET_OK);
    whet_judge__verdict_init(&v, &judge, "-", &hash);
    assert_true(v.is_unsafe);
    assert_int_equal(v.rule_count, 0);
    judge.opts.is_unsafe = false;
    judge.ops = &gpu;
    assert_int_equal(whet_judge__need_sandbox(&judge, &err), WHET_OK);
    assert_true(judge.has_open_builds);
    whet_judge__verdict_init(&v, &judge, "-", &hash);
    assert_false(v.is_unsafe);
    assert_int_equal(v.rule_count, 1);
    assert_string_equal(v.rules[0].name, "no-build-sandbox");
    kit_close_session(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_session__replay_needs_no_other_process),
        cmocka_unit_test(test_judge_session__calibration_gives_the_limit),
        cmocka_unit_test(test_judge_session__uncountable_work_is_refused),
        cmocka_unit_test(test_judge_session__keys_differ),
        cmocka_unit_test(test_judge_session__says_what_lacks_a_sandbox),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
