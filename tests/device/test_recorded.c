/* Recordings: reading, replaying and writing them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/recording_priv.h"
#include "replay_kit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const whet_device_ops *const ops = &whet_device_recorded;

#define HASH_A                                                                 \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B                                                                 \
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HASH_C                                                                 \
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define HEAD                                                                   \
    "{\"whet_recording\": 1, \"device\": {\"backend\": \"opencl\", "           \
    "\"name\": \"cpu\", \"is_cpu\": true, \"limits\": {\"cu_count\": 4}}, "    \
    "\"task\": \"gemm\", \"task_hash\": \"" HASH_A "\", \"seed\": 9, "         \
    "\"epoch_ns\": 1000, \"entries\": ["
#define BUILT "\"build\": {\"accepted\": true, \"build_ns\": 70}"
#define ENTRY_A                                                                \
    "{\"candidate\": \"" HASH_A "\", \"point\": \"-\", " BUILT                 \
    ", \"workloads\": {\"M=8 N=8\": {\"times_ns\": [5, 6, 7], "                \
    "\"is_correct\": true, \"reason\": \"\"}}, \"hidden_ok\": true}"
#define ENTRY_B                                                                \
    "{\"candidate\": \"" HASH_B "\", \"point\": \"RT=8\", \"build\": "         \
    "{\"accepted\": false, \"build_ns\": 30, \"diagnostic\": {\"kind\": "      \
    "\"error\", \"line\": 3, \"column\": 2, \"text\": \"no\\u001b[31m\"}}}"
#define ENTRY_C                                                                \
    "{\"candidate\": \"" HASH_C "\", \"point\": \"-\", " BUILT                 \
    ", \"workloads\": {\"M=8 N=8\": {\"times_ns\": [], \"is_correct\": "       \
    "false, \"reason\": \"unwritten\"}}, \"hidden_ok\": false}"
#define TAIL "]}"
/* Out of order on purpose. */
#define SAMPLE HEAD ENTRY_C ", " ENTRY_A ", " ENTRY_B TAIL

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

static void test_device_recorded__replays_times_in_a_ring(void **state)
{
    whet_device *device = open_recording(SAMPLE);
    whet_clock clock = ops->clock(device);
    whet_replay_call call;

    (void)state;
    for (uint64_t i = 0; i < 9; i++) {
        assert_int_equal(call_at(&call, device, 'a', "M=8 N=8", i), WHET_OK);
        assert_true(call.is_correct);
        assert_int_equal(call.elapsed_ns, 5 + i % 3);
    }
    assert_int_equal(whet_clock_now(&clock), 3 * (5 + 6 + 7));
    assert_int_equal(whet_clock_wall(&clock), 1000 + 54);
    assert_int_equal(call_at(&call, device, 'a', "M=8 N=8", UINT64_MAX),
                     WHET_OK);
    assert_int_equal(call.elapsed_ns, 5 + UINT64_MAX % 3);
    ops->close(device);
    ops->close(NULL);
}

static void test_device_recorded__replays_builds(void **state)
{
    whet_device *device = open_recording(SAMPLE);
    whet_clock clock = ops->clock(device);
    whet_hash a = kit_hash('a'), b = kit_hash('b'), d = kit_hash('d');
    whet_diagnostic diagnostic;
    whet_err err = {0};
    bool accepted;

    (void)state;
    assert_int_equal(
        ops->replay_build(&accepted, &diagnostic, device, &a, "-", &err),
        WHET_OK);
    assert_true(accepted);
    assert_int_equal(diagnostic.kind, WHET_DIAGNOSTIC_NONE);
    assert_int_equal(
        ops->replay_build(&accepted, &diagnostic, device, &b, "RT=8", &err),
        WHET_OK);
    assert_false(accepted);
    assert_int_equal(diagnostic.kind, WHET_DIAGNOSTIC_ERROR);
    assert_int_equal(diagnostic.line, 3);
    assert_int_equal(diagnostic.column, 2);
    assert_string_equal(diagnostic.text, "no\\x1b[31m");
    assert_int_equal(whet_clock_now(&clock), 100);
    assert_int_equal(
        ops->replay_build(&accepted, &diagnostic, device, &d, "RT=9", &err),
        WHET_ENOTFOUND);
    assert_false(accepted);
    assert_non_null(strstr(err.msg, "not recorded: candidate dddddddddddd"));
    assert_non_null(strstr(err.msg, "RT=9"));
    ops->close(device);
}

