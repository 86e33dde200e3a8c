/* Verdicts to JSON and back, and what is refused on the way back. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <math.h>
#include <string.h>

/* Through text, as the ledger and --json do. */
static json_t *through_text(const whet_verdict *verdict)
{
    json_t *json = whet_verdict_to_json(verdict), *again;
    char *text;

    assert_non_null(json);
    text = json_dumps(json, JSON_ENCODE_ANY);
    json_decref(json);
    assert_non_null(text);
    again = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(again);
    return again;
}

static whet_verdict read_back(const whet_verdict *verdict)
{
    json_t *json = through_text(verdict);
    whet_verdict out;
    whet_err err = {0};

    if (whet_verdict_from_json(&out, json, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    json_decref(json);
    return out;
}

static void assert_same_timing(const whet_timing *a, const whet_timing *b)
{
    assert_int_equal(a->call_count, b->call_count);
    assert_int_equal(a->total_ns, b->total_ns);
    assert_int_equal(a->median_ns, b->median_ns);
    assert_int_equal(a->p5_ns, b->p5_ns);
    assert_int_equal(a->p95_ns, b->p95_ns);
    if (a->call_count == 0)
        return;
    assert_memory_equal(a->call_ns, b->call_ns,
                        a->call_count * sizeof *a->call_ns);
    assert_memory_equal(a->block_index, b->block_index,
                        a->call_count * sizeof *a->block_index);
}

static void assert_same_kernel(const whet_verdict_kernel *a,
                               const whet_verdict_kernel *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->register_count, b->register_count);
    assert_int_equal(a->accumulator_count, b->accumulator_count);
    assert_int_equal(a->spill_bytes, b->spill_bytes);
    assert_int_equal(a->private_bytes, b->private_bytes);
    assert_int_equal(a->lds_bytes, b->lds_bytes);
    assert_int_equal(a->group_items, b->group_items);
    assert_int_equal(a->occupancy.is_known, b->occupancy.is_known);
    assert_int_equal(a->occupancy.waves_simd, b->occupancy.waves_simd);
    assert_int_equal(a->occupancy.waves_cu, b->occupancy.waves_cu);
    assert_int_equal(a->occupancy.groups_cu, b->occupancy.groups_cu);
    if (a->occupancy.is_known)
        assert_string_equal(a->occupancy.bound_by, b->occupancy.bound_by);
}

static void test_judge_verdict_json__a_full_verdict_comes_back(void **state)
{
    whet_verdict v = kit_verdict(), got = read_back(&v);

    (void)state;
    assert_int_equal(got.outcome, v.outcome);
    assert_int_equal(got.reason, v.reason);
    assert_string_equal(got.message, v.message);
    assert_string_equal(got.protocol, v.protocol);
    assert_string_equal(got.task, v.task);
    assert_string_equal(got.workload, v.workload);
    assert_string_equal(got.point, v.point);
    assert_string_equal(got.task_hash.text, v.task_hash.text);
    assert_string_equal(got.candidate.text, v.candidate.text);
    assert_string_equal(got.reference.text, v.reference.text);
    assert_string_equal(got.image.text, v.image.text);
    assert_string_equal(got.toolchain, v.toolchain);
    assert_memory_equal(&got.device, &v.device, sizeof v.device);
    assert_int_equal(got.evidence, v.evidence);
    assert_int_equal(got.verified_calls, 17);
    assert_int_equal(got.shapes_verified, 2);
    assert_int_equal(got.shapes_uncovered, 1);
    assert_true(got.worst_error == v.worst_error);
    assert_true(got.has_ratio && got.is_gain && got.is_unsafe);
    assert_true(got.ratio == v.ratio && got.ratio_lo == v.ratio_lo);
    assert_true(got.ratio_hi == v.ratio_hi && got.total_ratio == v.total_ratio);
    assert_int_equal(got.block_count, v.block_count);
    assert_true(got.aa_error == v.aa_error);
    assert_true(got.ratio_error == 0.25);
    assert_int_equal(got.tried, 40);
    assert_int_equal(got.limit_ns, 50);
    assert_int_equal(got.floor_ns, 5);
    assert_int_equal(got.launch_ns, 7);
    assert_memory_equal(&got.spend, &v.spend, sizeof v.spend);
    assert_same_timing(&got.candidate_time, &v.candidate_time);
    assert_same_timing(&got.reference_time, &v.reference_time);
    assert_same_kernel(&got.kernels[0], &v.kernels[0]);
    assert_same_kernel(&got.kernels[1], &v.kernels[1]);
    assert_int_equal(got.kernel_count, 2);
    assert_int_equal(got.diagnostic.kind, v.diagnostic.kind);
    assert_int_equal(got.diagnostic.line, 4);
    assert_int_equal(got.diagnostic.column, 5);
    assert_string_equal(got.diagnostic.text, v.diagnostic.text);
    whet_verdict_deinit(&got);
    whet_verdict_deinit(&v);
}

static void test_judge_verdict_json__unknown_stays_unknown(void **state)
{
    whet_verdict v = kit_verdict(), got;

    (void)state;
    whet_verdict_deinit(&v);
    v.outcome = WHET_OUTCOME_BUILD;
    v.reason = WHET_REASON_COMPILE;
    v.worst_error = v.aa_error = NAN;
    got = read_back(&v);
    assert_int_equal(got.outcome, WHET_OUTCOME_BUILD);
    assert_int_equal(got.reason, WHET_REASON_COMPILE);
    assert_true(isnan(got.worst_error) && isnan(got.aa_error));
    assert_false(got.has_ratio);
    assert_int_equal(got.limit_ns, 0);
    assert_int_equal(got.launch_ns, 0);
    assert_int_equal(got.candidate_time.call_count, 0);
    assert_int_equal(got.diagnostic.kind, WHET_DIAGNOSTIC_NONE);
    assert_true(isnan(whet_verdict_share_of_limit(&got)));
    whet_verdict_deinit(&got);
}

static void test_judge_verdict_json__one_block_keeps_its_interval(void **state)
{
    whet_verdict v = kit_verdict(), got;

    (void)state;
    v.ratio_lo = 0.0;
    v.ratio_hi = INFINITY;
    got = read_back(&v);
    assert_true(got.ratio_lo == 0.0);
    assert_true(isinf(got.ratio_hi));
    whet_verdict_deinit(&got);
    whet_verdict_deinit(&v);
}

static void test_judge_verdict_json__longest_texts_come_back(void **state)
{
    whet_verdict v = kit_verdict(), got;

    (void)state;
    memset(v.message, 'm', sizeof v.message - 1);
    memset(v.toolchain, 't', sizeof v.toolchain - 1);
    memset(v.diagnostic.text, '\n', sizeof v.diagnostic.text - 1);
    got = read_back(&v);
    assert_string_equal(got.message, v.message);
    assert_string_equal(got.toolchain, v.toolchain);
    assert_string_equal(got.diagnostic.text, v.diagnostic.text);
    whet_verdict_deinit(&got);
    whet_verdict_deinit(&v);
}

/* @param value  JSON text put at `path` ("a" or "a.b"); NULL removes it */
static void expect_refused(const char *path, const char *value)
{
    whet_verdict v = kit_verdict(), out;
    json_t *json = through_text(&v), *at = json;
    const char *dot = strchr(path, '.');
    whet_err err = {0};

    if (dot != NULL) {
        char first[64] = "";

        memcpy(first, path, (size_t)(dot - path));
        at = json_object_get(json, first);
        assert_true(json_is_object(at));
        path = dot + 1;
    }
    assert_non_null(json_object_get(at, path));
    if (value == NULL)
        json_object_del(at, path);
    else
        json_object_set_new(at, path, json_loads(value, JSON_DECODE_ANY, NULL));
    if (whet_verdict_from_json(&out, json, &err) != WHET_EINVAL)
        fail_msg("%s = %s was accepted", path, value ? value : "(nothing)");
    assert_string_not_equal(err.msg, "");
    assert_null(out.candidate_time.call_ns);
    json_decref(json);
    whet_verdict_deinit(&v);
}

static void test_judge_verdict_json__every_member_is_needed(void **state)
{
    /* For readers; and what older verdicts lack. */
    static const char *const optional[] = {"share_of_limit", "contexts",
                                           "kernels", "libraries", "rules"};
    whet_verdict v = kit_verdict();
    json_t *json = through_text(&v), *value;
    const char *key;

    (void)state;
    json_object_foreach(json, key, value)
    {
        bool is_needed = true;
        size_t i;

        for (i = 0; i < sizeof optional / sizeof optional[0]; i++)
            is_needed &= strcmp(key, optional[i]) != 0;
        if (is_needed)
            expect_refused(key, NULL);
    }
    json_object_foreach(json, key, value)
    {
        const char *inner;
        json_t *member;
        char path[128];

        json_object_foreach(value, inner, member)
        {
            if (strcmp(inner, "error") == 0 || strcmp(inner, "tried") == 0)
                continue; /* older verdicts lack it */
            snprintf(path, sizeof path, "%s.%s", key, inner);
            expect_refused(path, NULL);
        }
    }
    json_decref(json);
    whet_verdict_deinit(&v);
}

static void
test_judge_verdict_json__older_verdicts_have_no_kernels(void **state)
{
    whet_verdict v = kit_verdict(), got;
    json_t *json = through_text(&v);

    (void)state;
    json_object_del(json, "kernels");
    json_object_del(json, "contexts");
    json_object_del(json, "libraries");
    json_object_del(json, "rules");
    assert_int_equal(whet_verdict_from_json(&got, json, NULL), WHET_OK);
    assert_int_equal(got.kernel_count, 0);
    assert_int_equal(got.device.is_exclusive, WHET_UNKNOWN);
    json_decref(json);
    whet_verdict_deinit(&got);
    whet_verdict_deinit(&v);
}

/* Without registers nothing is known of spills, with them none is none. */
static void test_judge_verdict_json__unknown_resources_are_null(void **state)
{
    whet_verdict v = kit_verdict();
    json_t *json, *kernels, *first, *second;

    (void)state;
    v.kernels[0].spill_bytes = 0;
    json = through_text(&v);
    kernels = json_object_get(json, "kernels");
    first = json_array_get(kernels, 0);
    second = json_array_get(kernels, 1);
    assert_true(json_is_integer(json_object_get(first, "spill_bytes")));
    assert_true(json_is_null(json_object_get(second, "spill_bytes")));
    assert_true(json_is_null(json_object_get(second, "registers")));
    assert_true(json_is_null(json_object_get(second, "occupancy")));
    json_decref(json);
    whet_verdict_deinit(&v);
}

static void test_judge_verdict_json__malformed_values_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"outcome", "\"wrong\""},
        {"outcome", "\"fine\""},
        {"reason", "\"nonsense\""},
        {"reason", "3"},
        {"evidence", "\"hearsay\""},
        {"candidate", "\"abc\""},
        {"candidate", "\"ZZZZ\""},
        {"message", "\"\\u001b[2J\""},
        {"message", "\"two\\nlines\""},
        {"task", "\"\\u202e\""},
        {"task", "17"},
        {"verified_calls", "-1"},
        {"verified_calls", "4294967296"},
        {"verified_calls", "1.5"},
        {"worst_error", "\"small\""},
        {"limit_ns", "-5"},
        {"is_unsafe", "1"},
        {"ratio.value", "null"},
        {"ratio.value", "-1.0"},
        {"ratio.lo", "9.0"},
        {"ratio.blocks", "-1"},
        {"ratio.blocks", "99999999999"},
        {"ratio", "7"},
        {"candidate_time.call_ns", "[]"},
        {"candidate_time.call_ns", "[1, 2]"},
        {"candidate_time.call_ns", "[1, 2, -3]"},
        {"candidate_time.call_ns", "[1, 2, \"3\"]"},
        {"candidate_time.block", "[0, 0, 99999999]"},
        {"candidate_time.block", "[0, 0, null]"},
        {"candidate_time.median_ns", "1.5"},
        {"candidate_time", "[]"},
        {"device", "null"},
        {"device.index", "-1"},
        {"device.name", "\"\\u0007\""},
        {"spend", "null"},
        {"spend.wall_ns", "-1"},
        {"contexts", "2"},
        {"kernels", "null"},
        {"kernels", "[1]"},
        {"kernels", "[{}]"},
        {"kernels", "[{},{},{},{},{},{},{},{},{}]"},
        {"kernels", "[{\"name\": \"\\u001b\"}]"},
        {"kernels", "[{\"name\": \"k\", \"registers\": -1}]"},
        {"kernels", "[{\"name\": \"k\", \"registers\": 1, \"accumulators\": 0,"
                    " \"spill_bytes\": 0, \"private_bytes\": 0,"
                    " \"lds_bytes\": 0, \"group_items\": 1, \"occupancy\":"
                    " {\"waves_simd\": 1, \"waves_cu\": 1, \"groups_cu\": 1,"
                    " \"bound_by\": \"luck\"}}]"},
        {"diagnostic.kind", "77"},
        {"diagnostic.text", "\"\\u001b\""},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_refused(rows[i][0], rows[i][1]);
}

