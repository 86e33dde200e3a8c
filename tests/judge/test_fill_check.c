/* Poison, guards and the comparison of elements. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/verifier.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 64 };

static const whet_key key = {{1, 2, 3, 4}};

static whet_tally compare(whet_dtype dtype, const void *got, double value,
                          double scale, double factor, double floor)
{
    whet_tally tally = {0};
    unsigned char poison[8];

    whet_judge__poison(poison, sizeof poison, dtype, &key, 0);
    whet_judge__compare_row(&tally, dtype, got, poison, &value, &scale, 1,
                            factor, floor);
    return tally;
}

static whet_reason f32(float got, double value, double scale)
{
    whet_tally t = compare(WHET_DTYPE_F32, &got, value, scale, 0x1p-10, 0);

    return whet_judge__tally_reason(&t);
}

static void test_judge_fill_check__poison_is_nan_of_each_dtype(void **state)
{
    static const whet_dtype dtypes[] = {WHET_DTYPE_F64, WHET_DTYPE_F32,
                                        WHET_DTYPE_F16, WHET_DTYPE_BF16};
    unsigned char bytes[8 * COUNT];
    size_t d, i;

    (void)state;
    for (d = 0; d < 4; d++) {
        whet_judge__poison(bytes, sizeof bytes, dtypes[d], &key, 1);
        for (i = 0; i < sizeof bytes; i += whet_dtype_bytes(dtypes[d]))
            assert_true(isnan(whet_dtype_load(dtypes[d], bytes + i)));
    }
}

static void
test_judge_fill_check__content_depends_on_all_it_should(void **state)
{
    whet_key other = {{1, 2, 3, 5}};
    unsigned char a[512], b[512];

    (void)state;
    whet_judge__poison(a, 512, WHET_DTYPE_F32, &key, 1);
    whet_judge__poison(b, 512, WHET_DTYPE_F32, &key, 1);
    assert_memory_equal(a, b, 512);
    whet_judge__poison(b, 512, WHET_DTYPE_F32, &other, 1);
    assert_memory_not_equal(a, b, 512);
    whet_judge__poison(b, 512, WHET_DTYPE_F32, &key, 2);
    assert_memory_not_equal(a, b, 512);
    whet_judge__guard(a, 512, &key, 1, 0);
    whet_judge__guard(b, 512, &key, 2, 0);
    assert_memory_not_equal(a, b, 512);
    whet_judge__guard(b, 512, &other, 1, 0);
    assert_memory_not_equal(a, b, 512);
}

static void test_judge_fill_check__any_range_gives_the_same_bytes(void **state)
{
    unsigned char whole[519], part[519];
    size_t first, bytes;

    (void)state;
    whet_judge__guard(whole, sizeof whole, &key, 3, 0);
    for (first = 0; first < sizeof whole; first += 56) {
        bytes = sizeof whole - first;
        whet_judge__guard(part, bytes, &key, 3, first);
        assert_memory_equal(part, whole + first, bytes);
    }
    whet_judge__poison(whole, sizeof whole, WHET_DTYPE_F16, &key, 3);
    whet_judge__poison(part, 13, WHET_DTYPE_F16, &key, 3);
    assert_memory_equal(part, whole + 4, 13);
}

/* Small inputs always, large ones in parts that follow from the key: about one
 * chunk in eight, every chunk in one call of eight. */
static void
test_judge_fill_check__large_inputs_are_looked_at_in_parts(void **state)
{
    whet_layout layout = {.buffer_count = 2};
    unsigned calls, whole = 0, seen = 0;
    uint64_t chunk;

    (void)state;
    layout.buffers[0] =
        (whet_layout_buffer){.bytes = 64 << 20, .kind = WHET_BUFFER_IN};
    layout.buffers[1] =
        (whet_layout_buffer){.bytes = 1 << 30, .kind = WHET_BUFFER_OUT};
    for (chunk = 0; chunk < 16; chunk++)
        assert_true(whet_judge__is_looked_at(&layout, 1, 0, chunk));
    layout.buffers[0].bytes += 1;
    for (calls = 0; calls < 800; calls++) {
        whet_key drawn = {{calls, 2, 3, 4}};
        uint64_t seed = whet_judge__look_seed(&drawn);
        unsigned looked = 0;

        for (chunk = 0; chunk < 64; chunk++)
            looked += whet_judge__is_looked_at(&layout, seed, 0, chunk);
        whole += looked == 64;
        seen += looked == 64 ? 0 : looked;
    }
    assert_in_range(whole, 60, 140);
    assert_in_range(seen, 700 * 64 / 8 * 8 / 10, 700 * 64 / 8 * 12 / 10);
}

