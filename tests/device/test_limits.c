/* Floors and limits: hand-computed values. */

#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_limits__floor_follows_the_fastest_unit),
        cmocka_unit_test(test_device_limits__floor_is_0_when_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
