/* The null device. */

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

static void test_device_null__builtin_script_accepts_all_in_1_ms(void **state)
{
    whet_device *device;
    whet_replay_call call;
    whet_clock clock;

    (void)state;
    assert_int_equal(ops->open(&device, "", NULL), WHET_OK);
    clock = ops->clock(device);
    assert_int_equal(build_kind(device, "-"), WHET_DIAGNOSTIC_NONE);
    assert_int_equal(whet_clock_now(&clock), 50000000);
    call = call_at(device, 'a', "-", "M=1", 0);
    assert_int_equal(call.elapsed_ns, 1000000);
    assert_true(call.is_correct);
    assert_string_equal(call.reason, "");
    assert_int_equal(whet_clock_now(&clock), 51000000);
    assert_int_equal(whet_clock_wall(&clock),
                     UINT64_C(1767225600000000000) + 51000000);
    ops->close(device);
    ops->close(NULL);
}

static void test_device_null__probe_tells_the_builtin_device(void **state)
{
    whet_device_facts facts[WHET_DEVICE_LIST_MAX];
    uint32_t count = 9;

    (void)state;
    assert_int_equal(ops->probe(facts, &count, NULL), WHET_OK);
    assert_int_equal(count, 1);
    assert_string_equal(facts[0].backend, "null");
    assert_int_equal(facts[0].evidence, WHET_EVIDENCE_SCRIPTED);
    assert_true(whet_replay__is_hash(facts[0].id));
    assert_int_equal(ops->caps, WHET_DEVICE_CAP_REPLAY);
    assert_null(ops->worker_open);
    assert_null(ops->toolchains);
}

static void
test_device_null__limits_and_epoch_come_from_the_script(void **state)
{
    whet_device *device = open_script(
        "{\"whet_script\": 1, \"epoch_ns\": 5, \"build_ns\": 7, \"limits\": "
        "{\"lds_bytes\": 1024, \"grid_max\": [9, 0, 1], \"cu_count\": 3}}");
    const whet_device_facts *facts = ops->facts(device);
    whet_clock clock = ops->clock(device);

    (void)state;
    assert_int_equal(facts->limits.lds_bytes, 1024);
    assert_int_equal(facts->limits.cu_count, 3);
    assert_int_equal(facts->limits.grid_max[0], 9);
    assert_int_equal(facts->limits.grid_max[1], 0);
    assert_int_equal(facts->limits.group_items_max, 1024);
    build_kind(device, "-");
    assert_int_equal(whet_clock_wall(&clock), 12);
    ops->close(device);
}

static void test_device_null__a_refused_build_has_no_calls(void **state)
{
    whet_device *device = open_script(
        "{\"whet_script\": 1, \"default\": {\"build\": \"refuse\"}}");
    whet_hash hash = kit_hash('a');
    whet_replay_call call;
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        ops->replay_call(&call, device, &hash, "-", "M=1", 0, &err),
        WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "refused"));
    ops->close(device);
}

static void test_device_null__jitter_is_bounded_and_named_by_call(void **state)
{
    static const char text[] = "{\"whet_script\": 1, \"seed\": 3, \"default\": "
                               "{\"time_ns\": 1000000, \"jitter_pct\": 10}}";
    whet_device *first = open_script(text), *second = open_script(text);
    uint64_t lowest = UINT64_MAX, highest = 0;
    double sum = 0;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t ns = call_at(first, 'a', "-", "M=1", i).elapsed_ns;

        assert_in_range(ns, 900000, 1100000);
        lowest = ns < lowest ? ns : lowest;
        highest = ns > highest ? ns : highest;
        sum += (double)ns;
    }
    assert_true(lowest < 905000 && highest > 1095000);
    assert_true(sum / 1000 > 990000 && sum / 1000 < 1010000);
    /* Order of calls does not matter; candidate and workload do. */
    for (unsigned i = 10; i-- > 0;)
        assert_int_equal(call_at(second, 'a', "-", "M=1", i).elapsed_ns,
                         call_at(first, 'a', "-", "M=1", i).elapsed_ns);
    assert_int_not_equal(call_at(first, 'a', "-", "M=1", 0).elapsed_ns,
                         call_at(first, 'b', "-", "M=1", 0).elapsed_ns);
    assert_int_not_equal(call_at(first, 'a', "-", "M=1", 0).elapsed_ns,
                         call_at(first, 'a', "-", "M=2", 0).elapsed_ns);
    ops->close(first);
    ops->close(second);
}