static void test_judge_verdict_json__overlong_texts_are_refused(void **state)
{
    static const char *const keys[] = {"message",     "task",
                                       "workload",    "toolchain",
                                       "device.name", "diagnostic.text"};
    char text[6000] = "\"";
    size_t i;

    (void)state;
    memset(text + 1, 'x', 5000);
    text[5001] = '"';
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        expect_refused(keys[i], text);
}

static void test_judge_verdict_json__only_an_object_is_a_verdict(void **state)
{
    json_t *array = json_array();
    whet_verdict out;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_verdict_from_json(&out, array, &err), WHET_EINVAL);
    assert_string_not_equal(err.msg, "");
    assert_int_equal(whet_verdict_from_json(&out, NULL, NULL), WHET_EINVAL);
    json_decref(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_verdict_json__a_full_verdict_comes_back),
        cmocka_unit_test(test_judge_verdict_json__unknown_stays_unknown),
        cmocka_unit_test(test_judge_verdict_json__one_block_keeps_its_interval),
        cmocka_unit_test(test_judge_verdict_json__longest_texts_come_back),
        cmocka_unit_test(test_judge_verdict_json__every_member_is_needed),
        cmocka_unit_test(
            test_judge_verdict_json__older_verdicts_have_no_kernels),
        cmocka_unit_test(test_judge_verdict_json__unknown_resources_are_null),
        cmocka_unit_test(test_judge_verdict_json__malformed_values_are_refused),
        cmocka_unit_test(test_judge_verdict_json__overlong_texts_are_refused),
        cmocka_unit_test(test_judge_verdict_json__only_an_object_is_a_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
