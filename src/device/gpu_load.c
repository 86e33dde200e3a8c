/* Opening a vendor's library by a table of names, where such libraries may
 * lie, and the words for its errors. Nothing is closed again: exit handlers of
 * some drivers crash afterwards. */

#include "device/gpu_priv.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* The first of the row's names that is there. */
static void *find_symbol(void *handle, const whet_gpu_symbol *row)
{
    const size_t name_count = sizeof row->names / sizeof row->names[0];
    size_t i;

    for (i = 0; i < name_count && row->names[i] != NULL; i++) {
        void *symbol = dlsym(handle, row->names[i]);

        if (symbol != NULL)
            return symbol;
    }
    return NULL;
}

whet_status whet_gpu__load(void *destination, void **handle_out,
                           const char *path, const whet_gpu_symbol *symbols,
                           size_t symbol_count, whet_err *err)
{
    void *handle;
    const char *why;
    size_t i;

    *handle_out = NULL;
    if (!whet_fs_is_loadable(path))
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s: not a file, expected a library", path);
    *handle_out = handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        why = dlerror();
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s",
                            why != NULL ? why : path);
    }
    for (i = 0; i < symbol_count; i++) {
        void *symbol = find_symbol(handle, &symbols[i]);

        if (symbol == NULL && symbols[i].is_required)
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "%s: no function %s, expected a newer driver",
                                path, symbols[i].names[0]);
        memcpy((char *)destination + symbols[i].offset, &symbol, sizeof symbol);
    }
    return WHET_OK;
}

void whet_gpu__library_file(char *text, size_t text_bytes, void *handle)
{
    struct link_map *map = NULL;

    text[0] = '\0';
    if (handle != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
        map != NULL && map->l_name != NULL)
        (void)whet_strcopy(text, text_bytes, map->l_name);
}

static void add_path(whet_gpu_paths *paths, const char *path)
{
    uint32_t i;

    if (paths->count == WHET_GPU__PATH_MAX ||
        strlen(path) >= sizeof paths->path[0])
        return;
    for (i = 0; i < paths->count; i++)
        if (strcmp(paths->path[i], path) == 0)
            return;
    (void)whet_strcopy(paths->path[paths->count++], sizeof paths->path[0],
                       path);
}

void whet_gpu__paths_add(whet_gpu_paths *paths, const char *pattern)
{
    glob_t found = {0};
    size_t i;

    if (strpbrk(pattern, "*?[") == NULL) {
        add_path(paths, pattern);
        return;
    }
    /* Matches come in the order of the alphabet; newer ones tend to be last. */
    if (glob(pattern, 0, NULL, &found) == 0)
        for (i = found.gl_pathc; i > 0; i--)
            add_path(paths, found.gl_pathv[i - 1]);
    globfree(&found);
}

whet_status whet_gpu__fail(whet_err *err, const whet_gpu_api *api, int code,
                           const char *what)
{
    const whet_gpu_error *row =
        api->explain != NULL ? api->explain(code) : NULL;

    if (row == NULL)
        return whet_err_set(err, WHET_EFAIL, "%s: %s: error %d of the driver",
                            api->name, what, code);
    return whet_err_set(err, WHET_EFAIL, "%s: %s: %s (%d): %s; %s", api->name,
                        what, row->name, code, row->cause, row->remedy);
}
