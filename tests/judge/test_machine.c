/* Readings of the kernel's files and of cards. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/machine_priv.h"

#include <math.h>
#include <unistd.h>

static void test_judge_machine__busy_is_all_but_idle(void **state)
{
    double busy = 0, all = 0;

    (void)state;
    assert_true(whet_judge__parse_stat(
        &busy, &all, "cpu  10 20 30 1000 500 1 2 4 8 16\ncpu0 1 2 3\n"));
    assert_true(all == 1567 && busy == 67);
    assert_false(whet_judge__parse_stat(&busy, &all, ""));
    assert_false(whet_judge__parse_stat(&busy, &all, "cpu 1 2 3"));
    assert_false(whet_judge__parse_stat(&busy, &all, "intr 1 2 3 4 5 6 7 8"));
}

static void test_judge_machine__names_of_processes_do_not_confuse(void **state)
{
    double ticks = 0;

    (void)state;
    assert_true(whet_judge__parse_process(
        &ticks, "12 (a) 1 (b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0 1 0 5"));
    assert_true(ticks == 127);
    assert_false(whet_judge__parse_process(&ticks, ""));
    assert_false(whet_judge__parse_process(&ticks, "12 name S 1 2 3 4"));
    assert_false(whet_judge__parse_process(&ticks, "12 (name) S 1 2 3 4"));
}

static void test_judge_machine__a_card_tells_what_it_knows(void **state)
{
    whet_machine out = {.ecc_count = NAN,
                        .clock_mhz = NAN,
                        .throttled_ns = NAN,
                        .slowdown = NAN,
                        .foreign_count = NAN};
    whet_card card = {0};

    (void)state;
    whet_judge__read_card(&out, &card, 2);
    assert_true(isnan(out.ecc_count) && isnan(out.clock_mhz));
    assert_true(isnan(out.throttled_ns) && isnan(out.slowdown));
    assert_true(isnan(out.foreign_count));
    card.ecc_count = card.throttled_ns = (whet_reading){7, true};
    card.clock_mhz = (whet_reading){1980, true};
    card.knows_processes = true;
    card.process_count = 2;
    card.throttle_bits = (whet_reading){0x01, true};
    whet_judge__read_card(&out, &card, 2);
    assert_true(out.ecc_count == 7 && out.throttled_ns == 7);
    assert_true(out.slowdown == 0 && out.foreign_count == 0);
    assert_true(isnan(out.clock_mhz)); /* idle */
    card.process_count = 3;
    card.throttle_bits.value = 0x44; /* power cap, hot */
    whet_judge__read_card(&out, &card, 2);
    assert_true(out.slowdown == 1 && out.foreign_count == 1);
    assert_true(out.clock_mhz == 1980);
    card.throttle_bits.value = 0x04;
    whet_judge__read_card(&out, &card, 4);
    assert_true(out.slowdown == 0 && out.foreign_count == 0);
}

static void test_judge_machine__this_machine_can_be_looked_at(void **state)
{
    static const whet_device_ops ops = {.caps = WHET_DEVICE_CAP_LIVE |
                                                WHET_DEVICE_CAP_NATIVE};
    whet_device_handle device = {.ops = &ops};
    whet_judge judge = {.ops = &ops, .clock = whet_clock_system()};
    const pid_t none[] = {0}, parent[] = {getppid(), 0};
    whet_machine alone, both;

    (void)state;
    judge.opts.device = &device;
    whet_judge__look(&alone, &judge, none);
    whet_judge__look(&both, &judge, parent);
    assert_true(alone.now_ns > 0);
    assert_true(alone.all_ticks >= alone.busy_ticks && alone.busy_ticks > 0);
    assert_true(alone.own_ticks >= 0 && both.own_ticks >= alone.own_ticks);
    assert_true(both.all_ticks >= alone.all_ticks);
    assert_true(isnan(alone.clock_mhz) && isnan(alone.ecc_count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_machine__busy_is_all_but_idle),
        cmocka_unit_test(test_judge_machine__names_of_processes_do_not_confuse),
        cmocka_unit_test(test_judge_machine__a_card_tells_what_it_knows),
        cmocka_unit_test(test_judge_machine__this_machine_can_be_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
