/* Hidden and other public shapes, on the null device. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <string.h>

static whet_verdict confirm(const char *script, unsigned hidden, bool is_public)
{
    kit_session *s = kit_open_session(script);
    whet_protocol p = whet_protocol_confirm(12);
    whet_verdict v;
    whet_err err = {0};

    p.hidden_shapes = hidden;
    p.public_shapes = is_public;
    if (whet_judge_compare(&v, s->judge, s->arms[0], s->arms[1], &p, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    kit_close_session(s);
    return v;
}

static void test_judge_shapes__hidden_shapes_are_verified_twice(void **state)
{
    whet_verdict v = confirm("{\"whet_script\": 1}", 5, false);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_CORRECT);
    assert_int_equal(v.shapes_verified + v.shapes_uncovered, 5);
    /* Twelve timed calls and one to warm up after each of four starts. */
    assert_int_equal(v.verified_calls, 16 + 2 * v.shapes_verified);
    whet_verdict_deinit(&v);
}

static void test_judge_shapes__failure_keeps_the_shape_secret(void **state)
{
    static const char edges[] =
        "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
        " \"fail\": \"mismatch\"},"
        " {\"match\": \" SPEED=2 \", \"workload\": \"M=8 N=8 K=8\","
        " \"fail\": \"\"}]}";
    whet_verdict v = confirm(edges, 3, false);

    (void)state;
    assert_int_equal(v.outcome, WHET_OUTCOME_WRONG);
    assert_non_null(strstr(v.message, "hidden shape"));
    assert_null(strstr(v.message, "M="));
    assert_null(strpbrk(v.message, "0123456789"));
    assert_int_equal(v.candidate_time.call_count, 0);
    assert_int_equal(v.verified_calls, 0);
    whet_verdict_deinit(&v);
}

static void test_judge_shapes__dear_public_workloads_are_left_out(void **state)
{
    /* Every public workload of the task costs over four times M=N=K=8. */
    whet_verdict v = confirm("{\"whet_script\": 1}", 0, true);

    (void)state;
    assert_int_equal(v.shapes_verified, 0);
    whet_verdict_deinit(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_shapes__hidden_shapes_are_verified_twice),
        cmocka_unit_test(test_judge_shapes__failure_keeps_the_shape_secret),
        cmocka_unit_test(test_judge_shapes__dear_public_workloads_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
