/* Error bounds (docs/judging.md): what an honest kernel of a class may lose,
 * as a multiple of the magnitude that the reference gives for each element.
 *
 * Two parts: operands and results of single operations are rounded to the
 * format of the policy; sums run in f32 (f64 under the f64 policy), with
 * errors modelled as independent. Reduced policies thus allow narrow operands,
 * not narrow accumulators: a bound that grew with sqrt(K) * 2^-8 would let a
 * kernel pass that writes zeros.
 *
 * The scale of a product is sqrt(Q / 2 + S^2 / 3), Q the sum of its squared
 * terms, S their sum. Each addition is off by u times a partial sum at most,
 * independently, so the error has a variance of u^2 times the sum of the
 * squared partial sums. Over all orders of the same K terms a partial sum of m
 * has the mean square S^2 (m / K)^2 + Q (m / K) (1 - m / K) nearly, K times
 * S^2 / 3 + Q / 6 in all: at most K scale^2. */

#include "task/task_priv.h"

#include <float.h>
#include <math.h>

/* How much looser than one standard deviation the bound is, and the longest
 * run of terms that an honest kernel adds one after the other. */
static const double lambda = 6.0;
static const double serial_max = 4096.0;

/* An f32 product on narrow units, operands split into two numbers of 11 bits
 * and the smallest of four products left out, is off by up to three times
 * 2^-22 of each term, 12 u. In long products that is little, in one of a
 * single term lambda u * scale = 5.5 u would not hold it; with 8 more it does.
 */
static const double split_units = 8.0;

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
    case WHET_POLICY_F8:
        return 0x1p-4;
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

/* Is each sum exact in f32 in whatever order, so that one term left out shows?
 * Sums of exact data over no more than a row are. */
static whet_status is_exact_sum(bool *out, const whet_task *task,
                                const whet_workload *workload, int64_t length,
                                whet_err *err)
{
    const whet_tensor *only = NULL;
    unsigned in_count = 0, which = 0;
    whet_extent extent;
    whet_status st;

    *out = false;
    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (task->tensors[i].role == WHET_ROLE_IN) {
            in_count++;
            which = i;
        }
    }
    only = &task->tensors[which];
    if (in_count != 1 || only->dist != WHET_DIST_EXACT)
        return WHET_OK;
    st = whet_task_extent(&extent, task, workload, which, err);
    if (st != WHET_OK)
        return st;
    if ((uint64_t)length > extent.row_elements)
        return whet_err_set(err, WHET_EINVAL,
                            "numerics.length is %lld, expected at most the "
                            "%llu elements of a row of '%s', since its `dist` "
                            "is exact",
                            (long long)length,
                            (unsigned long long)extent.row_elements,
                            only->name);
    *out = true;
    return WHET_OK;
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
    bool is_exact = false;
    int64_t length = 1;
    whet_status st;

    *factor_out = 0.0;
    if (task->numerics.length != NULL) {
        st = whet_task__eval(&length, task, workload, task->numerics.length,
                             err);
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
        factor = (lambda * sqrt((double)length) + split_units) * sum_u;
        factor += is_reduced ? 9.0 * u : 0.0;
        /* The scale may be as small as the result divided by sqrt(3). */
        out_u *= 2.0;
        break;
    case WHET_CLASS_SUM:
        st = is_exact_sum(&is_exact, task, workload, length, err);
        if (st != WHET_OK)
            return st;
        factor = is_exact ? 0.0 : sum_units((double)length) * sum_u;
        factor += is_reduced ? 2.0 * u : 0.0;
        break;
    case WHET_CLASS_NORM:
        factor = 0.5 * sum_units((double)length) * sum_u + 12.0 * u;
        break;
    case WHET_CLASS_EXP:
        factor = sum_units((double)length) * sum_u + 16.0 * u;
        break;
    }
    if (dtype_unit(out_dtype) > u)
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