static void test_device_recorded__wrong_calls_keep_their_reason(void **state)
{
    whet_device *device = open_recording(SAMPLE);
    whet_replay_call call;

    (void)state;
    assert_int_equal(call_at(&call, device, 'c', "M=8 N=8", 0), WHET_OK);
    assert_false(call.is_correct);
    assert_string_equal(call.reason, "unwritten");
    assert_int_equal(call.elapsed_ns, 0);
    ops->close(device);
}

static void test_device_recorded__one_answer_for_hidden_shapes(void **state)
{
    whet_device *device = open_recording(
        HEAD ENTRY_A ", " ENTRY_B ", " ENTRY_C
                     ", {\"candidate\": \"dddddddddddddddddddddddddddddddddddd"
                     "dddddddddddddddddddddddddddd\", \"point\": \"-\", " BUILT
                     ", \"hidden_ok\": null}" TAIL);
    whet_replay_call call;

    (void)state;
    assert_int_equal(call_at(&call, device, 'a', "M=7 N=3", 0), WHET_OK);
    assert_true(call.is_correct);
    assert_int_equal(call.elapsed_ns, 0);
    assert_int_equal(call_at(&call, device, 'c', "M=7 N=3", 0), WHET_OK);
    assert_false(call.is_correct);
    assert_string_equal(call.reason, "mismatch");
    assert_int_equal(call_at(&call, device, 'd', "M=7 N=3", 0), WHET_ENOTFOUND);
    assert_int_equal(call_at(&call, device, 'b', "M=7 N=3", 0), WHET_ENOTFOUND);
    assert_int_equal(call_at(&call, device, 'e', "M=7 N=3", 0), WHET_ENOTFOUND);
    ops->close(device);
}

static void test_device_recorded__has_its_own_identity(void **state)
{
    whet_device *device = open_recording(SAMPLE);
    const whet_device_facts *facts = ops->facts(device);
    whet_device_facts live = *facts;
    whet_device_handle handle = {ops, device, *facts};
    whet_device_handle other = {.ops = &whet_device_null};

    (void)state;
    assert_string_equal(facts->backend, "recorded");
    assert_string_equal(facts->name, "cpu");
    assert_true(facts->is_cpu);
    assert_int_equal(facts->limits.cu_count, 4);
    assert_int_equal(facts->evidence, WHET_EVIDENCE_RECORDED);
    whet_strcopy(live.backend, sizeof live.backend, "opencl");
    whet_replay__identify(&live);
    assert_string_not_equal(facts->id, live.id);
    assert_string_equal(whet_recording_task_hash(&handle), HASH_A);
    assert_string_equal(whet_recording_task_hash(&other), "");
    ops->close(device);
}

static void test_device_recorded__same_file_same_results(void **state)
{
    whet_buf logs[2] = {{0}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        whet_device *device = open_recording(SAMPLE);

        kit_play(&logs[i], ops, device);
        ops->close(device);
    }
    assert_true(logs[0].bytes > 1000);
    assert_string_equal(whet_buf_str(&logs[0]), whet_buf_str(&logs[1]));
    whet_buf_deinit(&logs[0]);
    whet_buf_deinit(&logs[1]);
}

static void test_device_recorded__needs_a_file(void **state)
{
    whet_device_facts facts[WHET_DEVICE_LIST_MAX];
    whet_device *device = (whet_device *)1;
    whet_err err = {0};
    uint32_t count = 9;

    (void)state;
    assert_int_equal(ops->open(&device, "", &err), WHET_EINVAL);
    assert_null(device);
    assert_non_null(strstr(err.msg, "recorded:FILE"));
    assert_int_equal(ops->open(&device, "/nonexistent/r.json", &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "r.json"));
    assert_int_equal(ops->probe(facts, &count, &err), WHET_OK);
    assert_int_equal(count, 0);
}

