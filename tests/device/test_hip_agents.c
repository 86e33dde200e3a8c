/* Reading what the kernel driver and tools print about GPUs. */

#include "device/hip_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *fixture(size_t *bytes_out, const char *name)
{
    whet_buf text = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/hip/%s", getenv("WHET_TEST_DATA"), name);
    assert_int_equal(whet_fs_read(&text, path, 1 << 20, NULL), WHET_OK);
    *bytes_out = text.bytes;
    return text.data;
}

static void test_device_hip_agents__splits_names(void **state)
{
    static const struct {
        const char *text, *arch, *features; /* arch NULL = refused */
    } rows[] = {
        {"gfx928", "gfx928", ""},
        {"gfx928:sramecc+:xnack-", "gfx928", "sramecc+:xnack-"},
        {"gfx92a", "gfx92a", ""},
        {"gfx90a:xnack+", "gfx90a", "xnack+"},
        {"gfx1100", "gfx1100", ""},
        {"gfx000", NULL, NULL},
        {"gfx", NULL, NULL},
        {"gfx92", NULL, NULL},
        {"gfx92A", NULL, NULL},
        {"gfx92800", NULL, NULL},
        {"gfx928:", NULL, NULL},
        {"gfx928:xnack", NULL, NULL},
        {"gfx928:xnack-:", NULL, NULL},
        {"gfx928::xnack-", NULL, NULL},
        {"gfx928:+", NULL, NULL},
        {"gfx928 ", NULL, NULL},
        {"sm_90", NULL, NULL},
        {"", NULL, NULL},
        {"gfx928:\x1b[31m-", NULL, NULL},
        {"gfx928:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaa+",
         NULL, NULL},
    };
    char arch[WHET_HIP__ARCH_BYTES], features[WHET_HIP__FEATURE_BYTES];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool ok = whet_hip__split_arch(arch, features, rows[i].text,
                                       strlen(rows[i].text));

        assert_int_equal(ok, rows[i].arch != NULL);
        assert_string_equal(arch, ok ? rows[i].arch : "");
        assert_string_equal(features, ok ? rows[i].features : "");
    }
}

/* The step is hexadecimal: a reader of digits alone makes gfx92 of gfx92a. */
static void test_device_hip_agents__reads_target_versions(void **state)
{
    static const struct {
        uint64_t version;
        const char *arch;
    } rows[] = {
        {90006, "gfx906"}, {90010, "gfx90a"},   {90208, "gfx928"},
        {90306, "gfx936"}, {90308, "gfx938"},   {90210, "gfx92a"},
        {90402, "gfx942"}, {110501, "gfx1151"}, {100300, "gfx1030"},
        {0, ""},           {928, ""},           {90299, ""},
        {UINT64_MAX, ""},  {91600, ""},
    };
    char arch[WHET_HIP__ARCH_BYTES];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(whet_hip__target_arch(arch, rows[i].version),
                         rows[i].arch[0] != '\0');
        assert_string_equal(arch, rows[i].arch);
    }
}

static void test_device_hip_agents__reads_kfd_of_several_cards(void **state)
{
    static const struct {
        const char *folder, *arch, *pci;
        uint32_t count, vendor_id, cu_count;
    } rows[] = {
        {"kfd-gfx906", "gfx906", "0000:43:00.0", 1, 0x1002, 60},
        {"kfd-gfx90a", "gfx90a", "0000:c1:00.0", 2, 0x1002, 110},
        {"kfd-gfx928", "gfx928", "0000:09:00.0", 1, 0x1d94, 120},
        {"kfd-gfx936", "gfx936", "0000:09:00.0", 2, 0x1d94, 80},
        {"kfd-gfx92a", "gfx92a", "0001:09:00.0", 1, 0x1d94, 64},
        {"kfd-mixed", "gfx906", "0000:43:00.0", 2, 0x1002, 60},
    };
    whet_hip_agents *found = calloc(1, sizeof *found);
    char path[512];
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "%s/hip/%s", getenv("WHET_TEST_DATA"),
                 rows[i].folder);
        assert_int_equal(whet_hip__read_kfd(found, path, &err), WHET_OK);
        assert_int_equal(found->count, rows[i].count);
        assert_string_equal(found->agents[0].arch, rows[i].arch);
        assert_string_equal(found->agents[0].pci, rows[i].pci);
        assert_int_equal(found->agents[0].vendor_id, rows[i].vendor_id);
        assert_int_equal(found->agents[0].cu_count, rows[i].cu_count);
        assert_int_equal(found->agents[0].wave_size, 64);
        assert_int_equal(found->agents[0].simd_per_cu, 4);
        assert_int_equal(found->agents[0].lds_bytes, 65536);
    }
    free(found);
}

