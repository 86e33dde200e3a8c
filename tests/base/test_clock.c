/* Clocks and the text form of times. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static uint64_t scripted(void *payload)
{
    uint64_t *next = payload;

    return *next += 10;
}

static void test_base_clock__system_clock_never_goes_back(void **state)
{
    whet_clock clock = whet_clock_system();
    uint64_t before = whet_clock_now(&clock);

    (void)state;
    assert_true(before > 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t now = whet_clock_now(&clock);

        assert_true(now >= before);
        before = now;
    }
    /* 2020-01-01; a machine whose clock is older cannot be told the time. */
    assert_true(whet_clock_wall(&clock) > UINT64_C(1577836800000000000));
}

static void test_base_clock__can_be_replaced(void **state)
{
    uint64_t now = 5;
    whet_clock clock = {scripted, scripted, &now};

    (void)state;
    assert_int_equal(whet_clock_now(&clock), 15);
    assert_int_equal(whet_clock_wall(&clock), 25);
}

static void test_base_clock__formats_wall_time_as_utc(void **state)
{
    char text[32];

    (void)state;
    whet_clock_format(text, 0);
    assert_string_equal(text, "1970-01-01T00:00:00Z");
    whet_clock_format(text, UINT64_C(1796070746999999999));
    assert_string_equal(text, "2026-11-30T20:32:26Z");
    whet_clock_format(text, UINT64_MAX);
    assert_string_equal(text, "2554-07-21T23:34:33Z");
}

static void test_base_clock__formats_durations(void **state)
{
    static const struct {
        uint64_t ns;
        const char *want;
    } rows[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {17249, "17.2 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {1530000000, "1.53 s"},
        {9996000000, "10.0 s"},
        {59949999999, "59.9 s"},
        {59950000000, "1 min 0 s"},
        {125000000000, "2 min 5 s"},
        {3599500000000, "1 h 0 min"},
        {UINT64_MAX, "5124095 h 34 min"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];

        whet_duration_format(text, rows[i].ns);
        assert_string_equal(text, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_clock__system_clock_never_goes_back),
        cmocka_unit_test(test_base_clock__can_be_replaced),
        cmocka_unit_test(test_base_clock__formats_wall_time_as_utc),
        cmocka_unit_test(test_base_clock__formats_durations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
