/* Makes the copies by whose names the fake runtimes know what to do wrong. */

#include "fake_hip_kit.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The build puts the libraries into a folder beside this program. */
static void read_fake(whet_buf *bytes, bool is_dtk)
{
    char *self = NULL, *path;

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    *strrchr(self, '/') = '\0';
    path = whet_fs_join(self, is_dtk ? "device/fake_hip_dtk.so"
                                     : "device/fake_hip_rocm.so");
    assert_non_null(path);
    assert_int_equal(whet_fs_read(bytes, path, 16 << 20, NULL), WHET_OK);
    free(path);
    free(self);
}

void fake_hip_copy(char path[FAKE_HIP_PATH_BYTES], const char *folder,
                   const char *name, bool is_dtk)
{
    whet_buf bytes = {0};

    read_fake(&bytes, is_dtk);
    assert_int_equal(whet_fs_mkdirs(folder, NULL), WHET_OK);
    snprintf(path, FAKE_HIP_PATH_BYTES, "%s/%s", folder, name);
    assert_int_equal(whet_fs_write(path, bytes.data, bytes.bytes, NULL),
                     WHET_OK);
    whet_buf_deinit(&bytes);
}

static void copies_folder(char path[64])
{
    snprintf(path, 64, "/tmp/whet-fake-hip.%d", (int)getpid());
}

void fake_hip_add(const char *mode, bool is_dtk)
{
    const char *before = getenv("WHET_HIP_LIBRARY");
    char root[64], folder[96], name[64], path[FAKE_HIP_PATH_BYTES];
    unsigned number = 0;
    char *all;

    copies_folder(root);
    do
        snprintf(folder, sizeof folder, "%s/%u", root, number++);
    while (whet_fs_exists(folder));
    snprintf(name, sizeof name, "lib%s-%s.so",
             is_dtk ? "galaxyhip" : "amdhip64", mode);
    fake_hip_copy(path, folder, name, is_dtk);
    all = before != NULL ? whet_asprintf("%s:%s", before, path)
                         : whet_strdup(path);
    assert_non_null(all);
    assert_int_equal(setenv("WHET_HIP_LIBRARY", all, 1), 0);
    free(all);
}

void fake_hip_use(const char *mode, bool is_dtk)
{
    assert_int_equal(unsetenv("WHET_HIP_LIBRARY"), 0);
    fake_hip_add(mode, is_dtk);
}

int fake_hip_remove(void **state)
{
    char folder[64];

    (void)state;
    copies_folder(folder);
    whet_fs_remove_tree(folder);
    (void)unsetenv("WHET_HIP_SYSFS");
    return unsetenv("WHET_HIP_LIBRARY");
}