static void test_judge_fill_check__bound_is_inclusive(void **state)
{
    (void)state;
    assert_int_equal(f32(1.0f, 1.0, 1.0), WHET_REASON_NONE);
    assert_int_equal(f32(1.0f + 0x1p-10f, 1.0, 1.0), WHET_REASON_NONE);
    assert_int_equal(f32(1.0f - 0x1p-10f, 1.0, 1.0), WHET_REASON_NONE);
    assert_int_equal(f32(1.0f + 0x1.01p-10f, 1.0, 1.0), WHET_REASON_MISMATCH);
    assert_int_equal(f32(0.0f, 0.0, 0.0), WHET_REASON_NONE);
    assert_int_equal(f32(FLT_MIN, 0.0, 0.0), WHET_REASON_MISMATCH);
}

static void test_judge_fill_check__nan_never_passes(void **state)
{
    float nan_got = NAN;
    whet_tally t;

    (void)state;
    assert_int_equal(f32(NAN, 1.0, 1.0), WHET_REASON_NOT_FINITE);
    assert_int_equal(f32(INFINITY, 1.0, 1.0), WHET_REASON_NOT_FINITE);
    assert_int_equal(f32(-INFINITY, 1.0, 1.0), WHET_REASON_NOT_FINITE);
    /* A reference or bound that is not a number is no wildcard either. */
    assert_int_equal(f32(1.0f, NAN, 1.0), WHET_REASON_MISMATCH);
    assert_int_equal(f32(1.0f, 1.0, NAN), WHET_REASON_MISMATCH);
    assert_int_equal(f32(1.0f, INFINITY, 1.0), WHET_REASON_MISMATCH);
    t = compare(WHET_DTYPE_F32, &nan_got, NAN, NAN, 1, 0);
    assert_int_equal(t.bad_count, 1);
}

static void test_judge_fill_check__infinite_bound_excuses_nothing(void **state)
{
    (void)state;
    assert_int_equal(f32(5.0f, 1.0, INFINITY), WHET_REASON_MISMATCH);
    assert_int_equal(f32(INFINITY, INFINITY, INFINITY), WHET_REASON_NOT_FINITE);
}

static void test_judge_fill_check__floor_allows_flushing(void **state)
{
    float zero = 0.0f;
    whet_tally t;

    (void)state;
    t = compare(WHET_DTYPE_F32, &zero, 0x1p-130, 0x1p-130, 0x1p-10, FLT_MIN);
    assert_int_equal(t.bad_count, 0);
    t = compare(WHET_DTYPE_F32, &zero, 0x1p-130, 0x1p-130, 0x1p-10, 0);
    assert_int_equal(t.bad_count, 1);
}

static void test_judge_fill_check__poison_is_told_from_other_nan(void **state)
{
    float got[3];
    double value[3] = {1, 1, 1}, scale[3] = {1, 1, 1};
    unsigned char poison[16];
    whet_tally t = {0};

    (void)state;
    whet_judge__poison(poison, sizeof poison, WHET_DTYPE_F32, &key, 0);
    memcpy(got, poison, sizeof got);
    got[1] = NAN;
    got[2] = 2.0f;
    whet_judge__compare_row(&t, WHET_DTYPE_F32, got, poison, value, scale, 3,
                            0x1p-10, 0);
    assert_int_equal(t.bad_count, 3);
    assert_int_equal(t.unwritten_count, 1);
    assert_int_equal(t.not_finite_count, 1);
    assert_true(t.worst == 0x1p10);
    assert_int_equal(whet_judge__tally_reason(&t), WHET_REASON_UNWRITTEN);
}

