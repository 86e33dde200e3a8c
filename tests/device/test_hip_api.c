/* Finding a HIP runtime that sees devices, over fakes of both vendors. */

#include "device/hip_priv.h"
#include "fake_hip_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* --- where it looks ------------------------------------------------------- */

static void touch(const char *root, const char *file)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", root, file);
    *strrchr(path, '/') = '\0';
    assert_int_equal(whet_fs_mkdirs(path, NULL), WHET_OK);
    snprintf(path, sizeof path, "%s/%s", root, file);
    assert_int_equal(whet_fs_write(path, "x", 1, NULL), WHET_OK);
}

/* The paths without the root, one a line. */
static const char *text_of(const whet_gpu_paths *paths, const char *root)
{
    static char text[4096];
    size_t used = 0;
    uint32_t i;

    text[0] = '\0';
    for (i = 0; i < paths->count; i++) {
        const char *path = paths->path[i];
        size_t bytes = strlen(root);

        if (strncmp(path, root, bytes) == 0)
            path += bytes;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", path);
    }
    return text;
}

static void test_device_hip_api__looks_in_the_toolkits_folders(void **state)
{
    char *root = NULL;
    char from[300], to[300], sysfs[300], rocm_path[300];
    whet_gpu_paths paths;
    whet_hip_search search = {.skips_loader = true, .sysfs = "/nonexistent"};

    (void)state;
    assert_int_equal(whet_fs_tempdir(&root, "whet-opt", NULL), WHET_OK);
    search.opt = root;
    whet_hip__paths(&paths, &search);
    assert_int_equal(paths.count, 0);
    touch(root, "rocm-6.2/lib/libamdhip64.so.6");
    touch(root, "rocm-6.2/lib/libamdhip64.so");
    touch(root, "rocm-5.7/lib/libamdhip64.so.5");
    touch(root, "dtk-25.04/hip/lib/libgalaxyhip.so.5");
    touch(root, "dtk-26.04/lib/libgalaxyhip.so");
    touch(root, "dtk-26.04/lib/libamdhip64.so.5");
    snprintf(from, sizeof from, "%s/rocm-6.2", root);
    snprintf(to, sizeof to, "%s/rocm", root);
    assert_int_equal(symlink(from, to), 0);
    whet_hip__paths(&paths, &search);
    assert_string_equal(text_of(&paths, root),
                        "/rocm/lib/libamdhip64.so.6\n"
                        "/rocm-5.7/lib/libamdhip64.so.5\n"
                        "/dtk-26.04/lib/libgalaxyhip.so\n"
                        "/dtk-26.04/lib/libamdhip64.so.5\n"
                        "/dtk-25.04/hip/lib/libgalaxyhip.so.5\n");
    /* The kernel driver shows a DCU: its runtime first. */
    snprintf(sysfs, sizeof sysfs, "%s/hip/kfd-gfx928",
             getenv("WHET_TEST_DATA"));
    search.sysfs = sysfs;
    whet_hip__paths(&paths, &search);
    assert_string_equal(text_of(&paths, root),
                        "/dtk-26.04/lib/libgalaxyhip.so\n"
                        "/dtk-26.04/lib/libamdhip64.so.5\n"
                        "/dtk-25.04/hip/lib/libgalaxyhip.so.5\n"
                        "/rocm/lib/libamdhip64.so.6\n"
                        "/rocm-5.7/lib/libamdhip64.so.5\n");
    /* DTK's own env.sh sets ROCM_PATH. */
    snprintf(rocm_path, sizeof rocm_path, "%s/dtk-25.04", root);
    search.rocm_path = rocm_path;
    whet_hip__paths(&paths, &search);
    assert_int_equal(strncmp(text_of(&paths, root), "/dtk-25.04/hip/lib/", 19),
                     0);
    snprintf(rocm_path, sizeof rocm_path, "%s/rocm-5.7", root);
    search.sysfs = "/nonexistent";
    whet_hip__paths(&paths, &search);
    assert_int_equal(strncmp(text_of(&paths, root), "/rocm-5.7/", 10), 0);
    whet_fs_remove_tree(root);
    free(root);
}

