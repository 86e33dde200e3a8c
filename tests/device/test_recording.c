/* Reading recordings: what is refused, and with which words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/recording_priv.h"
#include "replay_kit.h"

#include <stdlib.h>
#include <string.h>

static const whet_device_ops *const ops = &whet_device_recorded;

#define HASH_A                                                                 \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
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
#define TAIL "]}"

/* One entry with `build`, `workloads` and more replaced by text. */
#define WITH(members)                                                          \
    HEAD "{\"candidate\": \"" HASH_A "\", \"point\": \"-\", " members "}" TAIL
#define CALLS(members) WITH(BUILT ", \"workloads\": {\"M=1\": {" members "}}")

static void test_device_recording__refuses_bad_entries(void **state)
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

static void test_device_recording__refuses_bad_heads(void **state)
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

static void test_device_recording__refuses_too_many_values(void **state)
{
    size_t bytes = (size_t)WHET_RECORDING_VALUE_MAX + 16;
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
    /* Commas inside strings are no values, nor is an escaped quote their
     * end. */
    memset(text, ',', bytes);
    memcpy(text, "\"\\\"", 3);
    assert_int_equal(
        whet_recorded__open_text(&device, text, bytes, "text", &err),
        WHET_EINVAL);
    assert_null(strstr(err.msg, "too large"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_recording__refuses_bad_entries),
        cmocka_unit_test(test_device_recording__refuses_bad_heads),
        cmocka_unit_test(test_device_recording__refuses_too_many_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