/* One entry with `build`, `workloads` and more replaced by text. */
#define WITH(members)                                                          \
    HEAD "{\"candidate\": \"" HASH_A "\", \"point\": \"-\", " members "}" TAIL
#define CALLS(members) WITH(BUILT ", \"workloads\": {\"M=1\": {" members "}}")

static void test_device_recorded__refuses_bad_entries(void **state)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {HEAD ENTRY_A ", " ENTRY_A TAIL, "two entries"},
        {HEAD "7" TAIL, "entries[0]: expected an object"},
        {HEAD ENTRY_A ", {\"candidate\": \"AA\"}" TAIL, "entries[1]"},
        {WITH("\"built\": 1"), "did you mean \"build\""},
        {WITH("\"hidden_ok\": true"), "\"build\""},
        {WITH("\"build\": {\"accepted\": 1}"), "boolean"},
        {WITH("\"build\": {\"accepted\": false}"), "diagnostic"},
        {WITH("\"build\": {\"accepted\": true, \"diagnostic\": {}}"),
         "diagnostic"},
        {WITH("\"build\": {\"accepted\": true, \"build_ns\": -1}"), "build_ns"},
        {WITH("\"build\": {\"accepted\": false, \"diagnostic\": {\"kind\": "
              "\"none\"}}"),
         "kind"},
        {WITH("\"build\": {\"accepted\": false, \"diagnostic\": {\"kind\": "
              "\"error\", \"line\": 4294967296}}"),
         "diagnostic: member \"line\""},
        {WITH("\"build\": {\"accepted\": false, \"diagnostic\": {\"kind\": "
              "\"error\"}}, \"workloads\": {\"M=1\": {}}"),
         "expected none"},
        {WITH(BUILT ", \"hidden_ok\": 1"), "hidden_ok"},
        {WITH(BUILT ", \"hidden_reason\": \"guard\""), "hidden_reason"},
        {WITH(BUILT ", \"hidden_ok\": false, \"hidden_reason\": \"G\""),
         "expected a reason"},
        {WITH(BUILT ", \"workloads\": {\"\": {}}"), "1 to 1023"},
        {CALLS("\"is_correct\": true"), "times_ns"},
        {CALLS("\"is_correct\": true, \"times_ns\": []"), "at least 1"},
        {CALLS("\"is_correct\": true, \"times_ns\": [0]"), "item 0"},
        {CALLS("\"is_correct\": true, \"times_ns\": [1, 1.5]"), "item 1"},
        {CALLS("\"is_correct\": true, \"times_ns\": [86400000000001]"),
         "item 0"},
        {CALLS("\"is_correct\": true, \"times_ns\": [1], \"reason\": "
               "\"guard\""),
         "reason"},
        {CALLS("\"is_correct\": false, \"times_ns\": [1]"), "reason"},
        {CALLS("\"is_correct\": false, \"times_ns\": [1], \"reason\": "
               "\"a b\""),
         "expected a reason"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        kit_expect_refused(ops, rows[i].text, rows[i].part);
}

#define DEVICE(members)                                                        \
    "{\"whet_recording\": 1, \"device\": {" members "}, \"task\": \"gemm\", "  \
    "\"task_hash\": \"" HASH_A "\", \"seed\": 9, \"entries\": []}"

