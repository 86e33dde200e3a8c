/* Names of a plan: what each may be called, what it means, and the order in
 * which the lets can be computed. Dims, tensors, scalars, tunables, lets and
 * workspaces share one space of names. */

#include "candidate/candidate_priv.h"

#include <string.h>

static const char *const fact_names[WHET_FACT_COUNT] = {
    "wave_size", "lds_bytes", "cu_count"};

const char *whet_candidate__fact_name(unsigned index)
{
    return fact_names[index];
}

uint64_t whet_candidate__fact(const whet_limits *limits, unsigned index)
{
    switch (index) {
    case 0:
        return limits->wave_size;
    case 1:
        return limits->lds_bytes;
    default:
        return limits->cu_count;
    }
}

/* All names of a kind, one after the other; NULL behind the last. */
static const char *name_at(const plan_scope *scope, plan_name_kind kind,
                           unsigned index)
{
    const whet_task *task = scope->task;
    const whet_plan *plan = scope->candidate->plan;

    switch (kind) {
    case PLAN_NAME_DIM:
        return index < task->dim_count ? task->dims[index].name : NULL;
    case PLAN_NAME_SCALAR:
        return index < task->scalar_count ? task->scalars[index].name : NULL;
    case PLAN_NAME_TENSOR:
        return index < task->tensor_count ? task->tensors[index].name : NULL;
    case PLAN_NAME_WORKSPACE:
        return index < plan->workspace_count ? plan->workspaces[index].name
                                             : NULL;
    case PLAN_NAME_TUNABLE:
        return index < scope->candidate->tunable_count
                   ? scope->candidate->tunables[index].name
                   : NULL;
    case PLAN_NAME_LET:
        return index < plan->let_count ? plan->lets[index].name : NULL;
    case PLAN_NAME_FACT:
        return index < WHET_FACT_COUNT ? fact_names[index] : NULL;
    default:
        return NULL;
    }
}

plan_name_kind whet_candidate__resolve(unsigned *index_out,
                                       const plan_scope *scope,
                                       const char *name)
{
    *index_out = 0;
    if (strcmp(name, "shared") == 0 || whet_expr_is_reserved(name))
        return PLAN_NAME_WORD;
    for (int kind = PLAN_NAME_DIM; kind <= PLAN_NAME_FACT; kind++) {
        const char *known;

        for (unsigned i = 0;
             (known = name_at(scope, (plan_name_kind)kind, i)) != NULL; i++) {
            if (strcmp(known, name) == 0) {
                *index_out = i;
                return (plan_name_kind)kind;
            }
        }
    }
    return PLAN_NAME_NONE;
}

static const char *kind_text(plan_name_kind kind)
{
    switch (kind) {
    case PLAN_NAME_DIM:
        return "a dim of the task";
    case PLAN_NAME_SCALAR:
        return "a scalar of the task";
    case PLAN_NAME_TENSOR:
        return "a tensor of the task";
    case PLAN_NAME_WORKSPACE:
        return "a workspace";
    case PLAN_NAME_TUNABLE:
        return "a tunable";
    case PLAN_NAME_LET:
        return "a let";
    case PLAN_NAME_FACT:
        return "a device fact";
    default:
        return "a reserved word";
    }
}

whet_status whet_candidate__check_new_name(const plan_scope *scope,
                                           const char *name, whet_err *err)
{
    unsigned index;
    plan_name_kind kind;

    if (!whet_is_identifier(name, strlen(name)))
        return whet_err_set(err, WHET_EINVAL,
                            "'%.64s' cannot be a name, expected an identifier "
                            "of at most %d bytes",
                            name, WHET_NAME_BYTES - 1);
    /* Tunables become macros; these would reach into the compiler's and the
     * dialect header's own names. */
    if (strncmp(name, "__", 2) == 0 || strncmp(name, "WHET_", 5) == 0 ||
        strncmp(name, "whet_", 5) == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "name '%s' is reserved, expected one that does not "
                            "start with '__', 'WHET_' or 'whet_'",
                            name);
    kind = whet_candidate__resolve(&index, scope, name);
    if (kind != PLAN_NAME_NONE)
        return whet_err_set(err, WHET_EINVAL,
                            "name '%s' is already %s, expected another name",
                            name, kind_text(kind));
    return WHET_OK;
}

whet_status whet_candidate__unknown_name(const plan_scope *scope,
                                         const char *name, whet_err *err)
{
    const char *names[WHET_DIM_MAX + WHET_SCALAR_MAX + WHET_TENSOR_MAX +
                      WHET_WORKSPACE_MAX + WHET_TUNABLE_MAX + WHET_LET_MAX +
                      WHET_FACT_COUNT];
    size_t count = 0;
    const char *close;

    for (int kind = PLAN_NAME_DIM; kind <= PLAN_NAME_FACT; kind++) {
        const char *known;

        for (unsigned i = 0;
             (known = name_at(scope, (plan_name_kind)kind, i)) != NULL; i++)
            names[count++] = known;
    }
    close = whet_closest_name(name, names, count);
    if (close != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "unknown name '%s', did you mean '%s'?", name,
                            close);
    return whet_err_set(err, WHET_EINVAL,
                        "unknown name '%s', expected a dim, tunable, let, "
                        "scalar, tensor, workspace or device fact",
                        name);
}

