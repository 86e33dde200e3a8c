/* task.yaml: any bytes are either refused with one line, or a task whose
 * workloads, costs and edge shapes can all be evaluated. */

#include "task/task_priv.h"

#include <assert.h>
#include <string.h>

static void use(const whet_task *task)
{
    whet_key key = {{1, 2, 3, 4}};
    whet_workload workload;
    char text[64];

    for (unsigned i = 0; i < task->workload_count; i++) {
        uint64_t ops, bytes;
        double factor;

        assert(whet_task_cost(&ops, &bytes, task, &task->workloads[i], NULL) ==
               WHET_OK);
        assert(whet_numerics_factor(&factor, task, &task->workloads[i],
                                    WHET_DTYPE_F32, NULL) == WHET_OK);
        assert(factor >= 0.0);
        whet_workload_format(text, sizeof text, task, &task->workloads[i]);
    }
    if (whet_task_edge_workload(&workload, task, &key, 1, NULL) == WHET_OK) {
        for (unsigned i = 0; i < task->dim_count; i++)
            assert(workload.dim[i] >= task->edges[i].min &&
                   workload.dim[i] <= task->edges[i].max);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_task *task = NULL;
    whet_err err = {0};

    if (whet_task__parse(&task, (const char *)data, size, "fuzz", &err) ==
        WHET_OK) {
        use(task);
    } else {
        assert(task == NULL && err.msg[0] != '\0');
        assert(strchr(err.msg, '\n') == NULL);
    }
    whet_task_free(task);
    return 0;
}
