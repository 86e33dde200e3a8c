/* Choosing among cards: order, thresholds, locks, and what is said. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <stdlib.h>
#include <string.h>

/* The fake library: c1 has 50 % of its memory in use and is 42 % busy; d1 has
 * 2 % in use and does not tell how busy it is. */
static const char *const cards[] = {"0000:c1:00.0", "0000:d1:00.0"};

static whet_status pick(uint32_t *index, whet_card_lock *lock, char why[160],
                        const whet_pick_opts *opts, whet_err *err)
{
    return whet_pick_card(index, lock, why, cards, 2, opts, err);
}

static void expect(const whet_pick_opts *opts, uint32_t index, const char *why)
{
    char said[160] = "";
    whet_card_lock lock;
    whet_err err = {0};
    uint32_t got = 99;

    if (pick(&got, &lock, said, opts, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(got, index);
    assert_string_equal(lock.pci, cards[index]);
    assert_string_equal(said, why);
    whet_card_lock_release(&lock);
}

static void test_device_pick__words(void **state)
{
    static const char *const words[] = {"default", "random", "min_mem",
                                        "min_util"};
    whet_err err = {0};
    whet_pick got;

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(whet_pick_parse(&got, words[i], &err), WHET_OK);
        assert_int_equal(got, i);
    }
    assert_int_equal(whet_pick_parse(&got, "min_men", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "did you mean \"min_mem\"?"));
    assert_int_equal(whet_pick_parse(&got, "", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected default"));
}

static void test_device_pick__by_load(void **state)
{
    card_kit_nvml(*state, "");
    expect(&(whet_pick_opts){0}, 0, "first");
    expect(&(whet_pick_opts){.pick = WHET_PICK_MIN_MEM}, 1,
           "least memory in use: 2 %");
    /* What is not told comes last. */
    expect(&(whet_pick_opts){.pick = WHET_PICK_MIN_UTIL}, 0,
           "least busy: 42 %");
}

static void test_device_pick__thresholds(void **state)
{
    card_kit_nvml(*state, "");
    expect(&(whet_pick_opts){.memory_max_pct = 40}, 1,
           "first, 1 in use or busy passed over");
    expect(&(whet_pick_opts){.memory_max_pct = 60}, 0, "first");
    expect(&(whet_pick_opts){.use_max_pct = 10}, 1,
           "first, 1 in use or busy passed over; its load is unknown and "
           "counts as free");
}

static void test_device_pick__all_busy(void **state)
{
    const whet_pick_opts opts = {.memory_max_pct = 1};
    whet_card_lock lock;
    whet_err err = {0};
    uint32_t index;

    card_kit_nvml(*state, "");
    assert_int_equal(pick(&index, &lock, NULL, &opts, &err), WHET_EUNSUPPORTED);
    assert_int_equal(lock.fd, -1);
    assert_non_null(strstr(err.msg, "none of 2 cards is free: card "
                                    "0000:c1:00.0 is busy: 50 % of its "
                                    "memory, 42 % of its time"));
}

static void test_device_pick__never_two_on_one(void **state)
{
    const whet_pick_opts opts = {0};
    whet_card_lock first, second, third;
    whet_err err = {0};
    uint32_t a, b, c;

    (void)state;
    assert_int_equal(pick(&a, &first, NULL, &opts, NULL), WHET_OK);
    assert_int_equal(pick(&b, &second, NULL, &opts, NULL), WHET_OK);
    assert_int_not_equal(a, b);
    assert_int_equal(pick(&c, &third, NULL, &opts, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "none of 2 cards is free: card "
                                    "0000:c1:00.0 is in use by "));
    whet_card_lock_release(&first);
    whet_card_lock_release(&second);
}

static void test_device_pick__random_takes_either(void **state)
{
    const whet_pick_opts opts = {.pick = WHET_PICK_RANDOM};
    unsigned seen = 0;

    (void)state;
    /* That one of two never comes in 64 draws: 1 in 10^19. */
    for (int i = 0; i < 64 && seen != 3; i++) {
        whet_card_lock lock;
        char why[160];
        uint32_t index;

        assert_int_equal(pick(&index, &lock, why, &opts, NULL), WHET_OK);
        assert_string_equal(why, "drawn at random");
        seen |= 1u << index;
        whet_card_lock_release(&lock);
    }
    assert_int_equal(seen, 3);
}

static void test_device_pick__waiting_ends(void **state)
{
    const volatile int cancel = 1;
    whet_pick_opts opts = {.wait_ns = 250000000u};
    whet_card_lock held[2], lock;
    whet_err err = {0};
    uint32_t index;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(whet_card_lock_take(&held[i], cards[i], 0, NULL, NULL),
                         WHET_OK);
    assert_int_equal(pick(&index, &lock, NULL, &opts, &err), WHET_EUNSUPPORTED);
    assert_true(err.msg[0] != '\0');
    opts.cancel = &cancel;
    opts.wait_ns = 60000000000u;
    assert_int_equal(pick(&index, &lock, NULL, &opts, &err), WHET_ECANCELLED);
    assert_non_null(strstr(err.msg, "cancelled"));
    for (int i = 0; i < 2; i++)
        whet_card_lock_release(&held[i]);
}

static void test_device_pick__broken_folder_is_no_busy_card(void **state)
{
    const card_kit *kit = *state;
    const whet_pick_opts opts = {.wait_ns = 60000000000u};
    whet_card_lock lock;
    whet_err err = {0};
    uint32_t index;

    setenv("WHET_LOCK_DIR", "/nonexistent/locks", 1);
    assert_int_equal(pick(&index, &lock, NULL, &opts, &err), WHET_EFAIL);
    setenv("WHET_LOCK_DIR", kit->locks, 1);
    assert_non_null(strstr(err.msg, "lock folder"));
    assert_int_equal(whet_pick_card(&index, &lock, NULL, cards, 0, &opts, &err),
                     WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "no card to pick from");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_pick__words),
        cmocka_unit_test(test_device_pick__by_load),
        cmocka_unit_test(test_device_pick__thresholds),
        cmocka_unit_test(test_device_pick__all_busy),
        cmocka_unit_test(test_device_pick__never_two_on_one),
        cmocka_unit_test(test_device_pick__random_takes_either),
        cmocka_unit_test(test_device_pick__waiting_ends),
        cmocka_unit_test(test_device_pick__broken_folder_is_no_busy_card),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, card_kit_open, card_kit_close);
}