whet_status whet_candidate__check_expr(const plan_scope *scope,
                                       const whet_expr *expr, whet_err *err)
{
    size_t count;
    const char *const *names = whet_expr_names(expr, &count);

    for (size_t i = 0; i < count; i++) {
        unsigned index;
        const plan_name_kind kind =
            whet_candidate__resolve(&index, scope, names[i]);

        if (kind == PLAN_NAME_NONE)
            return whet_candidate__unknown_name(scope, names[i], err);
        if (kind == PLAN_NAME_TENSOR || kind == PLAN_NAME_WORKSPACE ||
            kind == PLAN_NAME_WORD)
            return whet_err_set(err, WHET_EINVAL,
                                "'%s' is %s, expected an integer", names[i],
                                kind_text(kind));
        if (kind == PLAN_NAME_SCALAR &&
            scope->task->scalars[index].dtype != WHET_DTYPE_I32)
            return whet_err_set(
                err, WHET_EINVAL, "scalar '%s' is %s, expected an integer",
                names[i], whet_dtype_name(scope->task->scalars[index].dtype));
    }
    return WHET_OK;
}

bool whet_candidate__is_i64(const plan_scope *scope, const whet_expr *expr)
{
    size_t count;
    const char *const *names = whet_expr_names(expr, &count);

    for (size_t i = 0; i < count; i++) {
        unsigned index;
        const plan_name_kind kind =
            whet_candidate__resolve(&index, scope, names[i]);

        if ((kind == PLAN_NAME_DIM && scope->task->dims[index].is_i64) ||
            (kind == PLAN_NAME_LET &&
             scope->candidate->plan->lets[index].is_i64))
            return true;
    }
    return false;
}

/* --- order of the lets ---------------------------------------------------- */

typedef enum mark { MARK_NEW = 0, MARK_OPEN, MARK_DONE } mark;

typedef struct sorter {
    whet_plan *plan;
    const plan_scope *scope;
    mark marks[WHET_LET_MAX];
    unsigned path[WHET_LET_MAX]; /* the open ones, outermost first */
    unsigned path_count;
    unsigned done_count;
    unsigned cyclic;
    whet_err *err;
} sorter;

static whet_status fail_cycle(sorter *s, unsigned index)
{
    whet_status st = WHET_EINVAL;
    whet_buf text = {0};
    unsigned first = 0;

    while (s->path[first] != index)
        first++;
    for (unsigned i = first; i < s->path_count; i++)
        whet_buf_printf(&text, "%s -> ", s->plan->lets[s->path[i]].name);
    whet_buf_puts(&text, s->plan->lets[index].name);
    s->cyclic = index;
    st = whet_err_set(s->err, st,
                      "let '%s' depends on itself (%.300s), expected no cycle",
                      s->plan->lets[index].name, whet_buf_str(&text));
    whet_buf_deinit(&text);
    return st;
}

/* Depth first; recursion is at most as deep as there are lets. */
static whet_status visit(sorter *s, unsigned index)
{
    plan_let *let = &s->plan->lets[index];
    size_t count;
    const char *const *names = whet_expr_names(let->expr, &count);

    s->marks[index] = MARK_OPEN;
    s->path[s->path_count++] = index;
    for (size_t i = 0; i < count; i++) {
        unsigned other;
        whet_status st = WHET_OK;

        if (whet_candidate__resolve(&other, s->scope, names[i]) !=
            PLAN_NAME_LET)
            continue;
        if (s->marks[other] == MARK_OPEN)
            st = fail_cycle(s, other);
        else if (s->marks[other] == MARK_NEW)
            st = visit(s, other);
        if (st != WHET_OK)
            return st;
    }
    let->is_i64 = whet_candidate__is_i64(s->scope, let->expr);
    s->marks[index] = MARK_DONE;
    s->path_count--;
    s->plan->let_order[s->done_count++] = index;
    return WHET_OK;
}

whet_status whet_candidate__order_lets(unsigned *cyclic_out, whet_plan *plan,
                                       const plan_scope *scope, whet_err *err)
{
    sorter s = {.plan = plan, .scope = scope, .err = err};
    whet_status st = WHET_OK;

    for (unsigned i = 0; st == WHET_OK && i < plan->let_count; i++) {
        if (s.marks[i] == MARK_NEW)
            st = visit(&s, i);
    }
    *cyclic_out = s.cyclic;
    return st;
}
