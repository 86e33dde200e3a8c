/* Names of outcomes and reasons; the standard protocols. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/judge.h"

#include <string.h>

static void test_judge_names__every_reason_is_found_by_its_name(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < WHET_REASON_COUNT; i++) {
        const char *name = whet_reason_name((whet_reason)i);

        assert_non_null(name);
        assert_int_equal(whet_reason_find(name), i);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"),
                         strlen(name));
    }
    assert_int_equal(whet_reason_find("no such reason"), WHET_REASON_COUNT);
    assert_int_equal(whet_reason_find(""), WHET_REASON_COUNT);
}

static void test_judge_names__only_none_is_correct(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < WHET_REASON_COUNT; i++)
        assert_int_equal(whet_reason_outcome((whet_reason)i) ==
                             WHET_OUTCOME_CORRECT,
                         i == WHET_REASON_NONE);
    assert_int_equal(whet_reason_outcome(WHET_REASON_COMPILE),
                     WHET_OUTCOME_BUILD);
    assert_int_equal(whet_reason_outcome(WHET_REASON_NOT_FINITE),
                     WHET_OUTCOME_WRONG);
    assert_int_equal(whet_reason_outcome(WHET_REASON_GUARD),
                     WHET_OUTCOME_INTEGRITY);
    assert_int_equal(whet_reason_outcome(WHET_REASON_LAUNCH),
                     WHET_OUTCOME_RESOURCE);
    assert_string_equal(whet_outcome_name(WHET_OUTCOME_BUILD), "build");
    assert_string_equal(whet_outcome_name(WHET_OUTCOME_CORRECT), "correct");
}

static void test_judge_names__protocols_make_the_calls_asked_for(void **state)
{
    unsigned calls;

    (void)state;
    for (calls = 0; calls < 400; calls += 7) {
        whet_protocol screen = whet_protocol_screen(calls);
        whet_protocol confirm = whet_protocol_confirm(calls);

        assert_true(screen.blocks * screen.pairs_per_block <= calls);
        assert_true(screen.blocks * screen.pairs_per_block + 1 >= calls);
        assert_true(confirm.blocks * confirm.pairs_per_block >= calls);
        assert_true(confirm.blocks * confirm.pairs_per_block < calls + 12);
        assert_true(confirm.blocks > 0 && confirm.pairs_per_block > 0);
    }
    {
        whet_protocol timing = whet_protocol_timing("a/a", 6, 5);

        assert_string_equal(timing.name, "a/a");
        assert_int_equal(timing.blocks * timing.pairs_per_block, 30);
        assert_int_equal(timing.hidden_shapes, 0);
        assert_false(timing.is_watched);
        assert_false(timing.public_shapes);
    }
    assert_true(whet_protocol_confirm(300).is_watched);
    assert_false(whet_protocol_screen(8).is_watched);
    assert_int_equal(whet_protocol_confirm(300).blocks, 12);
    assert_int_equal(whet_protocol_confirm(300).pairs_per_block, 25);
}

static void
test_judge_names__the_last_workers_make_half_of_the_calls(void **state)
{
    static const unsigned confirm[12] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3};
    static const unsigned timing[6] = {0, 1, 2, 3, 3, 3};
    whet_protocol p = whet_protocol_confirm(300);
    unsigned i, blocks, generations;

    (void)state;
    /* 150 calls of one process: a fault after the first 100 shows. */
    for (i = 0; i < 12; i++)
        assert_int_equal(whet_protocol_generation(&p, i), confirm[i]);
    p = whet_protocol_timing("a/a", 6, 4);
    for (i = 0; i < 6; i++)
        assert_int_equal(whet_protocol_generation(&p, i), timing[i]);
    p = whet_protocol_screen(8);
    assert_int_equal(whet_protocol_generation(&p, p.blocks - 1), 0);
    assert_int_equal(whet_protocol_confirm(5).generations, 1);
    /* Ascending by steps of one, whatever is asked for. */
    for (blocks = 1; blocks < 15; blocks++)
        for (generations = 0; generations <= blocks; generations++) {
            unsigned last = 0;

            p.blocks = blocks;
            p.generations = generations;
            assert_int_equal(whet_protocol_generation(&p, 0), 0);
            for (i = 1; i < blocks; i++) {
                unsigned now = whet_protocol_generation(&p, i);

                assert_true(now == last || now == last + 1);
                last = now;
            }
            assert_int_equal(last, generations > 1 ? generations - 1 : 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_names__every_reason_is_found_by_its_name),
        cmocka_unit_test(test_judge_names__only_none_is_correct),
        cmocka_unit_test(test_judge_names__protocols_make_the_calls_asked_for),
        cmocka_unit_test(
            test_judge_names__the_last_workers_make_half_of_the_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
