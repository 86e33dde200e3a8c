/* Writing recordings, and that the reader takes all that is written. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay_kit.h"

#include <stdlib.h>
#include <string.h>

static const whet_device_ops *const ops = &whet_device_recorded;

static whet_device *open_recording(const char *text)
{
    whet_device *device;
    whet_err err = {0};

    if (kit_open(&device, ops, text, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return device;
}

static whet_status call_at(whet_replay_call *call, whet_device *device,
                           char digit, const char *workload, uint64_t number)
{
    whet_hash hash = kit_hash(digit);
    whet_err err = {0};
    whet_status st =
        ops->replay_call(call, device, &hash, "-", workload, number, &err);

    assert_int_equal(st == WHET_OK, err.msg[0] == '\0');
    if (st != WHET_OK)
        assert_non_null(strstr(err.msg, "not recorded"));
    return st;
}

static whet_recording *new_recording(whet_evidence evidence)
{
    whet_device_facts facts = {.backend = "opencl",
                               .index = 1,
                               .name = "cpu \xc3\xa9",
                               .arch = "x86",
                               .driver = "d 1.0",
                               .is_cpu = true,
                               .has_f16 = true,
                               .clock_mhz = 3000,
                               .llc_bytes = 1 << 20,
                               .evidence = evidence};
    whet_hash task_hash = kit_hash('f');
    whet_recording *recording;

    facts.limits.cu_count = 7;
    facts.limits.grid_max[0] = UINT64_MAX;
    facts.limits.block_max[2] = 64;
    assert_int_equal(whet_recording_new(&recording, &facts, "gemm", &task_hash,
                                        42, 77, NULL),
                     WHET_OK);
    return recording;
}

static whet_device *reopen(whet_recording *recording)
{
    whet_device *device;
    json_t *root;
    char *text;

    assert_int_equal(whet_recording_finish(&root, recording, NULL), WHET_OK);
    text = whet_json_canonical(root);
    assert_non_null(text);
    device = open_recording(text);
    free(text);
    json_decref(root);
    whet_recording_free(recording);
    return device;
}

static void test_device_recording_write__reads_what_was_written(void **state)
{
    whet_recording *recording = new_recording(WHET_EVIDENCE_MEASURED);
    whet_diagnostic diagnostic = {WHET_DIAGNOSTIC_CRASH, 4, 5, "a\nb"}, got;
    whet_hash a = kit_hash('a'), b = kit_hash('b');
    const uint64_t times[] = {11, 12, 13};
    whet_replay_call call;
    whet_device *device;
    const whet_device_facts *facts;
    bool accepted;

    (void)state;
    assert_int_equal(
        whet_recording_add_build(recording, &b, "RT=8", 5, &diagnostic, NULL),
        WHET_OK);
    assert_int_equal(
        whet_recording_add_build(recording, &a, "-", UINT64_MAX, NULL, NULL),
        WHET_OK);
    assert_int_equal(
        whet_recording_add_calls(recording, &a, "M=1", times, 2, "", NULL),
        WHET_OK);
    assert_int_equal(
        whet_recording_add_calls(recording, &a, "M=1", times + 2, 1, "", NULL),
        WHET_OK);
    assert_int_equal(
        whet_recording_add_calls(recording, &a, "M=2", times, 1, "guard", NULL),
        WHET_OK);
    assert_int_equal(
        whet_recording_add_calls(recording, &a, "M=2", NULL, 0, "input", NULL),
        WHET_OK);
    assert_int_equal(whet_recording_set_hidden(recording, &a, "", NULL),
                     WHET_OK);
    device = reopen(recording);
    facts = ops->facts(device);
    assert_string_equal(facts->name, "cpu \xc3\xa9");
    assert_string_equal(facts->driver, "d 1.0");
    assert_int_equal(facts->index, 1);
    assert_true(facts->has_f16 && !facts->has_f64 && facts->is_cpu);
    assert_int_equal(facts->limits.cu_count, 7);
    assert_true(facts->limits.grid_max[0] == INT64_MAX);
    assert_int_equal(facts->limits.block_max[2], 64);
    assert_int_equal(facts->clock_mhz, 3000);
    assert_int_equal(facts->llc_bytes, 1 << 20);
    assert_int_equal(ops->replay_build(&accepted, &got, device, &b, "", NULL),
                     WHET_OK);
    assert_false(accepted);
    assert_int_equal(got.kind, WHET_DIAGNOSTIC_CRASH);
    assert_int_equal(got.column, 5);
    assert_string_equal(got.text, "a\nb");
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(call_at(&call, device, 'a', "M=1", i), WHET_OK);
        assert_int_equal(call.elapsed_ns, times[i]);
    }
    assert_int_equal(call_at(&call, device, 'a', "M=2", 0), WHET_OK);
    assert_string_equal(call.reason, "guard");
    assert_int_equal(call_at(&call, device, 'a', "M=9", 0), WHET_OK);
    assert_true(call.is_correct);
    ops->close(device);
}

static void test_device_recording_write__scripted_stays_scripted(void **state)
{
    whet_device *device = reopen(new_recording(WHET_EVIDENCE_SCRIPTED));

    (void)state;
    assert_int_equal(ops->facts(device)->evidence, WHET_EVIDENCE_SCRIPTED);
    ops->close(device);
    device = reopen(new_recording(WHET_EVIDENCE_RECORDED));
    assert_int_equal(ops->facts(device)->evidence, WHET_EVIDENCE_RECORDED);
    ops->close(device);
}

static void test_device_recording_write__a_hidden_failure_stays(void **state)
{
    whet_recording *recording = new_recording(WHET_EVIDENCE_MEASURED);
    whet_hash a = kit_hash('a');
    static const char *const reasons[] = {"", "guard", "", "crash"};
    whet_replay_call call;
    whet_device *device;

    (void)state;
    assert_int_equal(
        whet_recording_add_build(recording, &a, "-", 1, NULL, NULL), WHET_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            whet_recording_set_hidden(recording, &a, reasons[i], NULL),
            WHET_OK);
    device = reopen(recording);
    assert_int_equal(call_at(&call, device, 'a', "M=9", 0), WHET_OK);
    assert_false(call.is_correct);
    assert_string_equal(call.reason, "guard");
    ops->close(device);
}

static void expect_einval(whet_status st, const whet_err *err, const char *part)
{
    assert_int_equal(st, WHET_EINVAL);
    if (strstr(err->msg, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", err->msg, part);
}

static void
test_device_recording_write__writer_refuses_what_no_reader_takes(void **state)
{
    whet_recording *recording = new_recording(WHET_EVIDENCE_MEASURED), *none;
    whet_hash a = kit_hash('a'), x = kit_hash('x'), b = kit_hash('b');
    whet_diagnostic empty = {0};
    const uint64_t good[] = {1}, bad[] = {1, 0};
    whet_device_facts facts = {0};
    whet_err err = {0};

    (void)state;
    expect_einval(whet_recording_new(&none, &facts, "t", &x, 1, 1, &err), &err,
                  "task hash");
    assert_null(none);
    expect_einval(whet_recording_new(&none, &facts, "", &a, 1, 1, &err), &err,
                  "task name");
    expect_einval(
        whet_recording_new(&none, &facts, "t", &a, UINT64_MAX, 1, &err), &err,
        "below 2^63");
    expect_einval(whet_recording_add_build(recording, &x, "-", 1, NULL, &err),
                  &err, "candidate");
    expect_einval(whet_recording_add_build(recording, &b, "-", 1, &empty, &err),
                  &err, "kind");
    assert_int_equal(
        whet_recording_add_build(recording, &a, "-", 1, NULL, &err), WHET_OK);
    expect_einval(whet_recording_add_build(recording, &a, "-", 1, NULL, &err),
                  &err, "already");
    expect_einval(
        whet_recording_add_calls(recording, &a, "M", bad, 2, "", &err), &err,
        "call 1");
    expect_einval(
        whet_recording_add_calls(recording, &a, "M", good, 0, "", &err), &err,
        "without times");
    expect_einval(
        whet_recording_add_calls(recording, &a, "", good, 1, "", &err), &err,
        "workload");
    expect_einval(
        whet_recording_add_calls(recording, &a, "M", good, 1, "B!", &err), &err,
        "reason");
    expect_einval(whet_recording_set_hidden(recording, &a, "B!", &err), &err,
                  "reason");
    assert_int_equal(
        whet_recording_add_calls(recording, &b, "M", good, 1, "", &err),
        WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no accepted build"));
    assert_int_equal(whet_recording_set_hidden(recording, &b, "", &err),
                     WHET_ENOTFOUND);
    whet_recording_free(recording);
    whet_recording_free(NULL);
}

/* 10,000 candidates: each is found, and a stranger is not. */
static void test_device_recording_write__finds_each_of_many(void **state)
{
    enum { COUNT = 10000 };
    whet_recording *recording = new_recording(WHET_EVIDENCE_MEASURED);
    whet_hash *hashes = calloc(COUNT + 1, sizeof *hashes);
    whet_replay_call call;
    whet_device *device;

    (void)state;
    assert_non_null(hashes);
    for (uint64_t i = 0; i <= COUNT; i++)
        hashes[i] = whet_hash_bytes(&i, sizeof i);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t time_ns = i + 1;

        assert_int_equal(
            whet_recording_add_build(recording, &hashes[i], "-", 1, NULL, NULL),
            WHET_OK);
        assert_int_equal(whet_recording_add_calls(recording, &hashes[i], "M=1",
                                                  &time_ns, 1, "", NULL),
                         WHET_OK);
    }
    device = reopen(recording);
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(
            ops->replay_call(&call, device, &hashes[i], "-", "M=1", i, NULL),
            WHET_OK);
        assert_int_equal(call.elapsed_ns, i + 1);
    }
    assert_int_equal(
        ops->replay_call(&call, device, &hashes[COUNT], "-", "M=1", 0, NULL),
        WHET_ENOTFOUND);
    ops->close(device);
    free(hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_recording_write__reads_what_was_written),
        cmocka_unit_test(test_device_recording_write__scripted_stays_scripted),
        cmocka_unit_test(test_device_recording_write__a_hidden_failure_stays),
        cmocka_unit_test(
            test_device_recording_write__writer_refuses_what_no_reader_takes),
        cmocka_unit_test(test_device_recording_write__finds_each_of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
