#ifndef TASK_KIT_H
#define TASK_KIT_H

/* A small task for tests of the task room: its text, edits of it, and folders
 * that hold it. */

#include "task/task_priv.h"

/** A valid task.yaml: y = a * x + b * w over dims rows and cols. */
extern const char task_kit_yaml[];

/** reference.c of the same task. */
extern const char task_kit_reference[];

/** The text with the first `from` replaced by `to`; fails the test if `from`
 *  does not occur. Caller frees. */
char *task_kit_edit(const char *text, const char *from, const char *to);

/** Fresh folder with task.yaml, reference.c (NULL = none) and no baselines.
 *  Caller removes it with whet_fs_remove_tree and frees the path. */
char *task_kit_folder(const char *yaml, const char *reference);

/** Load a task or fail the test. */
whet_task *task_kit_load(const char *dir);

/** Parse text or fail the test. */
whet_task *task_kit_parse(const char *yaml);

#endif /* TASK_KIT_H */
