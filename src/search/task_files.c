/* A task folder rebuilt from a ledger: what resume and re-judging stand on. */

#include "search/run_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only plain names, one folder deep: the ledger is a file from outside. */
bool whet_search__is_plain_name(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *c;

    for (c = name; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    if (name[0] == '\0' || name[0] == '.' || name[0] == '/' ||
        strlen(name) > 200 || (slash != NULL && strchr(slash + 1, '/')))
        return false;
    return slash == NULL || (slash[1] != '.' && slash[1] != '\0');
}

static whet_status write_file(const char *dir, const char *name,
                              whet_ledger *ledger, const char *hash,
                              whet_err *err)
{
    const char *slash = strchr(name, '/');
    char *path = whet_fs_join(dir, name);
    whet_buf text = {0};
    whet_status st;

    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    st = whet_ledger_get_blob(&text, ledger, hash, err);
    if (st == WHET_OK && slash != NULL) {
        char *below = whet_asprintf("%s/%.*s", dir, (int)(slash - name), name);

        st = below ? whet_fs_mkdirs(below, err)
                   : whet_err_set(err, WHET_ENOMEM, "out of memory");
        free(below);
    }
    if (st == WHET_OK)
        st = whet_fs_write(path, whet_buf_str(&text), text.bytes, err);
    whet_buf_deinit(&text);
    free(path);
    return st;
}

/* The folder is named by the content of all its files. */
static char *folder_name(const char *cache, const json_t *files)
{
    char *text = whet_json_canonical(files);
    char *dir = NULL;

    if (text != NULL)
        dir = whet_asprintf("%s/tasks/%.16s", cache,
                            whet_hash_bytes(text, strlen(text)).text);
    free(text);
    return dir;
}

whet_status whet_search_task_dir(char **dir_out, whet_ledger *ledger,
                                 const json_t *started, whet_err *err)
{
    json_t *files = NULL, *value;
    char *cache = NULL, *dir = NULL;
    const char *name;
    whet_status st = whet_json_get_object(&files, started, "task_files", err);

    *dir_out = NULL;
    if (st == WHET_OK)
        st = whet_fs_cache_dir(&cache, err);
    if (st != WHET_OK)
        goto out;
    dir = folder_name(cache, files);
    st = dir ? whet_fs_mkdirs(dir, err)
             : whet_err_set(err, WHET_ENOMEM, "out of memory");
    json_object_foreach(files, name, value)
    {
        if (st != WHET_OK)
            break;
        if (!whet_search__is_plain_name(name) || !json_is_string(value))
            st = whet_err_set(err, WHET_EINVAL,
                              "ledger: a task file has an unusable name");
        else
            st = write_file(dir, name, ledger, json_string_value(value), err);
    }
    if (st == WHET_OK) {
        *dir_out = dir;
        dir = NULL;
    }
out:
    free(dir);
    free(cache);
    return st;
}
