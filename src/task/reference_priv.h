#ifndef WHET_TASK_REFERENCE_PRIV_H
#define WHET_TASK_REFERENCE_PRIV_H

/* Between reference.c (open, call) and reference_build.c (generate, compile).
 *
 * An object exports one function per output and a tag that names the task and
 * the calling convention it was made for. */

#include "task/task_priv.h"

#define WHET_REFERENCE_TAG_SYMBOL "whet_reference_tag"

/** Tag of a task's objects: version of the convention, then the task's hash. */
typedef struct whet_reference_tag {
    char text[WHET_HASH_TEXT_BYTES + 8];
} whet_reference_tag;

/** Tag that an object of this task must carry. */
whet_reference_tag whet_task__reference_tag(const whet_task *task);

/** Append the generated whet_task.h: struct whet_args and the prototypes. */
void whet_task__reference_header(whet_buf *out, const whet_task *task);

/** File name of objects that may ship with a task on this machine; NULL if
 *  there is none for its architecture or this CPU is too old for it. */
const char *whet_task__reference_shipped_name(void);

/** Object in the cache folder, compiled if it is not there yet. Caller frees
 *  the path. Statuses of whet_reference_open. */
whet_status whet_task__reference_cached(char **path_out, const whet_task *task,
                                        whet_err *err);

#endif /* WHET_TASK_REFERENCE_PRIV_H */
