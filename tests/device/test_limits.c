/* Floors and limits: hand-computed values. */

#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t floor_of(const whet_device_facts *facts, uint64_t ops,
                         uint64_t bytes)
{
    whet_work work = {.ops = ops, .bytes = bytes, .policy = WHET_POLICY_F32};

    return whet_device_floor_ns(facts, &work);
}

static void test_device_limits__floor_follows_the_fastest_unit(void **state)
{
    whet_device_facts facts = {.is_cpu = true, .limits = {.cu_count = 2}};

    (void)state;
    /* 2 units * 6 cycles a ns * 64 operations, or * 128 bytes. */
    assert_int_equal(floor_of(&facts, 768000, 0), 1000);
    assert_int_equal(floor_of(&facts, 0, 1536000), 1000);
    assert_int_equal(floor_of(&facts, 7680000, 1536000), 10000);
    assert_int_equal(floor_of(&facts, 767, 1535), 0);
    assert_int_equal(floor_of(&facts, UINT64_MAX, UINT64_MAX),
                     UINT64_MAX / 768);
    facts.limits.cu_count = UINT32_MAX;
    assert_int_equal(floor_of(&facts, 1000, 1000), 0);
}

static void test_device_limits__floor_is_0_when_unknown(void **state)
{
    whet_device_facts facts = {.is_cpu = true};

    (void)state;
    assert_int_equal(floor_of(&facts, 1 << 30, 1 << 30), 0);
    facts.limits.cu_count = 2;
    facts.is_cpu = false;
    assert_int_equal(floor_of(&facts, 1 << 30, 1 << 30), 0);
    strcpy(facts.arch, "sm_20");
    assert_int_equal(floor_of(&facts, 1 << 30, 1 << 30), 0);
}

enum { CACHE_BYTES = 60 << 20 };

/* @param bytes  besides what the last cache may still hold */
static uint64_t gpu_floor(const char *arch, whet_policy policy, uint64_t ops,
                          uint64_t bytes)
{
    whet_device_facts facts = {.llc_bytes = CACHE_BYTES,
                               .limits = {.cu_count = 132}};
    whet_work work = {
        .ops = ops,
        .bytes = bytes > UINT64_MAX - CACHE_BYTES ? bytes : bytes + CACHE_BYTES,
        .policy = policy};

    strcpy(facts.arch, arch);
    return whet_device_floor_ns(&facts, &work);
}

/* The peaks of the record, 5 % above them: 67e12 * 1.05 = 70.35e12. */
static void test_device_limits__floor_follows_the_policy(void **state)
{
    const uint64_t ops = UINT64_C(70350000000000);

    (void)state;
    /* Three products on a third of 989.5e12. */
    assert_in_range(gpu_floor("sm_90a", WHET_POLICY_F32, ops, 0), 203132890,
                    203132899);
    assert_in_range(gpu_floor("sm_90a", WHET_POLICY_F64, ops, 0), 999999999,
                    1000000000);
    /* 494.7e12 and 989.5e12, and 1979e12 where every unit may serve. */
    assert_int_equal(gpu_floor("sm_90a", WHET_POLICY_TF32, ops, 0), 135435617);
    assert_int_equal(gpu_floor("sm_90a", WHET_POLICY_BF16, ops, 0), 67710965);
    assert_int_equal(gpu_floor("sm_90a", WHET_POLICY_F16, ops, 0), 67710965);
    assert_int_equal(gpu_floor("sm_90a", WHET_POLICY_EXACT, ops, 0), 33855482);
}

static void test_device_limits__floor_follows_the_memory(void **state)
{
    (void)state;
    /* 4.8e12 * 1.05 bytes a second. */
    assert_in_range(
        gpu_floor("sm_90", WHET_POLICY_F32, 0, UINT64_C(5040000000)), 999999,
        1000000);
    assert_in_range(
        gpu_floor("sm_90", WHET_POLICY_F32, 1000, UINT64_C(5040000000)), 999999,
        1000000);
    assert_true(gpu_floor("sm_90", WHET_POLICY_F32, 0, UINT64_MAX) > 0);
}

static void test_device_limits__writes_may_stay_in_the_cache(void **state)
{
    whet_device_facts facts = {.llc_bytes = 1 << 20, .arch = "sm_90"};
    whet_work work = {.bytes = 1 << 20, .policy = WHET_POLICY_F32};

    (void)state;
    assert_int_equal(whet_device_floor_ns(&facts, &work), 0);
    work.bytes += 5040000;
    assert_in_range(whet_device_floor_ns(&facts, &work), 999, 1000);
    /* An unknown cache counts as a large one. */
    facts.llc_bytes = 0;
    assert_int_equal(whet_device_floor_ns(&facts, &work), 0);
}

static void test_device_limits__no_floor_without_published_peaks(void **state)
{
    (void)state;
    /* Third parties' figures, some in conflict. */
    assert_int_equal(
        gpu_floor("gfx928:xnack-", WHET_POLICY_F32, 1 << 30, 1 << 30), 0);
    assert_int_equal(gpu_floor("gfx936", WHET_POLICY_F32, 1 << 30, 1 << 30), 0);
    /* A unit that the policy allows has no known peak: only memory counts. */
    assert_int_equal(gpu_floor("gfx942", WHET_POLICY_F16, UINT64_C(1) << 60, 0),
                     0);
    assert_in_range(
        gpu_floor("gfx942", WHET_POLICY_F16, 0, UINT64_C(6300000000)), 999999,
        1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_limits__floor_follows_the_fastest_unit),
        cmocka_unit_test(test_device_limits__floor_is_0_when_unknown),
        cmocka_unit_test(test_device_limits__floor_follows_the_policy),
        cmocka_unit_test(test_device_limits__floor_follows_the_memory),
        cmocka_unit_test(test_device_limits__writes_may_stay_in_the_cache),
        cmocka_unit_test(test_device_limits__no_floor_without_published_peaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
