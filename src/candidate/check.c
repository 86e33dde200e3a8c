/* Check of a bound plan that came over a wire: after it, every count, index
 * and size in the record can be used as it is. */

#include "candidate/candidate_priv.h"

#include <math.h>
#include <string.h>

bool whet_candidate__is_countable(const whet_bound_launch *launch)
{
    uint64_t items = 1;

    for (unsigned d = 0; d < 3; d++) {
        if (__builtin_mul_overflow(items, launch->grid[d], &items) ||
            __builtin_mul_overflow(items, launch->block[d], &items) ||
            items > WHET_BUFFER_BYTES_MAX)
            return false;
    }
    return true;
}

static whet_status check_buffer(const whet_bound_plan *plan, uint32_t index,
                                whet_err *err)
{
    const whet_bound_buffer *buffer = &plan->buffers[index];
    const bool is_tensor = index < plan->tensor_count;

    if (buffer->dtype >= WHET_DTYPE_COUNT)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: buffer %u has dtype %u, expected "
                            "below %u",
                            index, buffer->dtype, (unsigned)WHET_DTYPE_COUNT);
    if (is_tensor
            ? buffer->kind != WHET_BUFFER_IN && buffer->kind != WHET_BUFFER_OUT
            : buffer->kind != WHET_BUFFER_WORKSPACE)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: buffer %u has kind %u, expected %s",
                            index, buffer->kind,
                            is_tensor ? "an input or output" : "a workspace");
    if (buffer->bytes == 0 || buffer->bytes > WHET_BUFFER_BYTES_MAX ||
        buffer->bytes % whet_dtype_bytes((whet_dtype)buffer->dtype) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: buffer %u has %llu bytes, expected "
                            "whole elements, at least one and at most 2^62",
                            index, (unsigned long long)buffer->bytes);
    return WHET_OK;
}

/* Why an argument is wrong, or NULL. */
static const char *arg_fault(const whet_bound_plan *plan,
                             const whet_bound_launch *launch,
                             const whet_bound_arg *arg)
{
    switch (arg->kind) {
    case WHET_ARG_BUFFER:
        return arg->buffer < plan->buffer_count ? NULL
                                                : "a buffer that is not there";
    case WHET_ARG_I32:
        return arg->value >= INT32_MIN && arg->value <= INT32_MAX
                   ? NULL
                   : "an i32 beyond 32 bits";
    case WHET_ARG_I64:
        return NULL;
    case WHET_ARG_F32:
        /* The order matters: converting a double beyond float is undefined. */
        return isfinite(arg->real) && fabs(arg->real) <= 0x1.fffffep127 &&
                       (double)(float)arg->real == arg->real
                   ? NULL
                   : "an f32 that is no finite float";
    case WHET_ARG_F64:
        return isfinite(arg->real) ? NULL : "an f64 that is not finite";
    case WHET_ARG_SHARED:
        return arg->value >= 1 && (uint64_t)arg->value == launch->shared_bytes
                   ? NULL
                   : "local memory of another size than the launch's";
    default:
        return "an unknown kind";
    }
}

static whet_status check_launch(const whet_bound_plan *plan, uint32_t index,
                                whet_err *err)
{
    const whet_bound_launch *launch = &plan->launches[index];
    const size_t name_bytes = strnlen(launch->kernel, sizeof launch->kernel);

    if (name_bytes == sizeof launch->kernel ||
        !whet_is_identifier(launch->kernel, name_bytes))
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: launch %u has no kernel name, "
                            "expected an identifier",
                            index);
    for (unsigned d = 0; d < 3; d++) {
        if (launch->grid[d] == 0 || launch->block[d] == 0)
            return whet_err_set(err, WHET_EINVAL,
                                "bound plan: launch %u has a grid or block of "
                                "0, expected at least 1",
                                index);
    }
    if (!whet_candidate__is_countable(launch) ||
        launch->shared_bytes > INT64_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: launch %u is too large, expected at "
                            "most 2^62 work-items",
                            index);
    if (launch->arg_count > WHET_ARG_MAX || launch->pad != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: launch %u has %u arguments, expected "
                            "at most %d",
                            index, launch->arg_count, WHET_ARG_MAX);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const char *fault = arg_fault(plan, launch, &launch->args[i]);

        if (fault != NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "bound plan: launch %u, argument %u is %s",
                                index, i, fault);
    }
    return WHET_OK;
}

whet_status whet_bound_plan_check(const whet_bound_plan *plan, whet_err *err)
{
    whet_status st = WHET_OK;

    if (plan->launch_count == 0 || plan->launch_count > WHET_LAUNCH_MAX ||
        plan->tensor_count == 0 || plan->tensor_count > WHET_TENSOR_MAX ||
        plan->buffer_count < plan->tensor_count ||
        plan->buffer_count - plan->tensor_count > WHET_WORKSPACE_MAX ||
        plan->pad != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "bound plan: %u launches, %u buffers, %u tensors, "
                            "expected 1 to %d launches, 1 to %d tensors and "
                            "at most %d workspaces",
                            plan->launch_count, plan->buffer_count,
                            plan->tensor_count, WHET_LAUNCH_MAX,
                            WHET_TENSOR_MAX, WHET_WORKSPACE_MAX);
    for (uint32_t i = 0; st == WHET_OK && i < plan->buffer_count; i++)
        st = check_buffer(plan, i, err);
    for (uint32_t i = 0; st == WHET_OK && i < plan->launch_count; i++)
        st = check_launch(plan, i, err);
    return st;
}
