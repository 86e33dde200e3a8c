/* Binding: every expression of a plan becomes a number, and every number is
 * held against what the device has, so that nothing impossible is launched. */

#include "candidate/candidate_priv.h"

#include <stdio.h>
#include <string.h>

enum {
    VALUE_MAX = WHET_DIM_MAX + WHET_SCALAR_MAX + WHET_TUNABLE_MAX +
                WHET_LET_MAX + WHET_FACT_COUNT,
    PLACE_BYTES = 128
};

/* Values of all names that may occur in an expression. */
typedef struct bind_env {
    const whet_candidate *candidate;
    const whet_task *task;
    const whet_limits *limits;
    const char *names[VALUE_MAX];
    int64_t values[VALUE_MAX];
    size_t count;
} bind_env;

static void add_value(bind_env *env, const char *name, int64_t value)
{
    env->names[env->count] = name;
    env->values[env->count++] = value;
}

/* A fact that the device does not tell is no 0: reading it fails. */
static whet_status lookup(int64_t *out, const char *name, void *payload,
                          whet_err *err)
{
    bind_env *env = payload;
    whet_binding binding = {env->names, env->values, env->count};

    for (unsigned i = 0; i < WHET_FACT_COUNT; i++) {
        if (strcmp(name, whet_candidate__fact_name(i)) == 0 &&
            whet_candidate__fact(env->limits, i) == 0)
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "the plan reads '%s', which this device does "
                                "not tell",
                                name);
    }
    return whet_binding_lookup(out, name, &binding, err);
}

static whet_status eval(int64_t *out, bind_env *env, const whet_expr *expr,
                        const char *place, whet_err *err)
{
    whet_status st = whet_expr_eval(out, expr, lookup, env, err);

    return st == WHET_OK ? st : whet_err_prefix(err, st, "%s", place);
}

/* A size of at least `min`. NULL gives `min`. */
static whet_status eval_size(uint64_t *out, bind_env *env,
                             const whet_expr *expr, int64_t min,
                             const char *place, whet_err *err)
{
    int64_t value = min;
    whet_status st = WHET_OK;

    if (expr != NULL)
        st = eval(&value, env, expr, place, err);
    if (st == WHET_OK && value < min)
        st = whet_err_set(
            err, WHET_EINVAL, "%s: '%.120s' is %lld, expected at least %lld",
            place, whet_expr_text(expr), (long long)value, (long long)min);
    *out = st == WHET_OK ? (uint64_t)value : 0;
    return st;
}

/* --- values --------------------------------------------------------------- */