static void test_device_hip_api__takes_the_configured_list_alone(void **state)
{
    whet_hip_search search = {.libraries = "/a/libx.so::libamdhip64.so.5:"};
    whet_gpu_paths paths;

    (void)state;
    whet_hip__paths(&paths, &search);
    assert_string_equal(text_of(&paths, "/none"),
                        "/a/libx.so\nlibamdhip64.so.5\n");
    search.libraries = "";
    search.opt = "/nonexistent";
    search.sysfs = "/nonexistent";
    whet_hip__paths(&paths, &search);
    assert_string_equal(text_of(&paths, "/none"),
                        "libamdhip64.so.7\nlibamdhip64.so.6\nlibamdhip64.so.5\n"
                        "libamdhip64.so\nlibgalaxyhip.so.5\nlibgalaxyhip.so\n");
}

static void test_device_hip_api__tells_vendors_by_name(void **state)
{
    (void)state;
    assert_true(whet_hip__is_dtk("libgalaxyhip.so.5"));
    assert_true(whet_hip__is_dtk("/x/libgalaxyhip.so"));
    assert_true(whet_hip__is_dtk("/opt/dtk/lib/libamdhip64.so.5"));
    assert_true(whet_hip__is_dtk("/opt/dtk-26.04/lib/libamdhip64.so.5"));
    assert_false(whet_hip__is_dtk("/opt/rocm/lib/libamdhip64.so.7"));
    assert_false(whet_hip__is_dtk("libamdhip64.so"));
}

static void test_device_hip_api__reads_versions(void **state)
{
    static const struct {
        int number;
        const char *text;
    } rows[] = {{50221153, "5.2.21153"},
                {60325422, "6.3.25422"},
                {71125424, "7.11.25424"},
                {0, "0.0.0"}};
    char text[32];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_hip__version(text, rows[i].number);
        assert_string_equal(text, rows[i].text);
    }
}

/* --- loading -------------------------------------------------------------- */

static whet_status open_fakes(whet_gpu_api *api, whet_err *err)
{
    whet_hip_search search;

    whet_hip__search_env(&search);
    return whet_hip__open(api, &search, err);
}

static void test_device_hip_api__speaks_both_abis(void **state)
{
    static const struct {
        const char *mode, *arch, *numbering, *pci;
        bool is_dtk;
    } rows[] = {
        {"good", "gfx90a:sramecc+:xnack-", "ROCm", "0000:c1:00.0", false},
        {"good", "gfx936:sramecc+:xnack-", "DTK", "0000:09:00.0", true},
        {"hip4", "gfx936:sramecc+:xnack-", "HIP 4", "0000:09:00.0", true},
        {"hip4", "gfx90a:sramecc+:xnack-", "HIP 4", "0000:c1:00.0", false},
        {"limits", "gfx936:sramecc+:xnack-", "DTK, checked", "0000:09:00.0",
         true},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_device_facts facts = {0};
        whet_err err = {0};
        whet_gpu_api api;
        char arch[96];

        fake_hip_use(rows[i].mode, rows[i].is_dtk);
        assert_int_equal(open_fakes(&api, &err), WHET_OK);
        assert_string_equal(
            ((const whet_hip_vendor *)api.vendor)->numbering->name,
            rows[i].numbering);
        assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
        assert_int_equal(facts.limits.cu_count, 80);
        assert_int_equal(facts.limits.wave_size, 64);
        assert_int_equal(facts.limits.lds_bytes, 65536);
        assert_int_equal(facts.lds_cu_bytes, 65536);
        assert_int_equal(facts.cu_items_max, 2560);
        assert_int_equal(facts.clock_mhz, 1500);
        assert_int_equal(facts.memory_clock_mhz, 800);
        assert_int_equal(facts.llc_bytes, 1 << 20);
        assert_int_equal(facts.is_exclusive, WHET_KNOWN_NO);
        assert_int_equal(facts.limits.group_items_max,
                         strcmp(rows[i].mode, "limits") == 0 ? 0 : 1024);
        assert_string_equal(facts.pci, rows[i].pci);
        whet_hip__runtime_arch(arch, &api, 1);
        assert_string_equal(arch, rows[i].arch);
        free(api.vendor);
    }
}

