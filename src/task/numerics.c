/* Error bounds (docs/judging.md): what an honest kernel of a class may lose,
 * as a multiple of the magnitude that the reference gives for each element.
 *
 * Two parts: operands and results of single operations are rounded to the
 * format of the policy; sums run in f32 (f64 under the f64 policy), with
 * errors modelled as independent. Reduced policies thus allow narrow operands,
 * not narrow accumulators: a bound that grew with sqrt(K) * 2^-8 would let a
 * kernel pass that writes zeros. */

#include "task/task_priv.h"

#include <float.h>
#include <math.h>

/* How much looser than one standard deviation the bound is, and the longest
 * run of terms that an honest kernel adds one after the other. */
static const double lambda = 6.0;
static const double serial_max = 4096.0;

static double policy_unit(whet_policy policy)
{
    switch (policy) {
    case WHET_POLICY_EXACT:
        return 0.0;
    case WHET_POLICY_F64:
        return 0x1p-53;
    case WHET_POLICY_F32:
        return 0x1p-24;
    case WHET_POLICY_TF32:
    case WHET_POLICY_F16:
        return 0x1p-11;
    case WHET_POLICY_BF16:
        return 0x1p-8;
    }
    return 0.0;
}

static double dtype_unit(whet_dtype dtype)
{
    switch (dtype) {
    case WHET_DTYPE_F64:
        return 0x1p-53;
    case WHET_DTYPE_F32:
        return 0x1p-24;
    case WHET_DTYPE_F16:
        return 0x1p-11;
    case WHET_DTYPE_BF16:
        return 0x1p-8;
    case WHET_DTYPE_I32:
    case WHET_DTYPE_COUNT:
        break;
    }
    return 0.0;
}

static double sum_units(double length)
{
    double serial = fmin(length, serial_max);

    return lambda * (sqrt(serial) + log2(fmax(1.0, length / serial_max)));
}

whet_status whet_numerics_factor(double *factor_out, const whet_task *task,
                                 const whet_workload *workload,
                                 whet_dtype out_dtype, whet_err *err)
{
    whet_policy policy = task->numerics.policy;
    bool is_reduced = policy >= WHET_POLICY_TF32;
    double u = policy_unit(policy), out_u = dtype_unit(out_dtype);
    double sum_u = policy == WHET_POLICY_F64 ? 0x1p-53 : 0x1p-24;
    double factor = 0.0;
    int64_t length = 1;

    *factor_out = 0.0;
    if (task->numerics.length != NULL) {
        whet_status st = whet_task__eval(&length, task, workload,
                                         task->numerics.length, err);

        if (st != WHET_OK)
            return whet_err_prefix(err, st, "numerics.length");
        if (length < 1)
            return whet_err_set(err, WHET_EINVAL,
                                "numerics.length is %lld, expected at least 1",
                                (long long)length);
    }
    if (policy == WHET_POLICY_EXACT)
        return WHET_OK;
    switch (task->numerics.op_class) {
    case WHET_CLASS_COPY:
        break;
    case WHET_CLASS_MAP:
        factor = 4.0 * u;
        break;
    case WHET_CLASS_DOT:
        factor = lambda * sqrt((double)length) * sum_u;
        factor += is_reduced ? 3.0 * u : 0.0;
        break;
    case WHET_CLASS_SUM:
        factor = sum_units((double)length) * sum_u;
        factor += is_reduced ? 2.0 * u : 0.0;
        break;
    case WHET_CLASS_NORM:
        factor = 0.5 * sum_units((double)length) * sum_u + 12.0 * u;
        break;
    case WHET_CLASS_EXP:
        factor = sum_units((double)length) * sum_u + 16.0 * u;
        break;
    }
    if (out_u > u)
        factor += out_u;
    *factor_out = factor;
    return WHET_OK;
}

double whet_numerics_floor(const whet_numerics *numerics, whet_dtype dtype)
{
    if (numerics->policy == WHET_POLICY_EXACT ||
        numerics->op_class == WHET_CLASS_COPY)
        return 0.0;
    switch (dtype) {
    case WHET_DTYPE_F64:
        return DBL_MIN;
    case WHET_DTYPE_F32:
    case WHET_DTYPE_BF16: /* same exponents as f32 */
        return (double)FLT_MIN;
    case WHET_DTYPE_F16:
        return 0x1p-14;
    case WHET_DTYPE_I32:
    case WHET_DTYPE_COUNT:
        break;
    }
    return 0.0;
}
