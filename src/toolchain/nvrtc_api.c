/* NVRTC, opened at run time from a table of names, in the build child only.
 * Prototypes are our own: these functions have kept them since version 8 of
 * the library, nvrtcGetCUBIN since 11.1. */

#include "toolchain/nvrtc_priv.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define ROW(name, field)                                                       \
    {                                                                          \
        name, offsetof(whet_nvrtc_api, field)                                  \
    }

static const struct symbol {
    const char *name;
    size_t offset;
} symbols[] = {
    ROW("nvrtcVersion", version),
    ROW("nvrtcGetErrorString", get_error_string),
    ROW("nvrtcCreateProgram", create_program),
    ROW("nvrtcCompileProgram", compile_program),
    ROW("nvrtcGetCUBINSize", get_cubin_size),
    ROW("nvrtcGetCUBIN", get_cubin),
    ROW("nvrtcGetProgramLogSize", get_program_log_size),
    ROW("nvrtcGetProgramLog", get_program_log),
};

static whet_status load(whet_nvrtc_api *api, const char *path, whet_err *err)
{
    void *library = whet_fs_is_loadable(path)
                        ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                        : NULL;
    size_t i;

    memset(api, 0, sizeof *api);
    if (library == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s cannot be opened",
                            path);
    for (i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);

        if (symbol == NULL)
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "%s lacks %s, expected NVRTC 11.1 or later",
                                path, symbols[i].name);
        /* A copy of the bytes: ISO C has no cast from void * to a function. */
        memcpy((char *)api + symbols[i].offset, &symbol, sizeof symbol);
    }
    return WHET_OK;
}

whet_status whet_nvrtc__load(whet_nvrtc_api *api, char *path_out,
                             size_t path_bytes, const char *paths,
                             whet_err *err)
{
    whet_status st =
        whet_err_set(err, WHET_EUNSUPPORTED, "no library was named");

    while (*paths != '\0') {
        size_t bytes = strcspn(paths, ":");

        if (bytes > 0 && bytes < path_bytes) {
            memcpy(path_out, paths, bytes);
            path_out[bytes] = '\0';
            if ((st = load(api, path_out, err)) == WHET_OK)
                return WHET_OK;
        }
        paths += bytes + (paths[bytes] == ':');
    }
    path_out[0] = '\0';
    return st;
}
