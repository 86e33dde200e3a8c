/* One call on a replay device, and stopping. The live path is in test_verifier
 * and tests/attacks. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <string.h>

static void test_judge_call__replays_time_and_failure(void **state)
{
    kit_session *s = kit_open_session(
        "{\"whet_script\": 1, \"default\": {\"time_ns\": 5000000},"
        " \"rules\": [{\"match\": \" SPEED=2 \", \"fail\": \"guard\","
        " \"fail_from_call\": 2}]}");
    const char *workload = s->judge->workload_text;
    whet_call call;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_judge__replay(&call, s->arms[0], workload, 0, &err),
                     WHET_OK);
    assert_int_equal(call.reason, WHET_REASON_NONE);
    assert_int_equal(call.elapsed_ns, 5000000);
    assert_int_equal(whet_judge__replay(&call, s->arms[1], workload, 1, &err),
                     WHET_OK);
    assert_int_equal(call.reason, WHET_REASON_NONE);
    assert_int_equal(whet_judge__replay(&call, s->arms[1], workload, 2, &err),
                     WHET_OK);
    assert_int_equal(call.reason, WHET_REASON_GUARD);
    assert_true(call.text[0] != '\0');
    kit_close_session(s);
}

static void test_judge_call__keys_differ(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_key a, b;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_judge__key(&a, s->judge, &err), WHET_OK);
    assert_int_equal(whet_judge__key(&b, s->judge, &err), WHET_OK);
    assert_memory_not_equal(&a, &b, sizeof a);
    kit_close_session(s);
}

static void test_judge_call__stops_when_asked(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    volatile int flag = 0;
    whet_err err = {0};

    (void)state;
    s->judge->opts.cancel = &flag;
    assert_int_equal(whet_judge__cancelled(s->judge, &err), WHET_OK);
    flag = 1;
    assert_int_equal(whet_judge__cancelled(s->judge, &err), WHET_ECANCELLED);
    assert_true(err.msg[0] != '\0');
    kit_close_session(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_call__replays_time_and_failure),
        cmocka_unit_test(test_judge_call__keys_differ),
        cmocka_unit_test(test_judge_call__stops_when_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
