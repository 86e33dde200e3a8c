/* Opening arms on the null device: builds refused, plans beyond limits. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <string.h>

static const char script[] =
    "{\"whet_script\": 1, \"build_ns\": 7000,"
    " \"rules\": [{\"match\": \" SPEED=4 \", \"build\": \"%s\"}]}";

static whet_verdict refused(const char *build, int speed)
{
    char text[256];
    kit_session *s;
    whet_verdict v;

    snprintf(text, sizeof text, script, build);
    s = kit_open_session(text);
    assert_null(kit_open_arm(&v, s, speed));
    assert_string_not_equal(v.message, "");
    kit_close_session(s);
    return v;
}

static void test_judge_arm__refused_build(void **state)
{
    whet_verdict v = refused("refuse", 4);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_BUILD);
    assert_int_equal(v.reason, WHET_REASON_COMPILE);
    assert_int_equal(v.diagnostic.kind, WHET_DIAGNOSTIC_ERROR);
    assert_int_equal(v.spend.build_ns, 7000);
    assert_string_equal(v.point, "SPEED=4");
    whet_verdict_deinit(&v);
}

static void test_judge_arm__build_that_never_ends(void **state)
{
    whet_verdict v = refused("timeout", 4);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_BUILD);
    assert_int_equal(v.reason, WHET_REASON_BUILD_TIMEOUT);
    whet_verdict_deinit(&v);
}

static void test_judge_arm__false_constraint_is_not_built(void **state)
{
    whet_verdict v = refused("accept", 3);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_RESOURCE);
    assert_int_equal(v.reason, WHET_REASON_CONSTRAINT);
    assert_int_equal(v.spend.build_ns, 0);
    whet_verdict_deinit(&v);
}

static void test_judge_arm__plan_beyond_the_device(void **state)
{
    whet_verdict v;
    kit_session *s = kit_open_session("{\"whet_script\": 1}");

    (void)state;
    s->device.facts.limits.group_items_max = 64;
    assert_null(kit_open_arm(&v, s, 1));
    assert_int_equal(v.outcome, WHET_OUTCOME_RESOURCE);
    assert_int_equal(v.reason, WHET_REASON_PLAN_LIMIT);
    assert_non_null(strstr(v.message, "64"));
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

static void test_judge_arm__hash_is_of_candidate_and_point(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_verdict v;
    whet_arm *arm = kit_open_arm(&v, s, 2);

    (void)state;
    assert_string_equal(arm->hash.text, s->arms[1]->hash.text);
    assert_string_not_equal(arm->hash.text, s->arms[0]->hash.text);
    assert_string_equal(v.candidate.text, arm->hash.text);
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_int_equal(arm->median_ns, 0);
    whet_arm_park(arm);
    whet_arm_close(arm);
    whet_arm_close(NULL);
    whet_verdict_deinit(&v);
    kit_close_session(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_arm__refused_build),
        cmocka_unit_test(test_judge_arm__build_that_never_ends),
        cmocka_unit_test(test_judge_arm__false_constraint_is_not_built),
        cmocka_unit_test(test_judge_arm__plan_beyond_the_device),
        cmocka_unit_test(test_judge_arm__hash_is_of_candidate_and_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