static void test_judge_fill_check__one_fault_in_a_row_is_seen(void **state)
{
    float got[1000];
    double value[1000], scale[1000];
    static unsigned char poison[4000];
    size_t at, i;

    (void)state;
    whet_judge__poison(poison, sizeof poison, WHET_DTYPE_F32, &key, 0);
    for (i = 0; i < 1000; i++) {
        got[i] = (float)i;
        value[i] = (double)i;
        scale[i] = 1;
    }
    for (at = 0; at < 1000; at += 37) {
        whet_tally t = {0};

        got[at] += 1.0f;
        whet_judge__compare_row(&t, WHET_DTYPE_F32, got, poison, value, scale,
                                1000, 0x1p-10, 0);
        got[at] -= 1.0f;
        assert_int_equal(t.bad_count, 1);
        assert_int_equal(whet_judge__tally_reason(&t), WHET_REASON_MISMATCH);
    }
}

static void test_judge_fill_check__other_dtypes(void **state)
{
    const uint16_t half_one = 0x3c00, half_next = 0x3c01, half_nan = 0x7e00;
    const uint16_t bf_one = 0x3f80, bf_next = 0x3f81;
    const double one = 1.0, off = 1.0 + 0x1p-20;
    const int32_t seven = 7, least = INT32_MIN;

    (void)state;
    assert_int_equal(
        compare(WHET_DTYPE_F16, &half_one, 1, 1, 0x1p-11, 0).bad_count, 0);
    assert_int_equal(
        compare(WHET_DTYPE_F16, &half_next, 1, 1, 0x1p-11, 0).bad_count, 1);
    assert_int_equal(
        compare(WHET_DTYPE_F16, &half_next, 1, 1, 0x1p-10, 0).bad_count, 0);
    assert_int_equal(
        compare(WHET_DTYPE_F16, &half_nan, 1, 1, 1, 0).not_finite_count, 1);
    assert_int_equal(
        compare(WHET_DTYPE_BF16, &bf_one, 1, 1, 0x1p-8, 0).bad_count, 0);
    assert_int_equal(
        compare(WHET_DTYPE_BF16, &bf_next, 1, 1, 0x1p-8, 0).bad_count, 1);
    assert_int_equal(compare(WHET_DTYPE_F64, &one, 1, 1, 0, 0).bad_count, 0);
    assert_int_equal(compare(WHET_DTYPE_F64, &off, 1, 1, 0, 0).bad_count, 1);
    assert_int_equal(compare(WHET_DTYPE_I32, &seven, 7, 7, 0, 0).bad_count, 0);
    assert_int_equal(compare(WHET_DTYPE_I32, &seven, 8, 8, 0, 0).bad_count, 1);
    assert_int_equal(
        compare(WHET_DTYPE_I32, &least, -2147483648.0, 0, 0, 0).bad_count, 0);
}

static void
test_judge_fill_check__worst_error_is_in_units_of_the_bound(void **state)
{
    float got = 1.0f + 0x1p-12f;
    whet_tally t = compare(WHET_DTYPE_F32, &got, 1.0, 1.0, 0x1p-10, 0);
    const double wide = 1.0 + 0x1p-12;

    (void)state;
    assert_true(t.worst == 0.25);
    t = compare(WHET_DTYPE_F64, &wide, 1.0, 1.0, 0x1p-10, 0);
    assert_true(t.worst == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_fill_check__poison_is_nan_of_each_dtype),
        cmocka_unit_test(
            test_judge_fill_check__content_depends_on_all_it_should),
        cmocka_unit_test(test_judge_fill_check__any_range_gives_the_same_bytes),
        cmocka_unit_test(
            test_judge_fill_check__large_inputs_are_looked_at_in_parts),
        cmocka_unit_test(test_judge_fill_check__bound_is_inclusive),
        cmocka_unit_test(test_judge_fill_check__nan_never_passes),
        cmocka_unit_test(test_judge_fill_check__infinite_bound_excuses_nothing),
        cmocka_unit_test(test_judge_fill_check__floor_allows_flushing),
        cmocka_unit_test(test_judge_fill_check__poison_is_told_from_other_nan),
        cmocka_unit_test(test_judge_fill_check__one_fault_in_a_row_is_seen),
        cmocka_unit_test(test_judge_fill_check__other_dtypes),
        cmocka_unit_test(
            test_judge_fill_check__worst_error_is_in_units_of_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
