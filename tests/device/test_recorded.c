/* The recorded device: replaying a recording. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

/* Whatever a file says of hidden shapes, what was not built has no calls. */
static void test_device_recorded__a_refused_build_has_no_calls(void **state)
{
    whet_device *device = open_recording(
        HEAD "{\"candidate\": \"" HASH_B
             "\", \"point\": \"-\", \"build\": {\"accepted\": false, "
             "\"diagnostic\": {\"kind\": \"limit\"}}, "
             "\"hidden_ok\": true}" TAIL);
    whet_replay_call call;

    (void)state;
    assert_int_equal(call_at(&call, device, 'b', "M=7 N=3", 0), WHET_ENOTFOUND);
    assert_false(call.is_correct);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_recorded__replays_times_in_a_ring),
        cmocka_unit_test(test_device_recorded__replays_builds),
        cmocka_unit_test(test_device_recorded__wrong_calls_keep_their_reason),
        cmocka_unit_test(test_device_recorded__one_answer_for_hidden_shapes),
        cmocka_unit_test(test_device_recorded__a_refused_build_has_no_calls),
        cmocka_unit_test(test_device_recorded__has_its_own_identity),
        cmocka_unit_test(test_device_recorded__same_file_same_results),
        cmocka_unit_test(test_device_recorded__needs_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
