/* Least times: the floor below which no time can be true, and the work that it
 * and the calibrated limit are computed from. */

#include "device/device.h"

whet_status whet_device_work(whet_work *out, const whet_task *task,
                             const whet_workload *workload, whet_err *err)
{
    whet_extent extent;
    whet_status st =
        whet_task_cost(&out->ops, &out->bytes, task, workload, err);
    unsigned t;

    out->bytes_out = 0;
    out->policy = task->numerics.policy;
    for (t = 0; st == WHET_OK && t < task->tensor_count; t++) {
        if (task->tensors[t].role != WHET_ROLE_OUT)
            continue;
        st = whet_task_extent(&extent, task, workload, t, err);
        out->bytes_out += st == WHET_OK ? extent.bytes : 0;
    }
    return st;
}

/* Per nanosecond and core: 6 cycles; 2 fused multiply-adds of 16 lanes, which
 * count 2 each; 2 transfers of 64 bytes. */
uint64_t whet_device_floor_ns(const whet_device_facts *facts,
                              const whet_work *work)
{
    const uint64_t cycles = 6;
    uint64_t ops_ns, bytes_ns;
    uint64_t cores = facts->limits.cu_count;

    if (!facts->is_cpu || cores == 0)
        return 0;
    ops_ns = work->ops / (cores * cycles * 2 * 16 * 2);
    bytes_ns = work->bytes / (cores * cycles * 2 * 64);
    return ops_ns > bytes_ns ? ops_ns : bytes_ns;
}
