/* Rules that fired: counted by name, JSON there and back, text for people. */

#include "judge/judge_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_judge_rules__counts_by_name(void **state)
{
    whet_verdict v = {0};

    (void)state;
    whet_judge__rule(&v, "void-clock", "first");
    whet_judge__rule(&v, "bimodal", "");
    whet_judge__rule(&v, "void-clock", "second");
    assert_int_equal(v.rule_count, 2);
    assert_int_equal(v.rules[0].count, 2);
    assert_string_equal(v.rules[0].text, "first");
}

static void test_judge_rules__never_overflows(void **state)
{
    whet_verdict v = {0};
    char name[24];
    int i;

    (void)state;
    for (i = 0; i < WHET_RULE_MAX + 4; i++) {
        snprintf(name, sizeof name, "rule-%d", i);
        whet_judge__rule(&v, name, "");
    }
    assert_int_equal(v.rule_count, WHET_RULE_MAX);
}

static void test_judge_rules__survives_json(void **state)
{
    whet_verdict v = {0}, got = {0};
    json_t *json = json_object();

    (void)state;
    whet_judge__rule(&v, "void-clock", "1410 MHz became 345 MHz");
    whet_judge__rule(&v, "bimodal", "");
    assert_true(whet_json_set(json, "rules", whet_judge__rules_to_json(&v)));
    assert_int_equal(whet_judge__rules_from_json(&got, json, NULL), WHET_OK);
    assert_int_equal(got.rule_count, 2);
    assert_memory_equal(got.rules, v.rules, sizeof v.rules);
    json_decref(json);
}

static void test_judge_rules__refuses_what_is_out_of_range(void **state)
{
    static const char *const bad[] = {
        "{\"rules\": 1}",
        "{\"rules\": [1]}",
        "{\"rules\": [{\"name\": \"a\", \"count\": 0, \"text\": \"\"}]}",
        "{\"rules\": [{\"name\": \"a\\n\", \"count\": 1, \"text\": \"\"}]}",
        "{\"rules\": [{\"name\": \"a\", \"count\": 1}]}",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *json = json_loads(bad[i], 0, NULL);
        whet_verdict got = {0};
        whet_err err = {0};

        assert_non_null(json);
        assert_int_equal(whet_judge__rules_from_json(&got, json, &err),
                         WHET_EINVAL);
        assert_true(err.msg[0] != '\0');
        json_decref(json);
    }
}

static void test_judge_rules__prints_a_line_for_each(void **state)
{
    whet_verdict v = {0};
    whet_buf out = {0};

    (void)state;
    whet_judge__rule(&v, "void-clock", "why");
    whet_judge__rule(&v, "void-clock", "why");
    whet_judge__rule(&v, "bimodal", "");
    whet_judge__rules_print(&out, &v);
    assert_string_equal(out.data, "  rule       void-clock (2 times): why\n"
                                  "  rule       bimodal\n");
    whet_buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_rules__counts_by_name),
        cmocka_unit_test(test_judge_rules__never_overflows),
        cmocka_unit_test(test_judge_rules__survives_json),
        cmocka_unit_test(test_judge_rules__refuses_what_is_out_of_range),
        cmocka_unit_test(test_judge_rules__prints_a_line_for_each),
    };

    return cmocka_run_group_tests_name("judge_rules", tests, NULL, NULL);
}
