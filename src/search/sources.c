/* Where kernels come from: a baseline file, or a source kept in a ledger. */

#include "search/search.h"

/* The task's first baseline in a language that the device takes; a replay
 * device takes whatever the task has. */
static const whet_baseline *own_baseline(const whet_task *task,
                                         const whet_device_handle *device)
{
    unsigned i;

    for (i = 0; i < task->baseline_count; i++)
        if (device->ops->toolchains == NULL ||
            whet_device_accepts(device->ops, task->baselines[i].language))
            return &task->baselines[i];
    return NULL;
}

whet_status whet_search_baseline(whet_candidate **out, const whet_task *task,
                                 const whet_device_handle *device,
                                 const char *path, whet_err *err)
{
    const whet_baseline *own = own_baseline(task, device);

    *out = NULL;
    if (path == NULL && own == NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "task %s has no baseline for %s: give one with "
                            "--baseline",
                            task->name, device->ops->name);
    return whet_candidate_load(out, path ? path : own->path, task, err);
}

whet_status whet_search_source(whet_candidate **out, whet_ledger *ledger,
                               const whet_task *task, const json_t *entry,
                               whet_err *err)
{
    const char *language, *hash;
    whet_buf text = {0};
    whet_status st;

    *out = NULL;
    if ((st = whet_json_get_str(&language, entry, "language", err)) ==
            WHET_OK &&
        (st = whet_json_get_str(&hash, entry, "source", err)) == WHET_OK &&
        (st = whet_ledger_get_blob(&text, ledger, hash, err)) == WHET_OK)
        st = whet_candidate_parse(out, whet_buf_str(&text), text.bytes, hash,
                                  language, task, err);
    whet_buf_deinit(&text);
    return st;
}
