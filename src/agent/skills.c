/* A folder of skills, and which of them apply to a task. */

#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20 };

void whet_skills_deinit(whet_skills *skills)
{
    for (unsigned i = 0; i < skills->count; i++)
        whet_skill_deinit(&skills->items[i]);
    free(skills->items);
    *skills = (whet_skills){0};
}

static bool is_skill_name(const char *name)
{
    size_t bytes = strlen(name);

    return name[0] != '.' && bytes > 3 && strcmp(name + bytes - 3, ".md") == 0;
}

/* The file's name is where people look for an id, so they must agree; thereby
 * no two files have one id. */
static whet_status check_id(const whet_skill *skill, const char *path,
                            const char *name, whet_err *err)
{
    size_t stem_bytes = strlen(name) - 3;

    if (strlen(skill->id) == stem_bytes &&
        memcmp(skill->id, name, stem_bytes) == 0)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "%s: id is '%s', expected '%.*s' as the file is named",
                        path, skill->id, (int)stem_bytes, name);
}

static whet_status load_one(whet_skill *out, const char *dir, const char *name,
                            whet_err *err)
{
    char *path = whet_fs_join(dir, name);
    whet_buf text = {0};
    whet_status st;

    *out = (whet_skill){0};
    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
    st = whet_fs_read(&text, path, FILE_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_skill_parse(out, whet_buf_str(&text), text.bytes, path, dir,
                              err);
    if (st == WHET_OK && (st = check_id(out, path, name, err)) != WHET_OK)
        whet_skill_deinit(out);
    whet_buf_deinit(&text);
    free(path);
    return st;
}

static int by_id(const void *a, const void *b)
{
    const whet_skill *left = a, *right = b;

    return strcmp(left->id, right->id);
}

static whet_status load_all(whet_skills *out, const char *dir,
                            char *const *names, whet_err *err)
{
    size_t count = 0, i;
    whet_status st;

    for (i = 0; names[i] != NULL; i++)
        count += is_skill_name(names[i]);
    if (count > WHET_SKILL_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %zu skills, expected at most %d", dir, count,
                            WHET_SKILL_MAX);
    out->items = calloc(count + 1, sizeof *out->items);
    if (out->items == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", dir);
    for (i = 0; names[i] != NULL; i++) {
        if (!is_skill_name(names[i]))
            continue;
        st = load_one(&out->items[out->count], dir, names[i], err);
        if (st != WHET_OK)
            return st;
        out->count++;
    }
    qsort(out->items, out->count, sizeof *out->items, by_id);
    return WHET_OK;
}

whet_status whet_skills_load(whet_skills *out, const char *dir, whet_err *err)
{
    char *shipped = NULL;
    char **names = NULL;
    whet_status st = WHET_OK;

    *out = (whet_skills){0};
    if (dir == NULL) {
        st = whet_fs_data_dir(&shipped, "skills", err);
        dir = shipped;
    }
    if (st == WHET_OK)
        st = whet_fs_list(&names, dir, err);
    if (st == WHET_OK)
        st = load_all(out, dir, names, err);
    if (st != WHET_OK)
        whet_skills_deinit(out);
    whet_fs_list_free(names);
    free(shipped);
    return st;
}

static bool is_listed(const char (*names)[WHET_NAME_BYTES], unsigned count,
                      const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

bool whet_skill_applies(const whet_skill *skill, const whet_task *task)
{
    if (!is_listed(skill->ops, skill->op_count, task->op))
        return false;
    for (unsigned i = 0; i < task->tensor_count; i++)
        if (!is_listed(skill->dtypes, skill->dtype_count,
                       whet_dtype_name(task->tensors[i].dtype)))
            return false;
    return true;
}
