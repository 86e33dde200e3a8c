/* Loading of tasks: finds the folder, reads task.yaml through schema.c, checks
 * that the files it names are there, and hashes what decides the result. */

#include "task/task_priv.h"

#include <stdlib.h>
#include <string.h>

void whet_task_free(whet_task *task)
{
    if (task == NULL)
        return;
    for (unsigned i = 0; i < task->tensor_count; i++) {
        for (unsigned j = 0; j < WHET_RANK_MAX; j++)
            whet_expr_free(task->tensors[i].shape[j]);
    }
    for (unsigned i = 0; i < task->baseline_count; i++)
        free(task->baselines[i].path);
    whet_expr_free(task->edge_where);
    whet_expr_free(task->ops);
    whet_expr_free(task->bytes);
    whet_expr_free(task->numerics.length);
    free(task->dir);
    free(task->summary);
    free(task);
}

static whet_status not_found(const char *name, const char *shipped_dir,
                             whet_err *err)
{
    const char *close = NULL;
    char **names = NULL;
    whet_buf list = {0};
    size_t count = 0;
    whet_status st;

    if (shipped_dir != NULL && whet_fs_list(&names, shipped_dir, NULL) == 0) {
        for (; names[count] != NULL; count++)
            whet_buf_printf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
        close = whet_closest_name(name, (const char *const *)names, count);
    }
    if (close != NULL)
        st = whet_err_set(err, WHET_ENOTFOUND,
                          "no task '%.128s', did you mean '%s'?", name, close);
    else
        st = whet_err_set(err, WHET_ENOTFOUND,
                          "no task '%.128s', expected a folder with task.yaml "
                          "or a shipped task%s%s",
                          name, count > 0 ? ": " : "", whet_buf_str(&list));
    whet_buf_deinit(&list);
    whet_fs_list_free(names);
    return st;
}

/* Does `dir` hold a task.yaml? Takes over `dir` and gives it back in *out, or
 * frees it. */
static bool take_if_task(char **out, char *dir)
{
    char *file = dir != NULL ? whet_fs_join(dir, "task.yaml") : NULL;
    bool is_task = file != NULL && whet_fs_exists(file);

    free(file);
    *out = is_task ? dir : NULL;
    if (!is_task)
        free(dir);
    return is_task;
}

static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return whet_strdup(".");
    if (slash == path)
        return whet_strdup("/");
    return whet_asprintf("%.*s", (int)(slash - path), path);
}

/* Folder of a task from what a person may write for it. */
static whet_status find_dir(char **out, const char *text, whet_err *err)
{
    size_t bytes = strlen(text);
    char *shipped = NULL;
    whet_status st;

    *out = NULL;
    if (bytes == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "task name is empty, expected a folder or a "
                            "shipped task");
    if (take_if_task(out, whet_strdup(text)))
        return WHET_OK;
    if (bytes > 5 && strcmp(text + bytes - 5, ".yaml") == 0 &&
        whet_fs_exists(text)) {
        if (take_if_task(out, parent_of(text)))
            return WHET_OK;
        return whet_err_set(err, WHET_ENOTFOUND,
                            "%.256s: no task, expected its file to be named "
                            "task.yaml",
                            text);
    }
    if (whet_fs_is_dir(text) && strchr(text, '/') != NULL)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "%.256s: no task.yaml in this folder", text);
    if (!whet_task__is_word(text))
        return not_found(text, NULL, err);
    st = whet_fs_data_dir(&shipped, "tasks", err);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "no task '%.64s'", text);
    st = take_if_task(out, whet_fs_join(shipped, text))
             ? WHET_OK
             : not_found(text, shipped, err);
    free(shipped);
    return st;
}

static whet_status resolve_baselines(whet_task *task, const char *where,
                                     whet_err *err)
{
    for (unsigned i = 0; i < task->baseline_count; i++) {
        whet_baseline *baseline = &task->baselines[i];
        char *path = whet_fs_join(task->dir, baseline->path);

        if (path == NULL)
            return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
        if (!whet_fs_exists(path) || whet_fs_is_dir(path)) {
            free(path);
            return whet_err_set(err, WHET_EINVAL,
                                "%s: baseline for %s: no file '%.128s'", where,
                                baseline->language, baseline->path);
        }
        free(baseline->path);
        baseline->path = path;
    }
    return WHET_OK;
}

whet_status whet_task_load(whet_task **out, const char *dir, whet_err *err)
{
    char *found = NULL, *yaml_path = NULL, *reference_path = NULL;
    whet_buf yaml = {0}, reference = {0};
    whet_task *task = NULL;
    whet_hasher hasher;
    whet_status st;

    *out = NULL;
    st = find_dir(&found, dir, err);
    if (st != WHET_OK)
        return st;
    yaml_path = whet_fs_join(found, "task.yaml");
    reference_path = whet_fs_join(found, "reference.c");
    if (yaml_path == NULL || reference_path == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", dir);
        goto out;
    }
    st = whet_fs_read(&yaml, yaml_path, WHET_TASK_YAML_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_task__parse(&task, whet_buf_str(&yaml), yaml.bytes, yaml_path,
                              err);
    if (st != WHET_OK)
        goto out;
    task->dir = found;
    found = NULL;
    st = resolve_baselines(task, yaml_path, err);
    if (st == WHET_OK)
        st = whet_fs_read(&reference, reference_path,
                          WHET_TASK_REFERENCE_BYTES_MAX, err);
    if (st != WHET_OK)
        goto out;
    whet_hasher_init(&hasher);
    whet_hasher_add(&hasher, "task.yaml", yaml.data, yaml.bytes);
    whet_hasher_add(&hasher, "reference.c", reference.data, reference.bytes);
    task->hash = whet_hasher_finish(&hasher);

    *out = task;
    task = NULL;
out:
    whet_task_free(task);
    whet_buf_deinit(&yaml);
    whet_buf_deinit(&reference);
    free(found);
    free(yaml_path);
    free(reference_path);
    return st;
}
