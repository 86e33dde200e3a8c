#ifndef WHET_TASK_PRIV_H
#define WHET_TASK_PRIV_H

/* Shared inside the task room: parsing of task.yaml text without touching
 * files, validation of workloads, and the narrow float formats. */

#include "task/task.h"

enum {
    WHET_TASK_YAML_BYTES_MAX = 1 << 20,
    WHET_TASK_REFERENCE_BYTES_MAX = 1 << 20
};

/** Tensors of one workload may take this much together: far beyond any device,
 *  small enough that sums of sizes cannot overflow. */
#define WHET_TASK_WORKLOAD_BYTES_MAX (UINT64_C(64) << 30)

/**
 * Parse and validate the text of a task.yaml. Opens no file: baseline paths
 * stay as written, `dir` and `hash` stay empty.
 *
 * @return WHET_EINVAL as "WHERE:LINE:COLUMN: ..."
 */
whet_status whet_task__parse(whet_task **out, const char *text, size_t bytes,
                             const char *where, whet_err *err);

/** Evaluate an expression of the task (shape, cost, length) for a workload. */
whet_status whet_task__eval(int64_t *out, const whet_task *task,
                            const whet_workload *workload,
                            const whet_expr *expr, whet_err *err);

/** Are all sizes within range: dims, shapes, costs, total bytes? WHET_EINVAL
 *  otherwise. */
whet_status whet_task__workload_check(const whet_task *task,
                                      const whet_workload *workload,
                                      whet_err *err);

/** Index of a dim, -1 if there is none. */
int whet_task__dim_index(const whet_task *task, const char *name);

/** Text fit for a name that ends up in file names: [A-Za-z0-9_.-], not
 *  starting with '.' or '-', at most WHET_NAME_BYTES - 1 bytes. */
bool whet_task__is_word(const char *text);

/** Round to the nearest f16, ties to even, beyond the largest finite number
 *  to that number: an input must never be infinite. */
uint16_t whet_task__f16_from_f32(float value);

/** As whet_task__f16_from_f32, for bf16. */
uint16_t whet_task__bf16_from_f32(float value);

/** Exact. */
float whet_task__f16_to_f32(uint16_t bits);

/** Exact. */
float whet_task__bf16_to_f32(uint16_t bits);

#endif /* WHET_TASK_PRIV_H */
