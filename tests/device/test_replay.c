/* Virtual clock, seeded keys and the words that files may hold. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/replay_priv.h"

#include <string.h>

static void test_device_replay__time_passes_only_when_told(void **state)
{
    whet_replay replay = {.epoch_ns = 1000};
    whet_clock clock = whet_replay__clock(&replay);

    (void)state;
    assert_int_equal(whet_clock_now(&clock), 0);
    assert_int_equal(whet_clock_now(&clock), 0);
    whet_replay__advance(&replay, 7);
    assert_int_equal(whet_clock_now(&clock), 7);
    assert_int_equal(whet_clock_wall(&clock), 1007);
    whet_replay__advance(&replay, UINT64_MAX);
    assert_true(whet_clock_now(&clock) == UINT64_MAX);
    assert_true(whet_clock_wall(&clock) == UINT64_MAX);
}

/* Pinned: keys of a recording must stay the same in later versions and on
 * machines of either byte order. */
static void test_device_replay__keys_follow_from_the_seed(void **state)
{
    whet_replay replay = {.seed = UINT64_C(0x123456789abcdef0)};
    whet_replay other = {.seed = 1};
    unsigned char first[16], second[16], third[16], block[16];
    const uint32_t key[] = {0x9abcdef0, 0x12345678};
    uint32_t counter[4] = {0, 1, 0, UINT32_C(2166136261)}, out[4];

    (void)state;
    for (const char *c = "replay.entropy"; *c != '\0'; c++)
        counter[3] = (counter[3] ^ (unsigned char)*c) * UINT32_C(16777619);
    whet_replay__entropy(&replay, first);
    whet_replay__entropy(&replay, second);
    whet_replay__entropy(&other, third);
    assert_memory_not_equal(first, second, 16);
    assert_memory_not_equal(first, third, 16);
    whet_philox4x32(out, counter, key);
    for (size_t i = 0; i < 16; i++)
        block[i] = (unsigned char)(out[i / 4] >> (8 * (i % 4)));
    assert_memory_equal(second, block, 16);
}

static void test_device_replay__identity_covers_what_decides_speed(void **state)
{
    whet_device_facts base = {.backend = "b", .name = "n"}, facts[6];

    (void)state;
    for (size_t i = 0; i < 6; i++)
        facts[i] = base;
    whet_strcopy(facts[1].backend, sizeof base.backend, "c");
    whet_strcopy(facts[2].name, sizeof base.name, "m");
    whet_strcopy(facts[3].arch, sizeof base.arch, "a");
    whet_strcopy(facts[4].driver, sizeof base.driver, "d");
    facts[5].limits.cu_count = 1;
    base.index = 3;
    base.evidence = WHET_EVIDENCE_RECORDED;
    whet_replay__identify(&base);
    for (size_t i = 0; i < 6; i++) {
        whet_replay__identify(&facts[i]);
        assert_true(whet_replay__is_hash(facts[i].id));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(facts[i].id, facts[j].id);
    }
    assert_string_equal(base.id, facts[0].id);
}

static void test_device_replay__reasons_are_words(void **state)
{
    char edge[65];

    (void)state;
    assert_true(whet_replay__is_reason("not_finite"));
    assert_true(whet_replay__is_reason("below-floor2"));
    assert_false(whet_replay__is_reason(""));
    assert_false(whet_replay__is_reason("2fast"));
    assert_false(whet_replay__is_reason("Guard"));
    assert_false(whet_replay__is_reason("a b"));
    assert_false(whet_replay__is_reason("a\n"));
    memset(edge, 'a', sizeof edge);
    edge[64] = '\0';
    assert_false(whet_replay__is_reason(edge));
    edge[63] = '\0';
    assert_true(whet_replay__is_reason(edge));
}

static void test_device_replay__hashes_are_64_lower_case_digits(void **state)
{
    whet_hash hash = whet_hash_bytes("x", 1);

    (void)state;
    assert_true(whet_replay__is_hash(hash.text));
    hash.text[5] = 'A';
    assert_false(whet_replay__is_hash(hash.text));
    hash.text[5] = '\0';
    assert_false(whet_replay__is_hash(hash.text));
    assert_false(whet_replay__is_hash(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_replay__time_passes_only_when_told),
        cmocka_unit_test(test_device_replay__keys_follow_from_the_seed),
        cmocka_unit_test(
            test_device_replay__identity_covers_what_decides_speed),
        cmocka_unit_test(test_device_replay__reasons_are_words),
        cmocka_unit_test(test_device_replay__hashes_are_64_lower_case_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