static whet_status check_point(const whet_candidate *candidate,
                               const whet_point *point, whet_err *err)
{
    for (unsigned i = 0; i < candidate->tunable_count; i++) {
        whet_status st = whet_candidate__check_value(&candidate->tunables[i],
                                                     point->value[i], err);

        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

static whet_status fill_env(bind_env *env, const whet_point *point,
                            const whet_workload *workload, whet_err *err)
{
    const whet_candidate *candidate = env->candidate;
    const whet_plan *plan = candidate->plan;

    for (unsigned i = 0; i < env->task->dim_count; i++)
        add_value(env, env->task->dims[i].name, workload->dim[i]);
    for (unsigned i = 0; i < env->task->scalar_count; i++) {
        if (env->task->scalars[i].dtype == WHET_DTYPE_I32)
            add_value(env, env->task->scalars[i].name,
                      (int64_t)env->task->scalars[i].value);
    }
    for (unsigned i = 0; i < candidate->tunable_count; i++)
        add_value(env, candidate->tunables[i].name, point->value[i]);
    for (unsigned i = 0; i < WHET_FACT_COUNT; i++) {
        uint64_t fact = whet_candidate__fact(env->limits, i);

        add_value(env, whet_candidate__fact_name(i),
                  fact > INT64_MAX ? INT64_MAX : (int64_t)fact);
    }
    for (unsigned i = 0; i < plan->let_count; i++) {
        const plan_let *let = &plan->lets[plan->let_order[i]];
        char place[PLACE_BYTES];
        int64_t value;
        whet_status st;

        snprintf(place, sizeof place, "let %s", let->name);
        if ((st = eval(&value, env, let->expr, place, err)) != WHET_OK)
            return st;
        add_value(env, let->name, value);
    }
    return WHET_OK;
}

/* @param excluded_out  set if a constraint was computed and is false */
static whet_status check_constraints(bool *excluded_out, bind_env *env,
                                     whet_err *err)
{
    const whet_plan *plan = env->candidate->plan;

    *excluded_out = false;
    for (unsigned i = 0; i < plan->constraint_count; i++) {
        char place[PLACE_BYTES];
        int64_t value;
        whet_status st;

        snprintf(place, sizeof place, "constraint %u", i + 1);
        st = eval(&value, env, plan->constraints[i], place, err);
        if (st != WHET_OK)
            return st;
        if (value == 0) {
            *excluded_out = true;
            return whet_err_set(err, WHET_EINVAL,
                                "constraint '%.200s' is false",
                                whet_expr_text(plan->constraints[i]));
        }
    }
    return WHET_OK;
}

bool whet_candidate_excludes(const whet_candidate *candidate,
                             const whet_point *point, const whet_task *task,
                             const whet_workload *workload,
                             const whet_limits *limits)
{
    bind_env env = {.candidate = candidate, .task = task, .limits = limits};
    bool excluded = false;

    if (check_point(candidate, point, NULL) == WHET_OK &&
        fill_env(&env, point, workload, NULL) == WHET_OK)
        (void)check_constraints(&excluded, &env, NULL);
    return excluded;
}

/* --- buffers -------------------------------------------------------------- */

static whet_status bind_workspace(whet_bound_buffer *out, bind_env *env,
                                  const plan_workspace *workspace,
                                  whet_err *err)
{
    uint64_t bytes = whet_dtype_bytes(workspace->dtype);

    for (unsigned i = 0; i < workspace->rank; i++) {
        char place[PLACE_BYTES];
        uint64_t size;
        whet_status st;

        snprintf(place, sizeof place, "workspace %s, shape[%u]",
                 workspace->name, i);
        st = eval_size(&size, env, workspace->shape[i], 1, place, err);
        if (st != WHET_OK)
            return st;
        if (__builtin_mul_overflow(bytes, size, &bytes) ||
            bytes > WHET_BUFFER_BYTES_MAX)
            return whet_err_set(err, WHET_EINVAL,
                                "workspace %s has more than 2^62 bytes, "
                                "expected a smaller shape",
                                workspace->name);
    }
    *out = (whet_bound_buffer){bytes, WHET_BUFFER_WORKSPACE,
                               (uint32_t)workspace->dtype};
    return WHET_OK;
}

static whet_status bind_tensor(whet_bound_buffer *out, const bind_env *env,
                               const whet_workload *workload, unsigned index,
                               whet_err *err)
{
    const whet_tensor *tensor = &env->task->tensors[index];
    whet_extent extent;
    whet_status st = whet_task_extent(&extent, env->task, workload, index, err);

    if (st != WHET_OK)
        return st;
    *out = (whet_bound_buffer){extent.bytes,
                               tensor->role == WHET_ROLE_OUT ? WHET_BUFFER_OUT
                                                             : WHET_BUFFER_IN,
                               (uint32_t)tensor->dtype};
    return WHET_OK;
}

static whet_status check_memory(const whet_bound_plan *bound,
                                const bind_env *env, whet_err *err)
{
    const uint64_t available = env->limits->memory_bytes;
    uint64_t asked = 0;

    for (uint32_t i = 0; i < bound->buffer_count; i++) {
        /* At most 18 buffers of 2^62 bytes: saturates instead of wrapping. */
        if (__builtin_add_overflow(asked, bound->buffers[i].bytes, &asked))
            asked = UINT64_MAX;
    }
    if (available != 0 && asked > available)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "tensors and workspaces need %llu bytes, the "
                            "device has %llu (memory_bytes)",
                            (unsigned long long)asked,
                            (unsigned long long)available);
    return WHET_OK;
}

static whet_status bind_buffers(whet_bound_plan *out, bind_env *env,
                                const whet_workload *workload, whet_err *err)
{
    const whet_plan *plan = env->candidate->plan;
    whet_status st = WHET_OK;

    out->tensor_count = env->task->tensor_count;
    out->buffer_count = out->tensor_count + plan->workspace_count;
    for (unsigned i = 0; st == WHET_OK && i < out->tensor_count; i++)
        st = bind_tensor(&out->buffers[i], env, workload, i, err);
    for (unsigned i = 0; st == WHET_OK && i < plan->workspace_count; i++)
        st = bind_workspace(&out->buffers[out->tensor_count + i], env,
                            &plan->workspaces[i], err);
    return st == WHET_OK ? check_memory(out, env, err) : st;
}

/* --- launches ------------------------------------------------------------- */

static whet_status over_limit(const char *place, const char *what,
                              uint64_t asked, uint64_t available,
                              const char *limit, whet_err *err)
{
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: %s is %llu, the device has at most %llu (%s)",
                        place, what, (unsigned long long)asked,
                        (unsigned long long)available, limit);
}

