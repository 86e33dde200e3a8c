/* Occupancy. AMD: against the remark "Occupancy [waves/SIMD]" of clang 15 for
 * kernels compiled for gfx906 and gfx90a. NVIDIA: against what the vendor's
 * cuda_occupancy.h (CUDA 13.0) computes, and by hand. */

#include "device/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static whet_arch *load(const char *name)
{
    whet_arch *arch = malloc(sizeof *arch);
    whet_err err = {0};

    if (whet_arch_load(arch, name, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return arch;
}

typedef struct remark {
    unsigned vgprs, agprs, sgprs, waves;
} remark;

/* As printed; each kernel had groups of one wave and no LDS. */
static const remark gfx906[] = {
    {61, 0, 8, 4},  {78, 0, 8, 3},   {90, 0, 8, 2},  {102, 0, 8, 2},
    {114, 0, 8, 2}, {126, 0, 8, 2},  {150, 0, 8, 1}, {180, 0, 8, 1},
    {210, 0, 8, 1}, {256, 0, 14, 1}, {2, 0, 85, 9},  {2, 0, 91, 8},
    {2, 0, 96, 8},  {2, 0, 75, 10},  {4, 0, 11, 10}, {20, 0, 13, 10},
    {32, 0, 18, 8}, {5, 0, 52, 10},
};
static const remark gfx90a[] = {
    {72, 0, 8, 7},   {92, 0, 8, 5},    {106, 0, 8, 4},   {136, 0, 8, 3},
    {134, 0, 8, 3},  {148, 0, 8, 3},   {176, 0, 8, 2},   {240, 0, 8, 2},
    {246, 0, 8, 2},  {256, 104, 8, 1}, {256, 186, 8, 1}, {256, 256, 14, 1},
    {2, 0, 85, 8},   {2, 0, 96, 8},    {10, 32, 6, 8},   {40, 16, 6, 8},
    {51, 101, 6, 3}, {101, 201, 6, 1},
};

static void expect_remarks(const char *name, const remark *rows, size_t count)
{
    whet_arch *arch = load(name);
    size_t i;

    for (i = 0; i < count; i++) {
        whet_kernel_facts facts = {.register_count = rows[i].vgprs,
                                   .accumulator_count = rows[i].agprs,
                                   .scalar_count = rows[i].sgprs};
        whet_occupancy got = whet_arch_occupancy(arch, &facts, 64, 0);

        assert_true(got.is_known);
        if (got.waves_simd != rows[i].waves)
            fail_msg("%s %u+%u vector, %u scalar: %u waves, clang says %u",
                     name, rows[i].vgprs, rows[i].agprs, rows[i].sgprs,
                     got.waves_simd, rows[i].waves);
        assert_int_equal(got.waves_cu, 4 * got.waves_simd);
        assert_int_equal(got.groups_cu, got.waves_cu);
    }
    free(arch);
}

static void test_device_arch_occupancy__agrees_with_clang(void **state)
{
    (void)state;
    expect_remarks("gfx906", gfx906, sizeof gfx906 / sizeof *gfx906);
    expect_remarks("gfx90a", gfx90a, sizeof gfx90a / sizeof *gfx90a);
}

typedef struct launch {
    unsigned registers, items, lds, shared;
} launch;

static const launch launches[] = {
    {32, 256, 0, 0},         {10, 32, 0, 0},     {128, 128, 0, 0},
    {72, 96, 0, 0},          {168, 384, 0, 0},   {255, 64, 0, 0},
    {64, 1024, 0, 0},        {40, 256, 2112, 0}, {128, 128, 0, 65536},
    {90, 256, 16384, 32768}, {33, 192, 100, 0},  {16, 1024, 0, 0},
};
enum { LAUNCH_COUNT = sizeof launches / sizeof *launches };

/* Blocks of an SM by cuda_occupancy.h for these launches. */
static const struct {
    const char *name;
    unsigned groups[LAUNCH_COUNT];
} vendor[] = {
    {"sm_75", {4, 16, 4, 9, 1, 4, 1, 4, 1, 1, 5, 1}},
    {"sm_80", {8, 32, 4, 9, 1, 4, 1, 6, 2, 2, 8, 2}},
    {"sm_86", {6, 16, 4, 9, 1, 4, 1, 6, 1, 2, 8, 1}},
    {"sm_89", {6, 24, 4, 9, 1, 4, 1, 6, 1, 2, 8, 1}},
    {"sm_90", {8, 32, 4, 9, 1, 4, 1, 6, 3, 2, 8, 2}},
    {"sm_100", {8, 32, 4, 9, 1, 4, 1, 6, 3, 2, 8, 2}},
    {"sm_120", {6, 24, 4, 9, 1, 4, 1, 6, 1, 2, 8, 1}},
};

static void test_device_arch_occupancy__agrees_with_cuda(void **state)
{
    size_t a, i;

    (void)state;
    for (a = 0; a < sizeof vendor / sizeof *vendor; a++) {
        whet_arch *arch = load(vendor[a].name);

        for (i = 0; i < LAUNCH_COUNT; i++) {
            whet_kernel_facts facts = {.register_count = launches[i].registers,
                                       .lds_bytes = launches[i].lds};
            whet_occupancy got = whet_arch_occupancy(
                arch, &facts, launches[i].items, launches[i].shared);

            if (!got.is_known || got.groups_cu != vendor[a].groups[i])
                fail_msg("%s, launch %zu: %u groups, CUDA says %u",
                         vendor[a].name, i, got.groups_cu, vendor[a].groups[i]);
        }
        free(arch);
    }
}

static void expect(const whet_arch *arch, launch in, unsigned groups,
                   unsigned waves_simd, const char *bound_by)
{
    whet_kernel_facts facts = {.register_count = in.registers,
                               .lds_bytes = in.lds};
    whet_occupancy got = whet_arch_occupancy(arch, &facts, in.items, in.shared);

    assert_true(got.is_known);
    assert_int_equal(got.groups_cu, groups);
    assert_int_equal(got.waves_simd, waves_simd);
    assert_string_equal(got.bound_by, bound_by);
}

static void test_device_arch_occupancy__names_the_bound(void **state)
{
    whet_arch *amd = load("gfx906"), *hopper = load("sm_90");

    (void)state;
    expect(amd, (launch){4, 256, 0, 0}, 10, 10, "waves");
    /* 40 waves, but 16 barriers: groups of two waves. */
    expect(amd, (launch){4, 128, 0, 0}, 16, 8, "groups");
    expect(amd, (launch){4, 64, 0, 0}, 40, 10, "waves");
    expect(amd, (launch){65, 256, 0, 0}, 3, 3, "registers");
    /* 8448 bytes are 17 granules of 512: 65536 / 8704 = 7.5. */
    expect(amd, (launch){4, 64, 8448, 0}, 7, 2, "lds");
    expect(amd, (launch){4, 64, 0, 65536}, 1, 1, "lds");
    expect(amd, (launch){4, 64, 0, 65537}, 0, 0, "lds");
    /* 233472 / (99328 + 1024) = 2.3. */
    expect(hopper, (launch){32, 128, 0, 99328}, 2, 2, "lds");
    expect(hopper, (launch){32, 128, 0, 227 * 1024}, 1, 1, "lds");
    expect(hopper, (launch){32, 128, 1, 227 * 1024}, 0, 0, "lds");
    expect(hopper, (launch){32, 32, 0, 0}, 32, 8, "groups");
    /* 80 registers: 6 warps of each partition's 16384 hold. */
    expect(hopper, (launch){80, 1024, 0, 0}, 0, 0, "registers");
    free(amd);
    free(hopper);
}

static void
test_device_arch_occupancy__admits_what_it_does_not_know(void **state)
{
    whet_arch *k100 = load("gfx928"), *amd = load("gfx906");
    whet_kernel_facts facts = {.register_count = 32};

    (void)state;
    /* Its register file is in conflict. */
    assert_false(whet_arch_occupancy(k100, &facts, 64, 0).is_known);
    assert_false(whet_arch_occupancy(amd, &facts, 0, 0).is_known);
    facts.register_count = 0;
    assert_false(whet_arch_occupancy(amd, &facts, 64, 0).is_known);
    facts.register_count = UINT64_MAX;
    assert_false(whet_arch_occupancy(amd, &facts, 64, 0).is_known);
    facts.register_count = 32;
    facts.lds_bytes = UINT64_MAX;
    assert_false(whet_arch_occupancy(amd, &facts, 64, 64).is_known);
    free(k100);
    free(amd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_arch_occupancy__agrees_with_clang),
        cmocka_unit_test(test_device_arch_occupancy__agrees_with_cuda),
        cmocka_unit_test(test_device_arch_occupancy__names_the_bound),
        cmocka_unit_test(
            test_device_arch_occupancy__admits_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
