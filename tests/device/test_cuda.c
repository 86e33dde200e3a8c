/* The CUDA back-end: its numbers against NVIDIA's header if that is here, and
 * listing and opening over a fake driver, or the real one if there is one. */

#include "device/cuda_priv.h"
#include "device/device.h"
#include "fake_cuda_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- numbers -------------------------------------------------------------- */

static bool read_header(whet_buf *text)
{
    static const char *const paths[] = {
        "/usr/local/cuda/include/cuda.h", "/usr/local/cuda-13.0/include/cuda.h",
        "/usr/local/include/cuda.h", "/usr/include/cuda.h"};
    size_t i;

    for (i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (whet_fs_read(text, paths[i], 8 << 20, NULL) == WHET_OK)
            return true;
    return false;
}

/* Value of an enumerator, or -1. */
static long value_of(const char *header, const char *name)
{
    const char *at = header;

    while ((at = strstr(at, name)) != NULL) {
        at += strlen(name);
        if (at[strspn(at, " ")] == '=')
            return strtol(at + strspn(at, " ") + 1, NULL, 10);
    }
    return -1;
}

static void test_device_cuda__attributes_are_those_of_the_header(void **state)
{
    static const char *const names[WHET_GPU_ATTRIBUTE_COUNT] = {
        [WHET_GPU_CU_COUNT] = "MULTIPROCESSOR_COUNT",
        [WHET_GPU_WAVE_SIZE] = "WARP_SIZE",
        [WHET_GPU_LDS_GROUP_BYTES] = "MAX_SHARED_MEMORY_PER_BLOCK",
        [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
        [WHET_GPU_LDS_CU_BYTES] = "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
        [WHET_GPU_CU_REGISTERS] = "MAX_REGISTERS_PER_MULTIPROCESSOR",
        [WHET_GPU_CU_ITEMS_MAX] = "MAX_THREADS_PER_MULTIPROCESSOR",
        [WHET_GPU_GROUP_ITEMS_MAX] = "MAX_THREADS_PER_BLOCK",
        [WHET_GPU_BLOCK_X_MAX] = "MAX_BLOCK_DIM_X",
        [WHET_GPU_BLOCK_Y_MAX] = "MAX_BLOCK_DIM_Y",
        [WHET_GPU_BLOCK_Z_MAX] = "MAX_BLOCK_DIM_Z",
        [WHET_GPU_GRID_X_MAX] = "MAX_GRID_DIM_X",
        [WHET_GPU_GRID_Y_MAX] = "MAX_GRID_DIM_Y",
        [WHET_GPU_GRID_Z_MAX] = "MAX_GRID_DIM_Z",
        [WHET_GPU_CLOCK_KHZ] = "CLOCK_RATE",
        [WHET_GPU_MEMORY_CLOCK_KHZ] = "MEMORY_CLOCK_RATE",
        [WHET_GPU_L2_BYTES] = "L2_CACHE_SIZE",
        [WHET_GPU_ECC] = "ECC_ENABLED",
        [WHET_GPU_PAGEABLE_ACCESS] = "PAGEABLE_MEMORY_ACCESS",
        [WHET_GPU_COMPUTE_MODE] = "COMPUTE_MODE",
        [WHET_GPU_ARCH_MAJOR] = "COMPUTE_CAPABILITY_MAJOR",
        [WHET_GPU_ARCH_MINOR] = "COMPUTE_CAPABILITY_MINOR",
        [WHET_GPU_PCI_DOMAIN] = "PCI_DOMAIN_ID",
        [WHET_GPU_PCI_BUS] = "PCI_BUS_ID",
        [WHET_GPU_PCI_DEVICE] = "PCI_DEVICE_ID",
    };
    whet_buf header = {0};
    size_t i;

    (void)state;
    if (!read_header(&header)) {
        print_message("no cuda.h is installed\n");
        skip();
    }
    for (i = 0; i < WHET_GPU_ATTRIBUTE_COUNT; i++) {
        char name[96];

        assert_non_null(names[i]);
        snprintf(name, sizeof name, "CU_DEVICE_ATTRIBUTE_%s", names[i]);
        if (value_of(header.data, name) != whet_cuda__numbering[i])
            fail_msg("%s is %ld, not %d", name, value_of(header.data, name),
                     whet_cuda__numbering[i]);
    }
    whet_buf_deinit(&header);
}

static void test_device_cuda__architectures_have_names(void **state)
{
    static const struct {
        int major, minor;
        const char *text;
    } rows[] = {{7, 5, "sm_75"},   {8, 0, "sm_80"},    {8, 9, "sm_89"},
                {9, 0, "sm_90a"},  {10, 0, "sm_100a"}, {10, 3, "sm_103a"},
                {12, 0, "sm_120a"}};
    char text[32];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_cuda__arch(text, sizeof text, rows[i].major, rows[i].minor);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_device_cuda__finds_the_release(void **state)
{
    static const struct {
        const char *text, *release;
    } rows[] = {
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct "
         "19 18:56:32 UTC 2023\nGCC version:  gcc version 12.2.0\n",
         "535.129.03"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  "
         "Release Build  (dvs-builder@U22)\n",
         "580.65.06"},
        {"NVRM version: NVIDIA UNIX Kernel Module\nGCC version: 12.2.0\n", ""},
        {"Kernel Module", ""},
        {"580.65.06", ""},
        {"", ""},
    };
    char text[32];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_cuda__release(text, sizeof text, rows[i].text);
        assert_string_equal(text, rows[i].release);
    }
}

/* --- listing -------------------------------------------------------------- */

static void test_device_cuda__lists_what_the_driver_tells(void **state)
{
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    const whet_device_facts *second = &found[1];
    uint32_t count = 0;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    if (whet_device_cuda.probe(found, &count, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(count, 2);
    assert_string_equal(second->backend, "cuda");
    assert_int_equal(second->index, 1);
    assert_int_equal(second->physical_index, 1);
    assert_string_equal(second->name, "Fake GPU 1\\x1b[2J");
    assert_string_equal(second->arch, "sm_90a");
    assert_string_equal(second->arch_evidence, "driver");
    assert_int_equal(strncmp(second->driver, "CUDA 12.4", 9), 0);
    assert_string_equal(second->pci, "0000:c2:00.0");
    assert_false(second->is_cpu);
    assert_true(second->has_f64 && second->has_f16);
    assert_int_equal(second->clock_mhz, 1980);
    assert_int_equal(second->limits.wave_size, 32);
    assert_int_equal(second->limits.lds_bytes, 232448);
    assert_int_equal(second->limits.memory_bytes, 1 << 30);
    assert_int_equal(second->has_ecc, WHET_KNOWN_YES);
    assert_int_equal(second->has_pageable_access, WHET_KNOWN_NO);
    assert_int_equal(second->is_exclusive, WHET_KNOWN_NO);
    assert_int_equal(second->evidence, WHET_EVIDENCE_MEASURED);
    assert_int_equal(strlen(second->id), WHET_HASH_TEXT_BYTES - 1);
    free(found);
}

static void test_device_cuda__hidden_cards_are_counted_in(void **state)
{
    whet_device_handle handle;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    setenv("CUDA_VISIBLE_DEVICES", "7,3", 1);
    if (whet_device_open(&handle, "cuda:1", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(handle.facts.index, 1);
    assert_int_equal(handle.facts.physical_index, 3);
    whet_device_close(&handle);
    unsetenv("CUDA_VISIBLE_DEVICES");
}

static void test_device_cuda__auto_takes_it_first(void **state)
{
    whet_device_handle handle;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    if (whet_device_open(&handle, "auto", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(handle.facts.backend, "cuda");
    whet_device_close(&handle);
}

static void test_device_cuda__absence_is_told_with_remedy(void **state)
{
    static const struct {
        const char *library, *word;
    } rows[] = {
        {"/nonexistent/libcuda.so", "unset WHET_CUDA_LIBRARY"},
        /* Opens, and is something else. */
        {"libm.so.6", "no function cuInit"},
        {"/etc/passwd", "/etc/passwd"},
    };
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t count = 9;
        whet_err err = {0};

        setenv("WHET_CUDA_LIBRARY", rows[i].library, 1);
        assert_int_equal(whet_device_cuda.probe(found, &count, &err),
                         WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, "CUDA"));
        if (strstr(err.msg, rows[i].word) == NULL)
            fail_msg("%s", err.msg);
        assert_int_equal(count, 0);
    }
    free(found);
}

static void test_device_cuda__a_driver_that_cannot_start_is_told(void **state)
{
    static const struct {
        const char *mode, *word;
    } rows[] = {{"none", "CUDA_ERROR_NO_DEVICE (100)"},
                {"stub", "CUDA_ERROR_STUB_LIBRARY (34)"},
                {"crash", "cuda: the driver failed while devices were listed"}};
    whet_device_handle handle;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};

        fake_cuda_use(rows[i].mode);
        assert_int_equal(whet_device_open(&handle, "cuda", &err),
                         WHET_EUNSUPPORTED);
        if (strstr(err.msg, rows[i].word) == NULL)
            fail_msg("%s", err.msg);
        assert_null(handle.ops);
    }
}

/* --- worker --------------------------------------------------------------- */

static void test_device_cuda__workers_open_devices_that_are_there(void **state)
{
    whet_worker_ctx *ctx = NULL;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    if (whet_device_cuda.worker_open(&ctx, 1, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    whet_device_cuda.worker_close(ctx);
    assert_int_equal(whet_device_cuda.worker_open(&ctx, 2, &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "cuda:2"));
    assert_null(ctx);
    fake_cuda_use("none");
    assert_int_equal(whet_device_cuda.worker_open(&ctx, 0, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "CUDA_ERROR_NO_DEVICE"));
}

static void test_device_cuda__the_real_driver_tells_enough(void **state)
{
    whet_device_handle handle;
    const whet_device_facts *facts = &handle.facts;
    whet_err err = {0};

    (void)state;
    unsetenv("WHET_CUDA_LIBRARY");
    if (whet_device_open(&handle, "cuda", &err) != WHET_OK) {
        assert_string_not_equal(err.msg, "");
        print_message("no device: %s\n", err.msg);
        skip();
    }
    print_message("%s, %s, %s, %s\n", facts->name, facts->arch, facts->driver,
                  facts->pci);
    assert_int_equal(strncmp(facts->arch, "sm_", 3), 0);
    assert_string_not_equal(facts->pci, "");
    assert_int_equal(facts->limits.wave_size, 32);
    assert_true(facts->limits.cu_count > 0 && facts->clock_mhz > 0);
    assert_true(facts->limits.lds_bytes >= 48 << 10);
    assert_true(facts->llc_bytes > 0 && facts->limits.memory_bytes > 0);
    assert_true(facts->register_count >= 32 << 10);
    whet_device_close(&handle);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_cuda__attributes_are_those_of_the_header),
        cmocka_unit_test(test_device_cuda__architectures_have_names),
        cmocka_unit_test(test_device_cuda__finds_the_release),
        cmocka_unit_test(test_device_cuda__lists_what_the_driver_tells),
        cmocka_unit_test(test_device_cuda__hidden_cards_are_counted_in),
        cmocka_unit_test(test_device_cuda__auto_takes_it_first),
        cmocka_unit_test(test_device_cuda__absence_is_told_with_remedy),
        cmocka_unit_test(test_device_cuda__a_driver_that_cannot_start_is_told),
        cmocka_unit_test(test_device_cuda__workers_open_devices_that_are_there),
        cmocka_unit_test(test_device_cuda__the_real_driver_tells_enough),
    };
    int status;

    /* Devices are listed by a child that is this program. */
    if (whet_device_child(&status, argc, argv) ||
        whet_toolchain_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, fake_cuda_remove);
}