static whet_status check_limits(const whet_bound_launch *launch,
                                const whet_limits *limits, const char *place,
                                whet_err *err)
{
    uint64_t group_items = 1;
    char what[32], limit[32];

    if (!whet_candidate__is_countable(launch))
        return whet_err_set(err, WHET_EINVAL,
                            "%s: more than 2^62 work-items, expected a "
                            "smaller grid",
                            place);
    for (unsigned d = 0; d < 3; d++) {
        group_items *= launch->block[d];
        snprintf(what, sizeof what, "block[%u]", d);
        snprintf(limit, sizeof limit, "block_max[%u]", d);
        if (limits->block_max[d] != 0 &&
            launch->block[d] > limits->block_max[d])
            return over_limit(place, what, launch->block[d],
                              limits->block_max[d], limit, err);
        snprintf(what, sizeof what, "grid[%u]", d);
        snprintf(limit, sizeof limit, "grid_max[%u]", d);
        if (limits->grid_max[d] != 0 && launch->grid[d] > limits->grid_max[d])
            return over_limit(place, what, launch->grid[d], limits->grid_max[d],
                              limit, err);
    }
    if (limits->group_items_max != 0 && group_items > limits->group_items_max)
        return over_limit(place, "work-items per group", group_items,
                          limits->group_items_max, "group_items_max", err);
    if (limits->lds_bytes != 0 && launch->shared_bytes > limits->lds_bytes)
        return over_limit(place, "shared", launch->shared_bytes,
                          limits->lds_bytes, "lds_bytes", err);
    return WHET_OK;
}

/* The remedy depends on where the wide number comes from: for a dim of the
 * task it is the task that must say so. */
static whet_status too_wide(const bind_env *env, const plan_arg *arg,
                            int64_t value, const char *place, whet_err *err)
{
    const char *text = whet_expr_text(arg->expr);

    for (unsigned i = 0; i < env->task->dim_count; i++) {
        const whet_dim *dim = &env->task->dims[i];

        if (strcmp(dim->name, text) == 0 && !dim->is_i64)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: dim '%s' is %lld, which does not fit a "
                                "32-bit int; write `%s: i64` in the task",
                                place, text, (long long)value, text);
    }
    return whet_err_set(err, WHET_EINVAL,
                        "%s: '%.120s' is %lld, which does not fit a 32-bit "
                        "int; write {i64: \"%.60s\"} and take a long",
                        place, text, (long long)value, text);
}

static whet_bound_arg bind_scalar(const whet_scalar *scalar)
{
    whet_bound_arg arg = {0};

    switch (scalar->dtype) {
    case WHET_DTYPE_I32:
        arg.kind = WHET_ARG_I32;
        arg.value = (int64_t)scalar->value;
        break;
    case WHET_DTYPE_F64:
        arg.kind = WHET_ARG_F64;
        arg.real = scalar->value;
        break;
    default:
        arg.kind = WHET_ARG_F32;
        arg.real = (double)(float)scalar->value;
        break;
    }
    return arg;
}