static void test_device_null__same_script_same_results(void **state)
{
    static const char text[] =
        "{\"whet_script\": 1, \"seed\": 77, \"default\": {\"jitter_pct\": 2.5},"
        "\"rules\": [{\"match\": \"bbbbbbbb\", \"fail\": \"input\", "
        "\"fail_every\": 4}, {\"match\": \"dddddddd\", \"build\": "
        "\"refuse\"}]}";
    whet_buf logs[3] = {{0}};
    char other[sizeof text];
    const char *texts[] = {text, text, other};

    (void)state;
    memcpy(other, text, sizeof text);
    memcpy(strstr(other, "77"), "78", 2);
    for (int i = 0; i < 3; i++) {
        whet_device *device = open_script(texts[i]);

        kit_play(&logs[i], ops, device);
        ops->close(device);
    }
    assert_string_equal(whet_buf_str(&logs[0]), whet_buf_str(&logs[1]));
    assert_string_not_equal(whet_buf_str(&logs[0]), whet_buf_str(&logs[2]));
    for (int i = 0; i < 3; i++)
        whet_buf_deinit(&logs[i]);
}

static void test_device_null__entropy_never_repeats(void **state)
{
    whet_device *device = open_script("{\"whet_script\": 1, \"seed\": 0}");
    unsigned char keys[64][16];

    (void)state;
    for (int i = 0; i < 64; i++) {
        assert_int_equal(ops->entropy(device, keys[i], NULL), WHET_OK);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(keys[i], keys[j], 16);
    }
    ops->close(device);
}

static void test_device_null__other_scripts_are_other_devices(void **state)
{
    whet_device *a = open_script("{\"whet_script\": 1}");
    whet_device *b = open_script("{\"whet_script\": 1, \"seed\": 2}");
    whet_device *c = open_script("{\"whet_script\": 1}");

    (void)state;
    assert_string_not_equal(ops->facts(a)->id, ops->facts(b)->id);
    assert_string_equal(ops->facts(a)->id, ops->facts(c)->id);
    ops->close(a);
    ops->close(b);
    ops->close(c);
}

static void test_device_null__virtual_time_saturates(void **state)
{
    whet_device *device =
        open_script("{\"whet_script\": 1, \"epoch_ns\": 9223372036854775807, "
                    "\"default\": {\"time_ns\": 86400000000000}}");
    whet_clock clock = ops->clock(device);
    uint64_t before = 0;

    (void)state;
    for (unsigned i = 0; i < 300000; i++) {
        call_at(device, 'a', "-", "", i);
        assert_true(whet_clock_wall(&clock) >= before);
        before = whet_clock_wall(&clock);
    }
    assert_true(before == UINT64_MAX);
    ops->close(device);
}

static void test_device_null__missing_script_is_not_found(void **state)
{
    whet_device *device = (whet_device *)1;
    whet_err err = {0};

    (void)state;
    assert_int_equal(ops->open(&device, "/nonexistent/script.json", &err),
                     WHET_ENOTFOUND);
    assert_null(device);
    assert_non_null(strstr(err.msg, "script.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_null__builtin_script_accepts_all_in_1_ms),
        cmocka_unit_test(test_device_null__probe_tells_the_builtin_device),
        cmocka_unit_test(
            test_device_null__limits_and_epoch_come_from_the_script),
        cmocka_unit_test(test_device_null__a_refused_build_has_no_calls),
        cmocka_unit_test(test_device_null__jitter_is_bounded_and_named_by_call),
        cmocka_unit_test(test_device_null__same_script_same_results),
        cmocka_unit_test(test_device_null__entropy_never_repeats),
        cmocka_unit_test(test_device_null__other_scripts_are_other_devices),
        cmocka_unit_test(test_device_null__virtual_time_saturates),
        cmocka_unit_test(test_device_null__missing_script_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
