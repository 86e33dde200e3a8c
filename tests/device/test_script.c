/* Scripts of the null device: rules and what is refused. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay_kit.h"

#include <stdlib.h>
#include <string.h>

static const whet_device_ops *const ops = &whet_device_null;

static whet_device *open_script(const char *text)
{
    whet_device *device;
    whet_err err = {0};

    if (kit_open(&device, ops, text, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return device;
}

static whet_replay_call call_at(whet_device *device, char digit,
                                const char *point, const char *workload,
                                uint64_t number)
{
    whet_hash hash = kit_hash(digit);
    whet_replay_call call;
    whet_err err = {0};

    assert_int_equal(
        ops->replay_call(&call, device, &hash, point, workload, number, &err),
        WHET_OK);
    return call;
}

static whet_diagnostic_kind build_kind(whet_device *device, const char *point)
{
    whet_hash hash = kit_hash('a');
    whet_diagnostic diagnostic;
    bool accepted;

    assert_int_equal(
        ops->replay_build(&accepted, &diagnostic, device, &hash, point, NULL),
        WHET_OK);
    assert_int_equal(accepted, diagnostic.kind == WHET_DIAGNOSTIC_NONE);
    assert_int_equal(accepted, diagnostic.text[0] == '\0');
    return diagnostic.kind;
}

static void test_device_script__later_rules_override_earlier(void **state)
{
    whet_device *device = open_script(
        "{\"whet_script\": 1, \"default\": {\"time_ns\": 100}, \"rules\": ["
        "{\"match\": \"RT=8\", \"time_ns\": 200},"
        "{\"match\": \"VEC=4\", \"build\": \"refuse\"},"
        "{\"match\": \"VEC=4 \", \"time_ns\": 300, \"build\": \"accept\"},"
        "{\"match\": \" RT=80 \", \"time_ns\": 400},"
        "{\"match\": \"SLOW\", \"build\": \"timeout\"},"
        "{\"match\": \"cccccccc\", \"time_ns\": 500},"
        "{\"match\": \"d\", \"time_ns\": 600}]}");

    (void)state;
    assert_int_equal(call_at(device, 'a', "RT=4", "", 0).elapsed_ns, 100);
    assert_int_equal(call_at(device, 'a', "RT=8", "", 0).elapsed_ns, 200);
    /* A plain substring meets RT=80 too; spaces name a whole word. */
    assert_int_equal(call_at(device, 'a', "RT=81", "", 0).elapsed_ns, 200);
    assert_int_equal(call_at(device, 'a', "RT=80", "", 0).elapsed_ns, 400);
    assert_int_equal(call_at(device, 'a', "VEC=4", "", 0).elapsed_ns, 300);
    assert_int_equal(build_kind(device, "VEC=4"), WHET_DIAGNOSTIC_NONE);
    assert_int_equal(build_kind(device, "VEC=40"), WHET_DIAGNOSTIC_ERROR);
    assert_int_equal(build_kind(device, "SLOW=1"), WHET_DIAGNOSTIC_TIMEOUT);
    assert_int_equal(call_at(device, 'c', "-", "", 0).elapsed_ns, 500);
    /* Too short to name a hash. */
    assert_int_equal(call_at(device, 'd', "-", "", 0).elapsed_ns, 100);
    ops->close(device);
}

