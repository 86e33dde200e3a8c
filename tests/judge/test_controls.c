/* Controls of the clock on a device whose times are made up: right ones hold,
 * wrong ones do not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_device.h"
#include "judge/calibrate_priv.h"

#include <signal.h>
#include <string.h>

static whet_controls hold(const char *word)
{
    fake_session *s = fake_open(0, word, word);
    whet_controls controls;
    whet_err err = {0};

    if (whet_gauge__controls(&controls, s->judge, s->arms[0], &err) != WHET_OK)
        fail_msg("%s", err.msg);
    fake_close(s);
    return controls;
}

static void test_judge_controls__times_in_proportion_hold(void **state)
{
    whet_controls c = hold(FAKE_BY_LAUNCH);

    (void)state;
    assert_true(c.spin == 3.0 && c.twice == 0.5);
    assert_true(whet_calibration_controls_hold(&c));
}

static void test_judge_controls__a_clock_that_stands_is_found(void **state)
{
    whet_controls c = hold(FAKE_GOOD);

    (void)state;
    assert_true(c.spin == 1.0 && c.twice == 1.0);
    assert_false(whet_calibration_controls_hold(&c));
}

static void test_judge_controls__a_kernel_that_fails_is_told(void **state)
{
    fake_session *s = fake_open(0, FAKE_FAIL, FAKE_FAIL);
    whet_controls controls;
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_gauge__controls(&controls, s->judge, s->arms[0], &err),
        WHET_EFAIL);
    assert_string_not_equal(err.msg, "");
    assert_true(controls.spin == 0);
    s->arms[0]->plan.launch_count = 2;
    assert_int_equal(
        whet_gauge__controls(&controls, s->judge, s->arms[0], &err),
        WHET_EINVAL);
    assert_non_null(strstr(err.msg, "2 launches"));
    fake_close(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_controls__times_in_proportion_hold),
        cmocka_unit_test(test_judge_controls__a_clock_that_stands_is_found),
        cmocka_unit_test(test_judge_controls__a_kernel_that_fails_is_told),
    };

    if (argc == 2 && strcmp(argv[1], "__worker") == 0)
        whet_judge__worker_main(fake_find);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
