/* Philox against the known answers of the Random123 distribution, and the
 * naming of streams. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void test_base_rng__known_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } rows[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t got[4];

        whet_philox4x32(got, rows[i].counter, rows[i].key);
        assert_memory_equal(got, rows[i].want, sizeof got);
    }
}

/* bf9cf968 is the published FNV-1a-32 hash of "foobar". */
static void test_base_rng__stream_follows_from_its_name(void **state)
{
    const uint32_t key[2] = {0x55667788, 0x11223344};
    uint32_t counter[4] = {0, 0xddeeff00, 0x99aabbcc, 0xbf9cf968};
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, UINT64_C(0x1122334455667788),
                  UINT64_C(0x99aabbccddeeff00), "foobar");
    for (uint32_t block = 0; block < 3; block++) {
        uint32_t want[4];

        counter[0] = block;
        whet_philox4x32(want, counter, key);
        for (int i = 0; i < 4; i++)
            assert_int_equal(whet_rng_u32(&rng), want[i]);
    }
}

static void test_base_rng__words_join_low_first(void **state)
{
    whet_rng a, b;
    uint64_t low, high;

    (void)state;
    whet_rng_init(&a, 1, 2, "x");
    b = a;
    low = whet_rng_u32(&a);
    high = whet_rng_u32(&a);
    assert_true(whet_rng_u64(&b) == (high << 32 | low));
}

static void test_base_rng__names_give_different_streams(void **state)
{
    whet_rng base, seed, step, purpose;
    uint64_t first;

    (void)state;
    whet_rng_init(&base, 1, 2, "tune.sample");
    whet_rng_init(&seed, 2, 2, "tune.sample");
    whet_rng_init(&step, 1, 3, "tune.sample");
    whet_rng_init(&purpose, 1, 2, "abba.order");
    first = whet_rng_u64(&base);
    assert_true(first != whet_rng_u64(&seed));
    assert_true(first != whet_rng_u64(&step));
    assert_true(first != whet_rng_u64(&purpose));
}

/* 60000 draws in 6 bins: chi-squared with 5 degrees of freedom exceeds 20.5
 * with probability 0.001; the stream is fixed, so the result is too. */
static void test_base_rng__below_is_uniform_and_in_range(void **state)
{
    unsigned bins[6] = {0};
    double chi2 = 0;
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, 7, 0, "test");
    for (int i = 0; i < 60000; i++) {
        uint64_t draw = whet_rng_below(&rng, 6);

        assert_true(draw < 6);
        bins[draw]++;
    }
    for (int i = 0; i < 6; i++)
        chi2 += (bins[i] - 1e4) * (bins[i] - 1e4) / 1e4;
    assert_true(chi2 < 20.5);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(whet_rng_below(&rng, 1), 0);
        assert_true(whet_rng_below(&rng, UINT64_C(1) << 63) < UINT64_C(1)
                                                                  << 63);
        assert_true(whet_rng_below(&rng, UINT64_MAX) < UINT64_MAX);
    }
}

/* With bound 3 * 2^62 the top quarter of all words must be drawn again;
 * taking it modulo the bound would favour the lowest third. */
static void test_base_rng__below_has_no_modulo_bias(void **state)
{
    const uint64_t third = UINT64_C(1) << 62;
    int low = 0;
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, 3, 0, "test");
    for (int i = 0; i < 30000; i++)
        low += whet_rng_below(&rng, 3 * third) < third;
    /* 10000 expected (15000 with the bias), standard deviation 82. */
    assert_true(low > 9700 && low < 10300);
}

static void test_base_rng__f64_is_in_unit_interval(void **state)
{
    double sum = 0;
    whet_rng rng;

    (void)state;
    whet_rng_init(&rng, 9, 0, "test");
    for (int i = 0; i < 10000; i++) {
        double draw = whet_rng_f64(&rng);

        assert_true(draw >= 0 && draw < 1);
        sum += draw;
    }
    assert_true(sum > 4900 && sum < 5100);
}

static void test_base_rng__secrets_differ_and_fill(void **state)
{
    unsigned char a[300] = {0}, b[300] = {0};
    unsigned zeros = 0;

    (void)state;
    assert_int_equal(whet_rng_secret(a, sizeof a, NULL), WHET_OK);
    assert_int_equal(whet_rng_secret(b, sizeof b, NULL), WHET_OK);
    assert_memory_not_equal(a, b, sizeof a);
    for (unsigned i = 0; i < sizeof a; i++)
        zeros += a[i] == 0;
    /* About one in 256; 20 of 300 does not happen by chance. */
    assert_true(zeros < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_rng__known_answers),
        cmocka_unit_test(test_base_rng__secrets_differ_and_fill),
        cmocka_unit_test(test_base_rng__stream_follows_from_its_name),
        cmocka_unit_test(test_base_rng__words_join_low_first),
        cmocka_unit_test(test_base_rng__names_give_different_streams),
        cmocka_unit_test(test_base_rng__below_is_uniform_and_in_range),
        cmocka_unit_test(test_base_rng__below_has_no_modulo_bias),
        cmocka_unit_test(test_base_rng__f64_is_in_unit_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
