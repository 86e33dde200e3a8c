/* The registry of toolchains, and the header put in front of sources. */

#include "toolchain/toolchain.h"
#include "toolchain/toolchain_priv.h"

#include <stdlib.h>
#include <string.h>

enum { DIALECT_BYTES_MAX = 256 << 10 };

static const whet_toolchain_ops *const toolchains[] = {
    &whet_toolchain_opencl, &whet_toolchain_nvrtc, &whet_toolchain_nvcc,
    &whet_toolchain_hip, NULL};

const whet_toolchain_ops *const *whet_toolchain_all(void)
{
    return toolchains;
}

const whet_toolchain_ops *whet_toolchain_find(const char *name)
{
    size_t i;

    for (i = 0; toolchains[i] != NULL; i++)
        if (strcmp(toolchains[i]->name, name) == 0)
            return toolchains[i];
    return NULL;
}

bool whet_toolchain_accepts(const whet_toolchain_ops *ops, const char *language)
{
    size_t i;

    for (i = 0; ops->languages[i] != NULL; i++)
        if (strcmp(ops->languages[i], language) == 0)
            return true;
    return false;
}

whet_status whet_toolchain_dialect(char **text_out, size_t *bytes_out,
                                   whet_err *err)
{
    whet_buf text = {0};
    char *dir = NULL;
    char *path = NULL;
    whet_status st = whet_fs_data_dir(&dir, "skills", err);

    *text_out = NULL;
    *bytes_out = 0;
    if (st != WHET_OK)
        return st;
    path = whet_fs_join(dir, "dialect/whet_dialect.h");
    if (path == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "kernel dialect: out of memory");
        goto out;
    }
    if ((st = whet_fs_read(&text, path, DIALECT_BYTES_MAX, err)) != WHET_OK)
        goto out;
    /* An empty file would be no pointer at all. */
    whet_buf_puts(&text, "");
    if (text.failed || text.data == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", path);
        goto out;
    }
    *text_out = text.data;
    *bytes_out = text.bytes;
    memset(&text, 0, sizeof text);
out:
    whet_buf_deinit(&text);
    free(path);
    free(dir);
    return st;
}
