/* Makes the copies by whose names the fake driver knows what to do wrong. */

#include "fake_cuda_kit.h"

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

/* The build puts the library into a folder beside this program. */
static void read_fake(whet_buf *bytes)
{
    char *self = NULL, *path;

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    *strrchr(self, '/') = '\0';
    path = whet_fs_join(self, "device/fake_cuda.so");
    assert_non_null(path);
    assert_int_equal(whet_fs_read(bytes, path, 16 << 20, NULL), WHET_OK);
    free(path);
    free(self);
}

static void copy_folder(char path[64])
{
    snprintf(path, 64, "/tmp/whet-fake-cuda.%d", (int)getpid());
}

void fake_cuda_use(const char *mode)
{
    char folder[64], path[128];
    unsigned number = 0;
    whet_buf bytes = {0};

    read_fake(&bytes);
    copy_folder(folder);
    assert_int_equal(whet_fs_mkdirs(folder, NULL), WHET_OK);
    do
        snprintf(path, sizeof path, "%s/%u-%s.so", folder, number++, mode);
    while (whet_fs_exists(path));
    assert_int_equal(whet_fs_write(path, bytes.data, bytes.bytes, NULL),
                     WHET_OK);
    whet_buf_deinit(&bytes);
    assert_int_equal(setenv("WHET_CUDA_LIBRARY", path, 1), 0);
}

int fake_cuda_remove(void **state)
{
    char folder[64];

    (void)state;
    copy_folder(folder);
    whet_fs_remove_tree(folder);
    return unsetenv("WHET_CUDA_LIBRARY");
}