static void test_device_hip_agents__refuses_kfd_that_is_malformed(void **state)
{
    static const struct {
        const char *text, *word;
        whet_status status;
    } rows[] = {
        {"simd_count 4\ngfx_target_version gfx928\n", "line 2", WHET_EINVAL},
        {"simd_count 4\ngfx_target_version\n", "line 2", WHET_EINVAL},
        {"simd_count -4\n", "line 1", WHET_EINVAL},
        {"simd_count 4 \n", "gfx_target_version 0", WHET_EINVAL},
        {"simd_count 99999999999999999999999\n", "line 1", WHET_EINVAL},
        {"simd_count 18446744073709551616\n", "line 1", WHET_EINVAL},
        {"simd_count 4\ngfx_target_version 77\n", "gfx_target_version 77",
         WHET_EINVAL},
        {"\x7f"
         "ELF",
         "NAME NUMBER", WHET_EINVAL},
        {"simd_count 0\n", "no GPU", WHET_ENOTFOUND},
        {"", "no GPU", WHET_ENOTFOUND},
    };
    whet_hip_agents *found = calloc(1, sizeof *found);
    whet_hip_agent agent;
    char path[512];
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(whet_hip__parse_kfd(&agent, rows[i].text,
                                             strlen(rows[i].text), &err),
                         rows[i].status);
        assert_non_null(strstr(err.msg, rows[i].word));
    }
    assert_int_equal(whet_hip__parse_kfd(&agent, "a\0b", 3, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "NUL"));
    snprintf(path, sizeof path, "%s/hip/kfd-malformed",
             getenv("WHET_TEST_DATA"));
    assert_int_equal(whet_hip__read_kfd(found, path, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "nodes/1/properties"));
    assert_int_equal(whet_hip__read_kfd(found, "/nonexistent", &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no KFD"));
    free(found);
}

/* Figures beyond any device are unknown, not believed. */
static void test_device_hip_agents__clips_absurd_numbers(void **state)
{
    static const char text[] =
        "simd_count 4000000000\nsimd_per_cu 1\ngfx_target_version 90208\n"
        "wave_front_size 63\nlds_size_in_kb 4294967295\nlocation_id 999999\n"
        "max_waves_per_simd 18446744073709551615\nvendor_id 70000\n";
    whet_hip_agent agent;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_hip__parse_kfd(&agent, text, sizeof text - 1, &err),
                     WHET_OK);
    assert_string_equal(agent.arch, "gfx928");
    assert_int_equal(agent.cu_count, 0);
    assert_int_equal(agent.wave_size, 0);
    assert_int_equal(agent.lds_bytes, 0);
    assert_int_equal(agent.waves_per_simd, 0);
    assert_int_equal(agent.vendor_id, 0);
    assert_string_equal(agent.pci, "");
}

