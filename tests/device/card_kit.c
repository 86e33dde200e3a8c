/* See card_kit.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char nowhere[] = "/nonexistent/library.so";

int card_kit_open(void **state)
{
    card_kit *kit = calloc(1, sizeof *kit);

    *state = kit;
    if (kit == NULL || whet_fs_tempdir(&kit->dir, "whet-test", NULL) != WHET_OK)
        return -1;
    kit->sysfs = whet_fs_join(kit->dir, "sys");
    kit->tools = whet_fs_join(kit->dir, "tools");
    kit->locks = whet_fs_join(kit->dir, "locks");
    if (whet_fs_mkdirs(kit->sysfs, NULL) != WHET_OK ||
        whet_fs_mkdirs(kit->tools, NULL) != WHET_OK)
        return -1;
    setenv("WHET_HIP_SYSFS", kit->sysfs, 1);
    setenv("WHET_SMI_DIRS", kit->tools, 1);
    setenv("WHET_LOCK_DIR", kit->locks, 1);
    setenv("WHET_NVML_LIBRARY", nowhere, 1);
    setenv("WHET_AMDSMI_LIBRARY", nowhere, 1);
    setenv("WHET_ROCM_SMI_LIBRARY", nowhere, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("HIP_VISIBLE_DEVICES");
    unsetenv("ROCR_VISIBLE_DEVICES");
    return 0;
}

int card_kit_close(void **state)
{
    card_kit *kit = *state;

    whet_fs_remove_tree(kit->dir);
    free(kit->dir);
    free(kit->sysfs);
    free(kit->tools);
    free(kit->locks);
    free(kit);
    return 0;
}

void card_kit_write(const card_kit *kit, const char *name, const char *text)
{
    char *path = whet_fs_join(kit->dir, name);
    char *slash = strrchr(path, '/');

    *slash = '\0';
    assert_int_equal(whet_fs_mkdirs(path, NULL), WHET_OK);
    *slash = '/';
    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    free(path);
}

static void write_at(const card_kit *kit, const char *at, const char *name,
                     const char *text)
{
    char *path = whet_asprintf("sys/class/drm/%s/device/%s", at, name);

    card_kit_write(kit, path, text);
    free(path);
}

void card_kit_card(const card_kit *kit, const char *at, const char *pci,
                   const char *vendor)
{
    char *event = whet_asprintf("DRIVER=x\nPCI_SLOT_NAME=%s\n", pci);

    write_at(kit, at, "vendor", vendor);
    write_at(kit, at, "uevent", event);
    write_at(kit, at, "mem_info_vram_total", "68702699520\n");
    write_at(kit, at, "mem_info_vram_used", "3145728\n");
    write_at(kit, at, "gpu_busy_percent", "12\n");
    write_at(kit, at, "hwmon/hwmon3/temp1_input", "38000\n");
    write_at(kit, at, "hwmon/hwmon3/temp1_label", "edge\n");
    write_at(kit, at, "hwmon/hwmon3/temp2_input", "41500\n");
    write_at(kit, at, "hwmon/hwmon3/temp2_label", "junction\n");
    write_at(kit, at, "hwmon/hwmon3/power1_average", "80000000\n");
    write_at(kit, at, "hwmon/hwmon3/freq1_input", "1500000000\n");
    free(event);
}

void card_kit_tool(const card_kit *kit, const char *name, const char *script)
{
    char *file = whet_asprintf("tools/%s", name);
    char *text = whet_asprintf("#!/bin/sh\n%s", script);
    char *path = whet_fs_join(kit->dir, file);

    card_kit_write(kit, file, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
    free(text);
    free(file);
}

/* The build puts the libraries into a folder beside the test programs. */
char *card_kit_library(const char *name)
{
    char *self = NULL, *path;

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    *strrchr(self, '/') = '\0';
    path = whet_asprintf("%s/device/%s.so", self, name);
    free(self);
    assert_non_null(path);
    assert_true(whet_fs_exists(path));
    return path;
}

void card_kit_nvml(const card_kit *kit, const char *mode)
{
    char *library = card_kit_library("fake_nvml");
    char *path = whet_asprintf("%s/fake%s.so", kit->dir, mode);
    (void)unlink(path);
    assert_int_equal(symlink(library, path), 0);
    setenv("WHET_NVML_LIBRARY", path, 1);
    free(path);
    free(library);
}
