#ifndef WHET_TASK_SCHEMA_PRIV_H
#define WHET_TASK_SCHEMA_PRIV_H

/* Between the two halves of the reader of task.yaml: `dest` of every field
 * reader is the whet_task. */

#include "task/task_priv.h"

#define WHET_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/** Read an expression over the task's dims. */
whet_status whet_task__read_expr(whet_expr **out, const whet_task *task,
                                 const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err);

/** Field `edges`: {min, max} for every dim. */
whet_status whet_task__read_edges(void *dest, const whet_yaml *doc,
                                  const whet_yaml_node *node, whet_err *err);

/** Field `edge_where`. */
whet_status whet_task__read_edge_where(void *dest, const whet_yaml *doc,
                                       const whet_yaml_node *node,
                                       whet_err *err);

/** Field `workloads`: a mapping by name, or a list. */
whet_status whet_task__read_workloads(void *dest, const whet_yaml *doc,
                                      const whet_yaml_node *node,
                                      whet_err *err);

#endif /* WHET_TASK_SCHEMA_PRIV_H */
