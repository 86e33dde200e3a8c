/* What a verdict tells of an arm's kernels. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_device.h"

#include <string.h>

/* An arm of two kernels, one of them launched twice. */
static whet_arm arm_on(whet_judge *judge)
{
    whet_arm arm = {.judge = judge};

    arm.image.kernel_count = 2;
    arm.image.kernels[0] = (whet_kernel_facts){.name = "first",
                                               .register_count = 40,
                                               .accumulator_count = 4,
                                               .lds_bytes = 1000,
                                               .private_bytes = 16,
                                               .spill_bytes = 8,
                                               .wave_size = 64};
    arm.image.kernels[1] = (whet_kernel_facts){.name = "second"};
    arm.plan.launch_count = 4;
    arm.plan.launches[0] = (whet_bound_launch){
        .kernel = "first", .block = {64, 2, 1}, .shared_bytes = 24};
    arm.plan.launches[1] =
        (whet_bound_launch){.kernel = "second", .block = {32, 1, 1}};
    arm.plan.launches[2] =
        (whet_bound_launch){.kernel = "first", .block = {1, 1, 1}};
    arm.plan.launches[3] =
        (whet_bound_launch){.kernel = "absent", .block = {1, 1, 1}};
    return arm;
}

static void test_judge_resources__first_launches_are_told(void **state)
{
    whet_device_handle device = {.ops = &fake_ops};
    whet_judge judge = {.ops = &fake_ops, .opts = {.device = &device}};
    whet_arm arm = arm_on(&judge);
    whet_verdict v = {.kernel_count = 7};

    (void)state;
    whet_strcopy(device.facts.arch, sizeof device.facts.arch, "no-such-arch");
    whet_judge__resources(&v, &arm);
    assert_int_equal(v.kernel_count, 2);
    assert_string_equal(v.kernels[0].name, "first");
    assert_int_equal(v.kernels[0].register_count, 40);
    assert_int_equal(v.kernels[0].accumulator_count, 4);
    assert_int_equal(v.kernels[0].spill_bytes, 8);
    assert_int_equal(v.kernels[0].private_bytes, 16);
    assert_int_equal(v.kernels[0].lds_bytes, 1024);
    assert_int_equal(v.kernels[0].group_items, 128);
    assert_string_equal(v.kernels[1].name, "second");
    assert_int_equal(v.kernels[1].register_count, 0);
    assert_int_equal(v.kernels[1].group_items, 32);
    /* No record, no occupancy. */
    assert_false(v.kernels[0].occupancy.is_known);
}

static void test_judge_resources__no_facts_no_kernels(void **state)
{
    whet_device_handle device = {.ops = &fake_ops};
    whet_judge judge = {.ops = &fake_ops, .opts = {.device = &device}};
    whet_arm arm = arm_on(&judge);
    whet_verdict v = {.kernel_count = 7};

    (void)state;
    arm.image.kernel_count = 0;
    whet_judge__resources(&v, &arm);
    assert_int_equal(v.kernel_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_resources__first_launches_are_told),
        cmocka_unit_test(test_judge_resources__no_facts_no_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