static void test_device_hip_agents__reads_rocminfo(void **state)
{
    static const struct {
        const char *file, *arch, *features, *pci;
        uint32_t count, cu_count;
    } rows[] = {
        {"rocminfo-rocm4-gfx906.txt", "gfx906", "sramecc+:xnack-",
         "0000:43:00.0", 1, 60},
        {"rocminfo-rocm6-gfx90a.txt", "gfx90a", "sramecc+:xnack-",
         "0000:c1:00.0", 2, 110},
        {"rocminfo-dtk-gfx928.txt", "gfx928", "sramecc+:xnack-", "0000:09:00.0",
         1, 120},
        {"rocminfo-dtk-gfx936.txt", "gfx936", "sramecc+:xnack-", "0000:09:00.0",
         2, 80},
    };
    whet_hip_agents *found = calloc(1, sizeof *found);
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t bytes;
        char *text = fixture(&bytes, rows[i].file);

        assert_int_equal(whet_hip__parse_rocminfo(found, text, bytes, &err),
                         WHET_OK);
        assert_int_equal(found->count, rows[i].count);
        assert_string_equal(found->agents[0].arch, rows[i].arch);
        assert_string_equal(found->agents[0].features, rows[i].features);
        assert_string_equal(found->agents[0].pci, rows[i].pci);
        assert_int_equal(found->agents[0].cu_count, rows[i].cu_count);
        free(text);
    }
    free(found);
}

static void
test_device_hip_agents__refuses_rocminfo_that_is_malformed(void **state)
{
    static const struct {
        const char *file, *word;
        whet_status status;
    } rows[] = {
        {"rocminfo-malformed.txt", "without an architecture", WHET_EINVAL},
        {"rocminfo-no-gpu.txt", "no GPU", WHET_ENOTFOUND},
        {"enumerator-rocm.txt", "no GPU", WHET_ENOTFOUND},
    };
    whet_hip_agents *found = calloc(1, sizeof *found);
    whet_err err = {0};
    size_t i, bytes;
    char *text;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text = fixture(&bytes, rows[i].file);
        assert_int_equal(whet_hip__parse_rocminfo(found, text, bytes, &err),
                         rows[i].status);
        assert_non_null(strstr(err.msg, rows[i].word));
        assert_int_equal(found->count, 0);
        free(text);
    }
    text = calloc(1, 2 << 20);
    memset(text, 'x', 2 << 20);
    assert_int_equal(whet_hip__parse_rocminfo(found, text, 2 << 20, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected at most"));
    assert_int_equal(whet_hip__parse_rocminfo(found, text, 9000, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "longer than"));
    free(text);
    free(found);
}

static void test_device_hip_agents__reads_lists(void **state)
{
    static const struct {
        const char *file, *first;
        uint32_t count;
        const char *word; /* of the error, NULL = none */
    } rows[] = {
        {"enumerator-rocm.txt", "gfx90a", 2, NULL},
        {"enumerator-dtk.txt", "gfx928", 1, NULL},
        {"amdgpu-arch-rocm.txt", "gfx906", 1, NULL},
        {"enumerator-malformed.txt", NULL, 0, "line 2: \"Traceback"},
        {"amdgpu-arch-malformed.txt", NULL, 0, "line 1: \"gfx\""},
    };
    whet_hip_agents *found = calloc(1, sizeof *found);
    whet_err err = {0};
    size_t i, bytes;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = fixture(&bytes, rows[i].file);

        assert_int_equal(whet_hip__parse_list(found, text, bytes, &err),
                         rows[i].word == NULL ? WHET_OK : WHET_EINVAL);
        assert_int_equal(found->count, rows[i].count);
        if (rows[i].word == NULL)
            assert_string_equal(found->agents[0].arch, rows[i].first);
        else
            assert_non_null(strstr(err.msg, rows[i].word));
        free(text);
    }
    assert_string_equal(found->agents[0].features, "");
    assert_int_equal(whet_hip__parse_list(found, "gfx000\n\n", 8, &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no GPU"));
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_hip_agents__splits_names),
        cmocka_unit_test(test_device_hip_agents__reads_target_versions),
        cmocka_unit_test(test_device_hip_agents__reads_kfd_of_several_cards),
        cmocka_unit_test(test_device_hip_agents__refuses_kfd_that_is_malformed),
        cmocka_unit_test(test_device_hip_agents__clips_absurd_numbers),
        cmocka_unit_test(test_device_hip_agents__reads_rocminfo),
        cmocka_unit_test(
            test_device_hip_agents__refuses_rocminfo_that_is_malformed),
        cmocka_unit_test(test_device_hip_agents__reads_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