static void test_device_script__fails_the_calls_that_are_named(void **state)
{
    whet_device *device = open_script(
        "{\"whet_script\": 1, \"rules\": ["
        "{\"match\": \"A=1\", \"fail\": \"mismatch\"},"
        "{\"match\": \"A=2\", \"fail\": \"unwritten\", \"fail_every\": 3},"
        "{\"match\": \"A=3\", \"fail\": \"crash\", \"fail_from_call\": 4},"
        "{\"match\": \"A=4\", \"fail\": \"guard\", \"fail_every\": 2, "
        "\"fail_from_call\": 3},"
        "{\"match\": \"A=1\", \"workload\": \"M=7\", \"fail\": \"\"}]}");
    static const char *const wrong[] = {"11111111", "00100100", "00001111",
                                        "00001010"};
    static const char *const reason[] = {"mismatch", "unwritten", "crash",
                                         "guard"};

    (void)state;
    for (unsigned row = 0; row < 4; row++) {
        char point[16];

        snprintf(point, sizeof point, "A=%u", row + 1);
        for (unsigned i = 0; i < 8; i++) {
            whet_replay_call call = call_at(device, 'a', point, "M=8", i);

            assert_int_equal(call.is_correct, wrong[row][i] == '0');
            assert_string_equal(call.reason,
                                call.is_correct ? "" : reason[row]);
            assert_int_equal(call.elapsed_ns, 1000000);
        }
    }
    /* A rule of one workload; "" takes the failure back. */
    assert_true(call_at(device, 'a', "A=1", "M=7", 0).is_correct);
    ops->close(device);
}

static void test_device_script__refuses_bad_scripts(void **state)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "empty file"},
        {"{", "input.json:1:"},
        {"[]", "expected an object"},
        {"{}", "whet_script"},
        {"{\"whet_script\": 2}", "expected 1 to 1"},
        {"{\"whet_script\": 1, \"rule\": []}", "did you mean \"rules\""},
        {"{\"whet_script\": 1, \"rules\": {}}", "expected an array"},
        {"{\"whet_script\": 1, \"rules\": [{}]}", "rules[0]: member \"match\""},
        {"{\"whet_script\": 1, \"rules\": [{\"match\": \"\"}]}", "1 to 1023"},
        {"{\"whet_script\": 1, \"rules\": [7]}", "rules[0]"},
        {"{\"whet_script\": 1, \"default\": {\"match\": \"a\"}}", "default"},
        {"{\"whet_script\": 1, \"default\": 3}", "default"},
        {"{\"whet_script\": 1, \"default\": {\"time_ns\": 0}}", "time_ns"},
        {"{\"whet_script\": 1, \"default\": {\"time_ns\": 1e3}}", "integer"},
        {"{\"whet_script\": 1, \"default\": {\"time_ns\": 86400000000001}}",
         "time_ns"},
        {"{\"whet_script\": 1, \"default\": {\"jitter_pct\": 91}}", "0 to 90"},
        {"{\"whet_script\": 1, \"default\": {\"jitter_pct\": -1}}", "0 to 90"},
        {"{\"whet_script\": 1, \"default\": {\"build\": \"maybe\"}}", "maybe"},
        {"{\"whet_script\": 1, \"default\": {\"fail\": \"Bad\\u0007\"}}",
         "expected a reason"},
        {"{\"whet_script\": 1, \"default\": {\"fail_every\": 2}}", "\"fail\""},
        {"{\"whet_script\": 1, \"default\": {\"fail\": \"crash\", "
         "\"fail_every\": 0}}",
         "fail_every"},
        {"{\"whet_script\": 1, \"seed\": -1}", "seed"},
        {"{\"whet_script\": 1, \"epoch_ns\": 9223372036854775808}", "input"},
        {"{\"whet_script\": 1, \"limits\": {\"lds\": 1}}", "limits: unknown"},
        {"{\"whet_script\": 1, \"limits\": {\"cu_count\": -1}}", "cu_count"},
        {"{\"whet_script\": 1, \"limits\": {\"block_max\": [1, 2]}}",
         "three integers"},
        {"{\"whet_script\": 1, \"limits\": {\"block_max\": [1, -2, 3]}}",
         "three integers"},
        {"{\"whet_script\": 1, \"seed\": 1, \"seed\": 2}", "duplicate"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        kit_expect_refused(ops, rows[i].text, rows[i].part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_script__later_rules_override_earlier),
        cmocka_unit_test(test_device_script__fails_the_calls_that_are_named),
        cmocka_unit_test(test_device_script__refuses_bad_scripts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