/* ROCm and HIP 4 tell of ECC and pageable access; of DTK no number is known. */
static void test_device_hip_api__leaves_unknown_what_has_no_number(void **state)
{
    whet_device_facts facts = {0};
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    fake_hip_use("good", true);
    assert_int_equal(open_fakes(&api, &err), WHET_OK);
    assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
    assert_int_equal(facts.has_ecc, WHET_UNKNOWN);
    assert_int_equal(facts.has_pageable_access, WHET_UNKNOWN);
    free(api.vendor);
    fake_hip_use("good", false);
    assert_int_equal(open_fakes(&api, &err), WHET_OK);
    assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
    assert_int_equal(facts.has_ecc, WHET_KNOWN_YES);
    assert_int_equal(facts.has_pageable_access, WHET_KNOWN_NO);
    free(api.vendor);
}

static void test_device_hip_api__believes_no_garbage(void **state)
{
    whet_device_facts facts = {0};
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    fake_hip_use("garbage", true);
    assert_int_equal(open_fakes(&api, &err), WHET_OK);
    assert_ptr_equal(((const whet_hip_vendor *)api.vendor)->numbering,
                     &whet_hip__none);
    assert_int_equal(whet_gpu__facts(&facts, &api, 0, &err), WHET_OK);
    assert_int_equal(facts.limits.cu_count, 0);
    assert_int_equal(facts.clock_mhz, 0);
    free(api.vendor);
}

static void test_device_hip_api__tells_why_there_is_none(void **state)
{
    static const struct {
        const char *mode, *word;
    } rows[] = {
        {"none", "sees no device (100 hipErrorNoDevice)"},
        {"unready", "does not start (303 hipErrorSharedObjectInitFailed)"},
    };
    whet_gpu_api api;
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_hip_use(rows[i].mode, false);
        assert_int_equal(open_fakes(&api, &err), WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, rows[i].word));
        assert_null(api.vendor);
        fake_hip_add(rows[i].mode, true);
        assert_int_equal(open_fakes(&api, &err), WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, "libamdhip64-"));
        assert_non_null(strstr(err.msg, "libgalaxyhip-"));
    }
    setenv("WHET_HIP_LIBRARY", "/nonexistent/libamdhip64.so", 1);
    assert_int_equal(open_fakes(&api, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "/nonexistent/libamdhip64.so"));
    setenv("WHET_HIP_LIBRARY", "libwhet-none-1.so:libwhet-none-2.so", 1);
    assert_int_equal(open_fakes(&api, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "install ROCm or DTK"));
    setenv("WHET_HIP_LIBRARY", "libm.so.6", 1);
    assert_int_equal(open_fakes(&api, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "hipInit"));
}

/* A library that finds nothing, or dies, does not stop the search. */
static void test_device_hip_api__takes_the_one_that_sees_devices(void **state)
{
    static const char *const modes[] = {"none", "unready", "crash"};
    whet_gpu_api api;
    whet_err err = {0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fake_hip_use(modes[i], false);
        fake_hip_add("good", true);
        assert_int_equal(open_fakes(&api, &err), WHET_OK);
        assert_non_null(strstr(api.library, "libgalaxyhip-good.so"));
        free(api.vendor);
        fake_hip_use(modes[i], true);
        fake_hip_add("good", false);
        assert_int_equal(open_fakes(&api, &err), WHET_OK);
        assert_non_null(strstr(api.library, "libamdhip64-good.so"));
        free(api.vendor);
    }
}

/* One that never answers is left, and named if none is better. */
static void test_device_hip_api__leaves_one_that_hangs(void **state)
{
    whet_hip_search search;
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    fake_hip_use("hang", false);
    fake_hip_add("good", true);
    whet_hip__search_env(&search);
    search.try_timeout_s = 1;
    assert_int_equal(whet_hip__open(&api, &search, &err), WHET_OK);
    assert_non_null(strstr(api.library, "libgalaxyhip-good.so"));
    free(api.vendor);
    fake_hip_use("none", false);
    fake_hip_add("hang", true);
    whet_hip__search_env(&search);
    search.try_timeout_s = 1;
    assert_int_equal(whet_hip__open(&api, &search, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "libgalaxyhip-hang.so: no answer for 1 s"));
    assert_non_null(strstr(err.msg, "libamdhip64-none.so: sees no device"));
}