static whet_status bind_arg(whet_bound_arg *out, bind_env *env,
                            const plan_arg *arg, uint64_t shared_bytes,
                            const char *place, whet_err *err)
{
    whet_status st = WHET_OK;

    *out = (whet_bound_arg){0};
    switch (arg->kind) {
    case PLAN_ARG_BUFFER:
        out->kind = WHET_ARG_BUFFER;
        out->buffer = arg->index;
        break;
    case PLAN_ARG_SCALAR:
        *out = bind_scalar(&env->task->scalars[arg->index]);
        break;
    case PLAN_ARG_SHARED:
        out->kind = WHET_ARG_SHARED;
        out->value = (int64_t)shared_bytes;
        if (shared_bytes == 0)
            st = whet_err_set(err, WHET_EINVAL,
                              "%s: 'shared' is an argument of 0 bytes, "
                              "expected at least 1",
                              place);
        break;
    case PLAN_ARG_I32:
    case PLAN_ARG_I64:
        out->kind = arg->kind == PLAN_ARG_I32 ? WHET_ARG_I32 : WHET_ARG_I64;
        st = eval(&out->value, env, arg->expr, place, err);
        if (st == WHET_OK && arg->kind == PLAN_ARG_I32 &&
            (out->value < INT32_MIN || out->value > INT32_MAX))
            st = too_wide(env, arg, out->value, place, err);
        break;
    }
    return st;
}

static whet_status bind_launch(whet_bound_launch *out, bind_env *env,
                               unsigned index, whet_err *err)
{
    const plan_launch *launch = &env->candidate->plan->launches[index];
    char place[PLACE_BYTES], part[PLACE_BYTES + 32];
    whet_status st = WHET_OK;

    memcpy(out->kernel, launch->kernel, sizeof out->kernel);
    snprintf(place, sizeof place, "launch %u (%s)", index + 1, launch->kernel);
    for (unsigned d = 0; st == WHET_OK && d < 3; d++) {
        snprintf(part, sizeof part, "%s, grid[%u]", place, d);
        st = eval_size(&out->grid[d], env, launch->grid[d], 1, part, err);
        if (st != WHET_OK)
            break;
        snprintf(part, sizeof part, "%s, block[%u]", place, d);
        st = eval_size(&out->block[d], env, launch->block[d], 1, part, err);
    }
    if (st == WHET_OK) {
        snprintf(part, sizeof part, "%s, shared", place);
        st = eval_size(&out->shared_bytes, env, launch->shared, 0, part, err);
    }
    if (st == WHET_OK)
        st = check_limits(out, env->limits, place, err);
    out->arg_count = launch->arg_count;
    for (unsigned i = 0; st == WHET_OK && i < launch->arg_count; i++) {
        snprintf(part, sizeof part, "%s, argument %u", place, i + 1);
        st = bind_arg(&out->args[i], env, &launch->args[i], out->shared_bytes,
                      part, err);
    }
    return st;
}

whet_status whet_candidate_bind(whet_bound_plan *out,
                                const whet_candidate *candidate,
                                const whet_point *point, const whet_task *task,
                                const whet_workload *workload,
                                const whet_limits *limits, whet_err *err)
{
    bind_env env = {.candidate = candidate, .task = task, .limits = limits};
    bool is_excluded;
    whet_status st = check_point(candidate, point, err);

    /* All bytes, since a bound plan is sent and hashed as it lies. */
    memset(out, 0, sizeof *out);
    if (st == WHET_OK)
        st = fill_env(&env, point, workload, err);
    if (st == WHET_OK)
        st = check_constraints(&is_excluded, &env, err);
    if (st == WHET_OK)
        st = bind_buffers(out, &env, workload, err);
    out->launch_count = candidate->plan->launch_count;
    for (unsigned i = 0; st == WHET_OK && i < out->launch_count; i++)
        st = bind_launch(&out->launches[i], &env, i, err);
    if (st != WHET_OK)
        memset(out, 0, sizeof *out);
    return st;
}
