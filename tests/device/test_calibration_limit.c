/* Limits from measured rates, by hand, and which rates are kept. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"

#include <stdio.h>

static const whet_measured how = {"FFMA (12 times)", "BLOCK=256"};

static uint64_t limit_of(const whet_calibration *calibration, uint64_t ops,
                         uint64_t bytes, uint64_t out, whet_policy policy)
{
    whet_work work = {
        .ops = ops, .bytes = bytes, .bytes_out = out, .policy = policy};

    return whet_calibration_limit_ns(calibration, &work);
}

static void
test_device_calibration_limit__limit_is_the_slower_side(void **state)
{
    whet_calibration rates = {.copy_bytes_per_s = 1e9};
    whet_calibration copy_only = {.copy_bytes_per_s = 1e9}, none = {0};
    const whet_policy f32 = WHET_POLICY_F32;

    (void)state;
    assert_true(whet_calibration_add_rate(&rates, "f32.vector", 4e9, &how));
    assert_int_equal(limit_of(&rates, 4000, 100, 50, f32), 1000);
    assert_int_equal(limit_of(&rates, 400, 2500, 50, f32), 2500);
    assert_int_equal(limit_of(&rates, 0, 0, 0, f32), 0);
    /* Never 0, which means unknown, for real work. */
    assert_int_equal(limit_of(&rates, 1, 0, 0, f32), 1);
    assert_int_equal(limit_of(&copy_only, 1 << 30, 7, 3, f32), 7);
    assert_int_equal(limit_of(&none, 1, 1, 1, f32), 0);
    assert_int_equal(limit_of(NULL, 1, 1, 1, f32), 0);
    rates.copy_bytes_per_s = 1e-9;
    assert_true(limit_of(&rates, 0, UINT64_MAX, 0, f32) == UINT64_C(1) << 63);
}

static void
test_device_calibration_limit__bandwidth_follows_the_direction(void **state)
{
    whet_calibration rates = {.copy_bytes_per_s = 4e9,
                              .read_bytes_per_s = 5e9,
                              .write_bytes_per_s = 2e9};
    const whet_policy f32 = WHET_POLICY_F32;

    (void)state;
    /* A sixteenth of 16000 is 1000. */
    assert_int_equal(limit_of(&rates, 0, 16000, 8000, f32), 4000);
    assert_int_equal(limit_of(&rates, 0, 16000, 1000, f32), 4000);
    assert_int_equal(limit_of(&rates, 0, 16000, 999, f32), 3200);
    assert_int_equal(limit_of(&rates, 0, 16000, 15000, f32), 4000);
    assert_int_equal(limit_of(&rates, 0, 16000, 15001, f32), 8000);
    /* More written than there is: all of it. */
    assert_int_equal(limit_of(&rates, 0, 16000, 99999, f32), 8000);
    rates.read_bytes_per_s = 0;
    rates.write_bytes_per_s = 0;
    assert_int_equal(limit_of(&rates, 0, 16000, 0, f32), 4000);
    assert_int_equal(limit_of(&rates, 0, 16000, 16000, f32), 4000);
}

static void
test_device_calibration_limit__the_policy_chooses_the_unit(void **state)
{
    whet_calibration rates = {0};

    (void)state;
    (void)whet_calibration_add_rate(&rates, "f32.vector", 2e9, &how);
    (void)whet_calibration_add_rate(&rates, "f64.vector", 1e9, &how);
    (void)whet_calibration_add_rate(&rates, "f64.matrix", 3e9, &how);
    (void)whet_calibration_add_rate(&rates, "tf32.matrix", 8e9, &how);
    (void)whet_calibration_add_rate(&rates, "bf16.matrix", 16e9, &how);
    (void)whet_calibration_add_rate(&rates, "f16.matrix", 20e9, &how);
    (void)whet_calibration_add_rate(&rates, "i8.matrix", 40e9, &how);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_F64), 80000);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_F32), 80000);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_TF32), 30000);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_BF16), 15000);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_F16), 12000);
    assert_int_equal(limit_of(&rates, 240000, 0, 0, WHET_POLICY_EXACT), 6000);
    assert_false(whet_calibration_allows(WHET_POLICY_F32, "tf32.matrix"));
    assert_false(whet_calibration_allows(WHET_POLICY_F64, "f32.vector"));
    assert_false(whet_calibration_allows(WHET_POLICY_F16, "bf16.matrix"));
    assert_true(whet_calibration_allows(WHET_POLICY_BF16, "f32.matrix"));
    assert_true(whet_calibration_allows(WHET_POLICY_F8, "fp8.matrix"));
    assert_true(whet_calibration_allows(WHET_POLICY_F8, "f64.vector"));
    assert_false(whet_calibration_allows(WHET_POLICY_F16, "fp8.matrix"));
    assert_false(whet_calibration_allows((whet_policy)99, "f32.vector"));
}