static void test_device_hip_api__checks_lds_before_a_launch(void **state)
{
    char path[512];
    whet_buf image = {0};
    whet_gpu_handle module = NULL, function = NULL;
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    fake_hip_use("good", true);
    assert_int_equal(open_fakes(&api, &err), WHET_OK);
    snprintf(path, sizeof path, "%s/hip/kernels.hsaco",
             getenv("WHET_TEST_DATA"));
    assert_int_equal(whet_fs_read(&image, path, 1 << 20, &err), WHET_OK);
    assert_int_equal(api.make_current(&api, 0), 0);
    assert_int_equal(api.make_current(&api, 7), 101);
    assert_int_equal(api.make_current(&api, 1), 0);
    assert_int_equal(api.module_load(&module, image.data), 0);
    assert_int_equal(api.module_function(&function, module, "gemm"), 0);
    assert_int_equal(api.allow_shared(&api, function, 65536), 0);
    assert_int_equal(api.allow_shared(&api, function, 65537), 701);
    assert_int_equal(api.last_error(&api), 0);
    whet_buf_deinit(&image);
    free(api.vendor);
}

/* What would slow launches or make the runtime talk is gone before it loads. */
static void test_device_hip_api__cleans_the_environment(void **state)
{
    whet_gpu_api api;
    whet_err err = {0};

    (void)state;
    setenv("HIP_LAUNCH_BLOCKING", "1", 1);
    setenv("AMD_LOG_LEVEL", "4", 1);
    fake_hip_use("good", false);
    assert_int_equal(open_fakes(&api, &err), WHET_OK);
    assert_null(getenv("HIP_LAUNCH_BLOCKING"));
    assert_null(getenv("AMD_LOG_LEVEL"));
    free(api.vendor);
}

/* The real one, where it is installed, on a machine without a card. Two names,
 * so that it is tried in a child. */
static void test_device_hip_api__explains_a_real_runtime(void **state)
{
    static const char names[] = "libamdhip64.so.5:libamdhip64.so.5.2.21153";
    whet_hip_search search = {.libraries = names};
    whet_gpu_api api;
    whet_err err = {0};
    whet_status st;

    (void)state;
    if (access("/dev/kfd", F_OK) == 0)
        skip();
    st = whet_hip__open(&api, &search, &err);
    assert_int_equal(st, WHET_EUNSUPPORTED);
    if (strstr(err.msg, "install ROCm or DTK") != NULL) {
        print_message("no libamdhip64.so.5 here\n");
        skip();
    }
    assert_non_null(strstr(err.msg, "libamdhip64.so.5"));
    assert_non_null(strstr(err.msg, "sees no device (10"));
    assert_non_null(strstr(err.msg, "check the kernel driver"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_hip_api__looks_in_the_toolkits_folders),
        cmocka_unit_test(test_device_hip_api__takes_the_configured_list_alone),
        cmocka_unit_test(test_device_hip_api__tells_vendors_by_name),
        cmocka_unit_test(test_device_hip_api__reads_versions),
        cmocka_unit_test(test_device_hip_api__speaks_both_abis),
        cmocka_unit_test(
            test_device_hip_api__leaves_unknown_what_has_no_number),
        cmocka_unit_test(test_device_hip_api__believes_no_garbage),
        cmocka_unit_test(test_device_hip_api__tells_why_there_is_none),
        cmocka_unit_test(test_device_hip_api__takes_the_one_that_sees_devices),
        cmocka_unit_test(test_device_hip_api__leaves_one_that_hangs),
        cmocka_unit_test(test_device_hip_api__checks_lds_before_a_launch),
        cmocka_unit_test(test_device_hip_api__cleans_the_environment),
        cmocka_unit_test(test_device_hip_api__explains_a_real_runtime),
    };

    return cmocka_run_group_tests(tests, NULL, fake_hip_remove);
}
