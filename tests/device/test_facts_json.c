/* Facts of a device to and from JSON. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/replay_priv.h"

#include <string.h>

static json_t *parse(const char *text)
{
    json_t *root;

    assert_int_equal(whet_json_parse(&root, text, strlen(text), "test", NULL),
                     WHET_OK);
    return root;
}

static void test_device_facts_json__round_trip_keeps_all(void **state)
{
    whet_device_facts facts = {.backend = "opencl",
                               .index = UINT32_MAX,
                               .name = "n",
                               .arch = "a",
                               .driver = "d",
                               .pci = "0000:01:00.0",
                               .is_cpu = true,
                               .has_f64 = true,
                               .clock_mhz = 4,
                               .llc_bytes = 5,
                               .limits = {6, 7, 8, 9, {1, 2, 3}, {4, 5, 6}, 10},
                               .arch_features = "sramecc+:xnack-",
                               .arch_evidence = "driver",
                               .physical_index = 11,
                               .memory_clock_mhz = 12,
                               .lds_cu_bytes = 13,
                               .register_count = 14,
                               .cu_items_max = 15,
                               .has_ecc = WHET_KNOWN_YES,
                               .has_pageable_access = WHET_KNOWN_NO,
                               .is_exclusive = WHET_KNOWN_YES,
                               .evidence = WHET_EVIDENCE_RECORDED},
                      got;
    json_t *json;

    (void)state;
    /* A driver's text may fill its array to the last byte. */
    memset(facts.name, 'n', sizeof facts.name - 1);
    whet_replay__identify(&facts);
    json = whet_device_facts_to_json(&facts);
    assert_non_null(json);
    assert_int_equal(whet_device_facts_from_json(&got, json, NULL), WHET_OK);
    assert_string_equal(got.backend, facts.backend);
    assert_string_equal(got.name, facts.name);
    assert_string_equal(got.arch, facts.arch);
    assert_string_equal(got.driver, facts.driver);
    assert_string_equal(got.pci, facts.pci);
    assert_string_equal(got.id, facts.id);
    assert_int_equal(got.index, facts.index);
    assert_true(got.is_cpu && got.has_f64 && !got.has_f16);
    assert_int_equal(got.clock_mhz, 4);
    assert_int_equal(got.llc_bytes, 5);
    assert_int_equal(got.evidence, WHET_EVIDENCE_RECORDED);
    assert_memory_equal(&got.limits, &facts.limits, sizeof got.limits);
    assert_string_equal(got.arch_features, facts.arch_features);
    assert_string_equal(got.arch_evidence, facts.arch_evidence);
    assert_int_equal(got.physical_index, 11);
    assert_int_equal(got.memory_clock_mhz, 12);
    assert_int_equal(got.lds_cu_bytes, 13);
    assert_int_equal(got.register_count, 14);
    assert_int_equal(got.cu_items_max, 15);
    assert_int_equal(got.has_ecc, WHET_KNOWN_YES);
    assert_int_equal(got.has_pageable_access, WHET_KNOWN_NO);
    assert_int_equal(got.is_exclusive, WHET_KNOWN_YES);
    json_decref(json);
}

/* Files of before these members existed, and devices that do not tell. */
static void test_device_facts_json__what_is_absent_is_unknown(void **state)
{
    json_t *json = parse("{\"backend\": \"opencl\"}"), *again;
    whet_device_facts got;

    (void)state;
    memset(&got, 1, sizeof got);
    assert_int_equal(whet_device_facts_from_json(&got, json, NULL), WHET_OK);
    assert_string_equal(got.arch_features, "");
    assert_string_equal(got.arch_evidence, "");
    assert_int_equal(got.physical_index, UINT32_MAX);
    assert_int_equal(got.lds_cu_bytes, 0);
    assert_int_equal(got.has_ecc, WHET_UNKNOWN);
    assert_int_equal(got.has_pageable_access, WHET_UNKNOWN);
    assert_int_equal(got.is_exclusive, WHET_UNKNOWN);
    again = whet_device_facts_to_json(&got);
    assert_non_null(again);
    assert_null(json_object_get(again, "physical_index"));
    assert_null(json_object_get(again, "is_exclusive"));
    assert_null(json_object_get(again, "lds_cu_bytes"));
    json_decref(again);
    json_decref(json);
}