static void test_device_calibration_limit__rates_have_one_name_each(void **s)
{
    const whet_measured other = {"HGMMA", "TYPE=0"};
    whet_calibration c = {0};
    char name[24];

    (void)s;
    assert_true(whet_calibration_add_rate(&c, "f32.vector", 2, &how));
    assert_true(whet_calibration_add_rate(&c, "f32.vector", 1, &other));
    assert_int_equal(c.rate_count, 1);
    assert_true(whet_calibration_rate(&c, "f32.vector") == 2);
    assert_string_equal(c.rates[0].how.evidence, how.evidence);
    assert_true(whet_calibration_add_rate(&c, "f32.vector", 3, &other));
    assert_true(whet_calibration_rate(&c, "f32.vector") == 3);
    assert_string_equal(c.rates[0].how.point, "TYPE=0");
    assert_false(
        whet_calibration_add_rate(&c, "a.name.that.is.far.too.long", 1, &how));
    for (int i = 1; i < WHET_RATE_MAX; i++) {
        snprintf(name, sizeof name, "u%d", i);
        assert_true(whet_calibration_add_rate(&c, name, 1, &how));
    }
    assert_false(whet_calibration_add_rate(&c, "one more", 1, &how));
}

static void test_device_calibration_limit__the_best_of_two_is_kept(void **s)
{
    whet_calibration now = {.copy_bytes_per_s = 4,
                            .read_bytes_per_s = 9,
                            .read = {"now", "p"},
                            .launch_ns = 50,
                            .wall_ns = 7,
                            .clock_mhz = 1500};
    whet_calibration before = {.copy_bytes_per_s = 5,
                               .copy = {"before", "q"},
                               .read_bytes_per_s = 8,
                               .write_bytes_per_s = 3,
                               .lds_bytes_per_s = 2,
                               .launch_ns = 40,
                               .wall_ns = 1,
                               .clock_mhz = 1900};

    (void)s;
    (void)whet_calibration_add_rate(&now, "f32.vector", 10, &how);
    (void)whet_calibration_add_rate(&before, "f32.vector", 11, &how);
    (void)whet_calibration_add_rate(&before, "i8.matrix", 12, &how);
    whet_calibration_keep_best(&now, &before);
    assert_true(now.copy_bytes_per_s == 5 && now.read_bytes_per_s == 9);
    assert_true(now.write_bytes_per_s == 3 && now.lds_bytes_per_s == 2);
    assert_string_equal(now.copy.evidence, "before");
    assert_string_equal(now.read.evidence, "now");
    assert_true(whet_calibration_rate(&now, "f32.vector") == 11);
    assert_true(whet_calibration_rate(&now, "i8.matrix") == 12);
    assert_int_equal(now.launch_ns, 40);
    assert_int_equal(now.wall_ns, 7);
    assert_int_equal(now.clock_mhz, 1500);
    /* What was never measured does not win. */
    before.launch_ns = 0;
    whet_calibration_keep_best(&now, &before);
    assert_int_equal(now.launch_ns, 40);
}

static void
test_device_calibration_limit__controls_hold_within_a_tenth(void **state)
{
    static const struct {
        whet_controls controls;
        bool holds;
    } rows[] = {{{3, 0.5}, true},     {{2.71, 0.46}, true},
                {{3.29, 0.54}, true}, {{2.69, 0.5}, false},
                {{3.31, 0.5}, false}, {{3, 0.44}, false},
                {{3, 0.56}, false},   {{0, 0}, false}};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(whet_calibration_controls_hold(&rows[i].controls) ==
                    rows[i].holds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_device_calibration_limit__limit_is_the_slower_side),
        cmocka_unit_test(
            test_device_calibration_limit__bandwidth_follows_the_direction),
        cmocka_unit_test(
            test_device_calibration_limit__the_policy_chooses_the_unit),
        cmocka_unit_test(
            test_device_calibration_limit__rates_have_one_name_each),
        cmocka_unit_test(
            test_device_calibration_limit__the_best_of_two_is_kept),
        cmocka_unit_test(
            test_device_calibration_limit__controls_hold_within_a_tenth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
