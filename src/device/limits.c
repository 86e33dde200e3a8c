/* Least times: the floor below which no time can be true, and the work that it
 * and the calibrated limit are computed from. */

#include "device/device.h"

#include <string.h>

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
static uint64_t cpu_floor_ns(const whet_device_facts *facts,
                             const whet_work *work)
{
    const uint64_t cycles = 6;
    uint64_t ops_ns, bytes_ns;
    uint64_t cores = facts->limits.cu_count;

    if (cores == 0)
        return 0;
    ops_ns = work->ops / (cores * cycles * 2 * 16 * 2);
    bytes_ns = work->bytes / (cores * cycles * 2 * 64);
    return ops_ns > bytes_ns ? ops_ns : bytes_ns;
}

/* A published peak, or 0: what others report or dispute refuses no time. */
static double peak(const whet_figure *figure)
{
    return whet_figure_is_usable(figure) && figure->trust == WHET_TRUST_VENDOR
               ? figure->value
               : 0;
}

/* Parts into which the policy's numbers must be split for a unit, as products
 * of parts that it computes; 1 = it serves as it is, 0 = it does not serve. An
 * honest f32 product may run on narrow matrix units: operands split in two,
 * the three larger of the four products kept (M. Fasi et al., "Matrix
 * multiplication in multiword arithmetic", 2023). */
static unsigned parts(whet_policy policy, const char *unit)
{
    static const char *const narrow[] = {"tf32.matrix", "bf16.matrix",
                                         "f16.matrix"};
    size_t i;

    if (whet_calibration_allows(policy, unit))
        return 1;
    for (i = 0; policy == WHET_POLICY_F32 && i < 3; i++)
        if (strcmp(unit, narrow[i]) == 0)
            return 3;
    return 0;
}

/* Rate of the fastest unit that the policy allows; 0 if the peak of one of
 * them is not known, since that one could be the fastest. */
static double fastest(const whet_arch *arch, whet_policy policy)
{
    double best = 0;
    uint32_t i;

    for (i = 0; i < arch->unit_count; i++) {
        double ops_per_s = peak(&arch->units[i].peak_ops_per_s);
        unsigned split = parts(policy, arch->units[i].name);

        if (split == 0)
            continue;
        if (!(ops_per_s > 0))
            return 0;
        best = ops_per_s / split > best ? ops_per_s / split : best;
    }
    return best;
}

/* Bytes that must have crossed the memory's wires when a call ends: what is
 * written may still lie in the last cache. 256 MiB where its size is unknown,
 * which is more than any has. */
static uint64_t moved_bytes(const whet_device_facts *facts,
                            const whet_work *work)
{
    uint64_t kept =
        facts->llc_bytes > 0 ? facts->llc_bytes : UINT64_C(256) << 20;

    return work->bytes > kept ? work->bytes - kept : 0;
}

static uint64_t least_ns(uint64_t amount, double per_s)
{
    double ns = per_s > 0 ? (double)amount / (per_s * 1.05) * 1e9 : 0;

    return ns < 0x1p63 ? (uint64_t)ns : UINT64_C(1) << 63;
}

static uint64_t gpu_floor_ns(const whet_device_facts *facts,
                             const whet_work *work)
{
    whet_arch arch;
    uint64_t ops_ns, bytes_ns;

    /* Without a record nothing is known, which is no error here. */
    if (facts->arch[0] == '\0' ||
        whet_arch_load(&arch, facts->arch, NULL) != WHET_OK)
        return 0;
    ops_ns = least_ns(work->ops, fastest(&arch, work->policy));
    bytes_ns = least_ns(moved_bytes(facts, work), peak(&arch.peak_bytes_per_s));
    return ops_ns > bytes_ns ? ops_ns : bytes_ns;
}

uint64_t whet_device_floor_ns(const whet_device_facts *facts,
                              const whet_work *work)
{
    return facts->is_cpu ? cpu_floor_ns(facts, work)
                         : gpu_floor_ns(facts, work);
}
