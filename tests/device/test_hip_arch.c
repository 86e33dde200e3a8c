/* Where a device's architecture is learnt from, source by source. */

#include "device/hip_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A folder with tools that print recorded output. */
static int make_tools(void **state)
{
    char *folder = NULL;

    if (whet_fs_tempdir(&folder, "whet-tools", NULL) != WHET_OK)
        return -1;
    *state = folder;
    return 0;
}

static int remove_tools(void **state)
{
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

static void add_tool(const char *folder, const char *name, const char *file)
{
    char path[512], script[1024];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(script, sizeof script, "#!/bin/sh\nexec cat \"%s/hip/%s\"\n",
             getenv("WHET_TEST_DATA"), file);
    assert_int_equal(whet_fs_write(path, script, strlen(script), NULL),
                     WHET_OK);
    assert_int_equal(chmod(path, 0755), 0);
}

static char *sysfs(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/hip/%s", getenv("WHET_TEST_DATA"), name);
    return path;
}

static void test_device_hip_arch__believes_the_first_that_answers(void **state)
{
    const char *folder = *state;
    whet_hip_arch_opts opts = {.sysfs = sysfs("kfd-gfx936"),
                               .tool_dirs = folder,
                               .runtime = "gfx928:sramecc+:xnack-",
                               .configured = "gfx906"};
    whet_hip_arch found;

    add_tool(folder, "rocminfo", "rocminfo-rocm6-gfx90a.txt");
    add_tool(folder, "amdgpu-arch", "amdgpu-arch-rocm.txt");
    add_tool(folder, "rocm_agent_enumerator", "enumerator-dtk.txt");
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    assert_string_equal(found.features, "sramecc+:xnack-");
    assert_string_equal(found.evidence, "runtime (gcnArchName)");
    assert_int_equal(found.agent.cu_count, 80);
    opts.runtime = "Device 7310";
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx936");
    assert_non_null(strstr(found.evidence, "KFD"));
    opts.sysfs = sysfs("kfd-malformed");
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx90a");
    assert_string_equal(found.features, "sramecc+:xnack-");
    assert_string_equal(found.evidence, "rocminfo");
    opts.sysfs = "/nonexistent";
    add_tool(folder, "rocminfo", "rocminfo-malformed.txt");
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx906");
    assert_string_equal(found.evidence, "amdgpu-arch");
    add_tool(folder, "amdgpu-arch", "amdgpu-arch-malformed.txt");
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    assert_string_equal(found.evidence, "rocm_agent_enumerator");
    add_tool(folder, "rocm_agent_enumerator", "enumerator-malformed.txt");
    opts.configured = "gfx938";
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx938");
    assert_non_null(strstr(found.evidence, "configured"));
    opts.configured = "K100";
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    assert_string_equal(found.evidence, "assumed: default");
    assert_int_equal(found.agent.cu_count, 0);
}

static void test_device_hip_arch__finds_the_device_among_several(void **state)
{
    whet_hip_arch_opts opts = {.sysfs = sysfs("kfd-mixed"),
                               .skips_tools = true,
                               .ordinal = UINT32_MAX};
    whet_hip_arch found;

    (void)state;
    opts.pci = "0000:09:00.0";
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    assert_int_equal(found.agent.cu_count, 120);
    opts.pci = "";
    opts.ordinal = 0;
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx906");
    opts.ordinal = 1;
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    /* Two architectures and no way to tell them apart: nothing is guessed. */
    opts.ordinal = UINT32_MAX;
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.evidence, "assumed: default");
    opts.sysfs = sysfs("kfd-gfx936");
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx936");
}

/* A tool that fails or never ends is no answer. */
static void test_device_hip_arch__passes_over_failing_tools(void **state)
{
    static const char script[] = "#!/bin/sh\necho gfx936\nexit 1\n";
    const char *folder = *state;
    whet_hip_arch_opts opts = {
        .sysfs = "/nonexistent", .tool_dirs = folder, .ordinal = UINT32_MAX};
    whet_hip_arch found;
    char path[512];

    add_tool(folder, "rocminfo", "no-such-file");
    add_tool(folder, "amdgpu-arch", "no-such-file");
    snprintf(path, sizeof path, "%s/rocm_agent_enumerator", folder);
    assert_int_equal(whet_fs_write(path, script, sizeof script - 1, NULL),
                     WHET_OK);
    whet_hip__arch(&found, &opts);
    assert_string_equal(found.arch, "gfx928");
    assert_string_equal(found.evidence, "assumed: default");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_hip_arch__believes_the_first_that_answers),
        cmocka_unit_test(test_device_hip_arch__finds_the_device_among_several),
        cmocka_unit_test(test_device_hip_arch__passes_over_failing_tools),
    };

    return cmocka_run_group_tests(tests, make_tools, remove_tools);
}
