/* Facts of a GPU over a table that answers from arrays. */

#include "device/gpu_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Attribute numbers are 100 and more; device 1 answers nothing but its name,
 * device 2 nothing at all. */
static const int values[] = {
    [WHET_GPU_CU_COUNT] = 132,
    [WHET_GPU_WAVE_SIZE] = 64,
    [WHET_GPU_LDS_GROUP_BYTES] = 49152,
    [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = 65536,
    [WHET_GPU_LDS_CU_BYTES] = 131072,
    [WHET_GPU_CU_REGISTERS] = 65536,
    [WHET_GPU_CU_ITEMS_MAX] = 2048,
    [WHET_GPU_GROUP_ITEMS_MAX] = 1024,
    [WHET_GPU_BLOCK_X_MAX] = 1024,
    [WHET_GPU_BLOCK_Y_MAX] = 512,
    [WHET_GPU_BLOCK_Z_MAX] = 64,
    [WHET_GPU_GRID_X_MAX] = INT32_MAX,
    [WHET_GPU_GRID_Y_MAX] = 65535,
    [WHET_GPU_GRID_Z_MAX] = -1,
    [WHET_GPU_CLOCK_KHZ] = 1500000,
    [WHET_GPU_MEMORY_CLOCK_KHZ] = 800000,
    [WHET_GPU_L2_BYTES] = 8 << 20,
    [WHET_GPU_ECC] = 0,
    [WHET_GPU_PAGEABLE_ACCESS] = 1,
    [WHET_GPU_COMPUTE_MODE] = 3,
    [WHET_GPU_ARCH_MAJOR] = 9,
    [WHET_GPU_ARCH_MINOR] = 2,
    [WHET_GPU_PCI_DOMAIN] = 0x10000,
    [WHET_GPU_PCI_BUS] = 0xC1,
    [WHET_GPU_PCI_DEVICE] = 3,
};

static int name_of(char *out, int bytes, int device)
{
    snprintf(out, (size_t)bytes, "Card\n%d", device);
    return device == 2 ? 5 : 0;
}

static int memory_of(size_t *out, int device)
{
    *out = (size_t)4 << 30;
    return device == 0 ? 0 : 5;
}

static int attribute_of(int *out, int number, int device)
{
    *out = 77;
    if (device != 0 || number < 100)
        return 5;
    *out = values[number - 100];
    return 0;
}

static int pci_of(char *out, int bytes, int device)
{
    snprintf(out, (size_t)bytes, "00000000:AF:00.1");
    return device == 0 ? 0 : 5;
}

/* With every attribute. */
static void make_api(whet_gpu_api *api, int numbering[WHET_GPU_ATTRIBUTE_COUNT])
{
    int i;

    for (i = 0; i < WHET_GPU_ATTRIBUTE_COUNT; i++)
        numbering[i] = 100 + i;
    *api = (whet_gpu_api){.name = "FAKE",
                          .numbering = numbering,
                          .device_name = name_of,
                          .device_memory = memory_of,
                          .device_attribute = attribute_of,
                          .device_pci = pci_of};
}

static void test_device_gpu_facts__takes_what_there_is(void **state)
{
    int numbering[WHET_GPU_ATTRIBUTE_COUNT];
    whet_device_facts facts = {0};
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    make_api(&api, numbering);
    assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
    assert_string_equal(facts.name, "Card\\x0a0");
    assert_string_equal(facts.pci, "0000:af:00.1");
    assert_int_equal(facts.limits.cu_count, 132);
    assert_int_equal(facts.limits.wave_size, 64);
    assert_int_equal(facts.limits.lds_bytes, 65536);
    assert_int_equal(facts.limits.group_items_max, 1024);
    assert_int_equal(facts.limits.block_max[1], 512);
    assert_int_equal(facts.limits.grid_max[0], INT32_MAX);
    /* A negative answer is none. */
    assert_int_equal(facts.limits.grid_max[2], 0);
    assert_true(facts.limits.memory_bytes == (uint64_t)4 << 30);
    assert_int_equal(facts.clock_mhz, 1500);
    assert_int_equal(facts.memory_clock_mhz, 800);
    assert_int_equal(facts.llc_bytes, 8 << 20);
    assert_int_equal(facts.lds_cu_bytes, 131072);
    assert_int_equal(facts.register_count, 65536);
    assert_int_equal(facts.cu_items_max, 2048);
    assert_int_equal(facts.has_ecc, WHET_KNOWN_NO);
    assert_int_equal(facts.has_pageable_access, WHET_KNOWN_YES);
    assert_int_equal(facts.is_exclusive, WHET_KNOWN_YES);
    assert_int_equal(facts.physical_index, UINT32_MAX);
    assert_int_equal(facts.evidence, WHET_EVIDENCE_MEASURED);
}

static void test_device_gpu_facts__what_is_not_told_is_unknown(void **state)
{
    int numbering[WHET_GPU_ATTRIBUTE_COUNT];
    whet_device_facts facts = {0};
    whet_gpu_api api;
    int value = 9;
    whet_err err = {0};

    (void)state;
    make_api(&api, numbering);
    assert_int_equal(whet_gpu__facts(&facts, &api, 1, &err), WHET_OK);
    assert_int_equal(facts.index, 1);
    assert_int_equal(facts.limits.cu_count, 0);
    assert_int_equal(facts.limits.memory_bytes, 0);
    assert_int_equal(facts.has_ecc, WHET_UNKNOWN);
    assert_int_equal(facts.is_exclusive, WHET_UNKNOWN);
    assert_string_equal(facts.pci, "");
    assert_false(whet_gpu__attribute(&value, &api, WHET_GPU_CU_COUNT, 1));
    assert_int_equal(value, 0);

    memset(&facts, 0, sizeof facts);
    numbering[WHET_GPU_LDS_GROUP_OPTIN_BYTES] = -1;
    api.device_pci = NULL;
    assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
    assert_int_equal(facts.limits.lds_bytes, 49152);
    assert_string_equal(facts.pci, "10000:c1:03.0");

    assert_int_equal(whet_gpu__facts(&facts, &api, 2, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "name of device 2"));
}

static void test_device_gpu_facts__finds_physical_indices(void **state)
{
    static const struct {
        const char *list;
        uint32_t index, physical;
    } rows[] = {
        {NULL, 3, 3},
        {"", 0, UINT32_MAX},
        {"5", 0, 5},
        {"5", 1, UINT32_MAX},
        {"5,2,7", 2, 7},
        {"5,2,", 1, 2},
        {"5,2,", 2, UINT32_MAX},
        {"5,-1,2", 1, UINT32_MAX},
        {"5 ,2", 1, UINT32_MAX},
        {" 5", 0, UINT32_MAX},
        {"GPU-8f6b", 0, UINT32_MAX},
        {"1,GPU-8f6b", 1, UINT32_MAX},
        {"99999999999999999999", 0, UINT32_MAX},
        {"0x10", 0, UINT32_MAX},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (whet_gpu__visible(rows[i].list, rows[i].index) != rows[i].physical)
            fail_msg("row %zu: %u", i,
                     whet_gpu__visible(rows[i].list, rows[i].index));
}

static void test_device_gpu_facts__reads_pci_addresses(void **state)
{
    static const char *const rows[][2] = {
        {"0000:C1:00.0", "0000:c1:00.0"},
        {"00000000:c1:00.0", "0000:c1:00.0"},
        {"00010000:01:1F.7", "10000:01:1f.7"},
        {"0:1:2.3", "0000:01:02.3"},
        {"c1:00.0", ""},
        {"0000:c1:00", ""},
        {"0000:c1:00.0 ", ""},
        {"-001:c1:00.0", ""},
        {" 000:c1:00.0", ""},
        {"0000:c1:00.00", ""},
        {"0", ""},
        {"", ""},
    };
    char text[32];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is_one = whet_gpu__pci(text, sizeof text, rows[i][0]);

        assert_string_equal(text, rows[i][1]);
        assert_int_equal(is_one, rows[i][1][0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_facts__takes_what_there_is),
        cmocka_unit_test(test_device_gpu_facts__what_is_not_told_is_unknown),
        cmocka_unit_test(test_device_gpu_facts__finds_physical_indices),
        cmocka_unit_test(test_device_gpu_facts__reads_pci_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