static void test_device_facts_json__cards_are_range_checked(void **state)
{
    static const char *const bad[] = {
        "{\"is_exclusive\": 1}",        "{\"has_ecc\": null}",
        "{\"physical_index\": -1}",     "{\"lds_cu_bytes\": \"64\"}",
        "{\"cu_items_max\": 99999999}", "{\"arch_features\": 3}"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *json = parse(bad[i]);
        whet_device_facts got;
        whet_err err = {0};

        assert_int_equal(whet_device_facts_from_json(&got, json, &err),
                         WHET_EINVAL);
        assert_string_not_equal(err.msg, "");
        json_decref(json);
    }
}

static void test_device_facts_json__missing_is_unknown(void **state)
{
    json_t *json = parse("{}");
    whet_device_facts got;

    (void)state;
    assert_int_equal(whet_device_facts_from_json(&got, json, NULL), WHET_OK);
    assert_string_equal(got.name, "");
    assert_int_equal(got.limits.lds_bytes, 0);
    json_decref(json);
}

static void test_device_facts_json__hostile_text_is_escaped(void **state)
{
    json_t *json = parse(
        "{\"name\": \"\\u001b]0;x\\u0007\\u202e\\n\", \"arch\": \"\\u00e9\"}");
    whet_device_facts got;

    (void)state;
    assert_int_equal(whet_device_facts_from_json(&got, json, NULL), WHET_OK);
    assert_string_equal(got.name, "\\x1b]0;x\\x07\\u{202e}\\x0a");
    assert_string_equal(got.arch, "\xc3\xa9");
    json_decref(json);
}

/* Text that fits as sent may not fit once escaped. */
static void test_device_facts_json__too_long_text_is_refused(void **state)
{
    char text[31];
    json_t *json = json_object();
    whet_device_facts got;
    whet_err err = {0};

    (void)state;
    memset(text, '\n', sizeof text);
    assert_true(whet_json_set(json, "pci", json_stringn(text, sizeof text)));
    assert_int_equal(whet_device_facts_from_json(&got, json, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "\"pci\" is too long"));
    json_decref(json);
}

static void test_device_facts_json__unknown_keys_are_refused(void **state)
{
    static const char *const keys[] = {"alpha", "beta", NULL};
    json_t *near = parse("{\"alpa\": 1}"), *far = parse("{\"zzzzzz\": 1}");
    json_t *array = parse("[]"), *good = parse("{\"beta\": 1}");
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_device__check_keys(near, keys, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "did you mean \"alpha\""));
    assert_int_equal(whet_device__check_keys(far, keys, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "\"zzzzzz\""));
    assert_null(strstr(err.msg, "did you mean"));
    assert_int_equal(whet_device__check_keys(array, keys, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected an object"));
    assert_int_equal(whet_device__check_keys(good, keys, &err), WHET_OK);
    json_decref(near);
    json_decref(far);
    json_decref(array);
    json_decref(good);
}

static void
test_device_facts_json__optional_numbers_keep_their_value(void **state)
{
    json_t *json = parse("{\"a\": 5, \"b\": -1, \"c\": null, \"d\": true}");
    uint64_t value = 3;
    bool flag = false;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_device__opt_u64(&value, json, "none", 9, &err),
                     WHET_OK);
    assert_int_equal(value, 3);
    assert_int_equal(whet_device__opt_u64(&value, json, "a", 5, &err), WHET_OK);
    assert_int_equal(value, 5);
    assert_int_equal(whet_device__opt_u64(&value, json, "a", 4, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "\"a\""));
    assert_int_equal(whet_device__opt_u64(&value, json, "b", 9, &err),
                     WHET_EINVAL);
    assert_int_equal(whet_device__opt_u64(&value, json, "c", 9, &err),
                     WHET_EINVAL);
    assert_int_equal(value, 5);
    assert_int_equal(whet_device__opt_bool(&flag, json, "d", &err), WHET_OK);
    assert_true(flag);
    assert_int_equal(whet_device__opt_bool(&flag, json, "a", &err),
                     WHET_EINVAL);
    assert_true(flag);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_facts_json__round_trip_keeps_all),
        cmocka_unit_test(test_device_facts_json__what_is_absent_is_unknown),
        cmocka_unit_test(test_device_facts_json__cards_are_range_checked),
        cmocka_unit_test(test_device_facts_json__missing_is_unknown),
        cmocka_unit_test(test_device_facts_json__hostile_text_is_escaped),
        cmocka_unit_test(test_device_facts_json__too_long_text_is_refused),
        cmocka_unit_test(test_device_facts_json__unknown_keys_are_refused),
        cmocka_unit_test(
            test_device_facts_json__optional_numbers_keep_their_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