static void test_device_recorded__refuses_bad_heads(void **state)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "input.json:1:"},
        {"{\"whet_recording\": 1}", "device"},
        {"{\"whet_recording\": 2}", "expected 1 to 1"},
        {"[1]", "expected an object"},
        {HEAD "]} 1", "end of file"},
        {HEAD "", "input.json:1:"},
        {DEVICE("\"index\": 4294967296"), "device: member \"index\""},
        {DEVICE("\"is_cpu\": 1"), "is_cpu"},
        {DEVICE("\"arch\": 1"), "arch"},
        {DEVICE("\"pci\": \"0123456789012345678901234567890123\""), "pci"},
        {DEVICE("\"id\": \"zz\""), "64 lower-case"},
        {DEVICE("\"evidence\": \"sworn\""), "sworn"},
        {DEVICE("\"limits\": 4"), "limits"},
        {DEVICE("\"limits\": {\"wave_size\": 65537}"), "wave_size"},
        {DEVICE("\"clock_mhz\": 1000001"), "clock_mhz"},
        {"{\"whet_recording\": 1, \"device\": {}, \"task_hash\": \"" HASH_A
         "\", \"seed\": 9, \"entries\": []}",
         "task"},
        {"{\"whet_recording\": 1, \"device\": {}, \"task\": \"t\", "
         "\"task_hash\": \"ab\", \"seed\": 9, \"entries\": []}",
         "task_hash"},
        {"{\"whet_recording\": 1, \"device\": {}, \"task\": \"t\", "
         "\"task_hash\": \"" HASH_A "\", \"seed\": -9, \"entries\": []}",
         "seed"},
        {"{\"whet_recording\": 1, \"device\": {}, \"task\": \"t\", "
         "\"task_hash\": \"" HASH_A "\", \"seed\": 9, \"entries\": {}}",
         "array"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        kit_expect_refused(ops, rows[i].text, rows[i].part);
}

static void test_device_recorded__refuses_too_many_values(void **state)
{
    size_t bytes = (size_t)WHET_RECORDING_VALUE_MAX + 3;
    char *text = malloc(bytes);
    whet_device *device = (whet_device *)1;
    whet_err err = {0};

    (void)state;
    assert_non_null(text);
    memset(text, '[', bytes);
    assert_int_equal(
        whet_recorded__open_text(&device, text, bytes, "bomb", &err),
        WHET_EINVAL);
    assert_null(device);
    assert_non_null(strstr(err.msg, "bomb: too large"));
    /* Commas inside strings are no values. */
    memset(text, ',', bytes);
    text[0] = '"';
    assert_int_equal(
        whet_recorded__open_text(&device, text, bytes, "text", &err),
        WHET_EINVAL);
    assert_null(strstr(err.msg, "too large"));
    free(text);
}

/* --- the writer ----------------------------------------------------------- */

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

static void test_device_recorded__reads_what_was_written(void **state)
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

static void test_device_recorded__scripted_stays_scripted(void **state)
{
    whet_device *device = reopen(new_recording(WHET_EVIDENCE_SCRIPTED));

    (void)state;
    assert_int_equal(ops->facts(device)->evidence, WHET_EVIDENCE_SCRIPTED);
    ops->close(device);
    device = reopen(new_recording(WHET_EVIDENCE_RECORDED));
    assert_int_equal(ops->facts(device)->evidence, WHET_EVIDENCE_RECORDED);
    ops->close(device);
}

static void test_device_recorded__a_hidden_failure_stays(void **state)
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
test_device_recorded__writer_refuses_what_no_reader_takes(void **state)
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
static void test_device_recorded__finds_each_of_many(void **state)
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
        cmocka_unit_test(test_device_recorded__replays_times_in_a_ring),
        cmocka_unit_test(test_device_recorded__replays_builds),
        cmocka_unit_test(test_device_recorded__wrong_calls_keep_their_reason),
        cmocka_unit_test(test_device_recorded__one_answer_for_hidden_shapes),
        cmocka_unit_test(test_device_recorded__has_its_own_identity),
        cmocka_unit_test(test_device_recorded__same_file_same_results),
        cmocka_unit_test(test_device_recorded__needs_a_file),
        cmocka_unit_test(test_device_recorded__refuses_bad_entries),
        cmocka_unit_test(test_device_recorded__refuses_bad_heads),
        cmocka_unit_test(test_device_recorded__refuses_too_many_values),
        cmocka_unit_test(test_device_recorded__reads_what_was_written),
        cmocka_unit_test(test_device_recorded__scripted_stays_scripted),
        cmocka_unit_test(test_device_recorded__a_hidden_failure_stays),
        cmocka_unit_test(
            test_device_recorded__writer_refuses_what_no_reader_takes),
        cmocka_unit_test(test_device_recorded__finds_each_of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
