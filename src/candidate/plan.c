/* From the YAML of a plan to struct whet_plan. Fields are read in an order in
 * which every name is known before an expression that may use it; each
 * complaint points at its node. */

#include "candidate/candidate_priv.h"

#include <string.h>

typedef struct builder {
    whet_candidate *candidate;
    whet_plan *plan;
    const whet_task *task;
    plan_scope scope;
    plan_launch *launch; /* the one being read */
    plan_workspace *workspace;
} builder;

/* Put the place of `node` in front of a message that has none. */
static whet_status place(const whet_yaml *doc, const whet_yaml_node *node,
                         whet_status st, const whet_err *inner, whet_err *err)
{
    if (st == WHET_EINVAL)
        return whet_yaml_error(doc, node, err, "%s", inner->msg);
    return whet_err_set(err, st, "%s", inner->msg);
}

static whet_status check_count(const whet_yaml *doc, const whet_yaml_node *node,
                               const char *what, size_t min, size_t max,
                               whet_err *err)
{
    const size_t count = whet_yaml_count(node);

    if (count < min || count > max)
        return whet_yaml_error(doc, node, err,
                               "%zu %s, expected between %zu and %zu", count,
                               what, min, max);
    return WHET_OK;
}

/* An expression whose names are known. `*out` is freed with the plan. */
static whet_status read_expr(whet_expr **out, const builder *b,
                             const whet_yaml *doc, const whet_yaml_node *node,
                             whet_err *err)
{
    const char *text;
    whet_err inner = {0};
    whet_status st;

    if (whet_yaml_kind_of(node) != WHET_YAML_SCALAR)
        return whet_yaml_error(doc, node, err,
                               "a list or mapping, expected an expression");
    st = whet_yaml_str(&text, doc, node, err);
    if (st != WHET_OK)
        return st;
    st = whet_expr_parse(out, text, strlen(text), &inner);
    if (st == WHET_OK)
        st = whet_candidate__check_expr(&b->scope, *out, &inner);
    if (st != WHET_OK)
        return place(doc, node, st, &inner, err);
    return WHET_OK;
}

/* A list of expressions; those beyond its end stay NULL. */
static whet_status read_exprs(whet_expr **out, size_t min, size_t max,
                              const char *what, const builder *b,
                              const whet_yaml *doc, const whet_yaml_node *seq,
                              whet_err *err)
{
    whet_status st = check_count(doc, seq, what, min, max, err);

    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(seq); i++)
        st = read_expr(&out[i], b, doc, whet_yaml_item(seq, i), err);
    return st;
}

/* A mapping's entry whose key becomes a new name of the plan. */
static whet_status read_new_name(char name[WHET_NAME_BYTES],
                                 const whet_yaml_node **value_out,
                                 const builder *b, const whet_yaml *doc,
                                 const whet_yaml_node *map, size_t index,
                                 whet_err *err)
{
    const char *key = NULL;
    const whet_yaml_node *key_node = NULL;
    whet_err inner = {0};
    whet_status st;

    *value_out = whet_yaml_entry(doc, map, index, &key, &key_node);
    if (key == NULL)
        return whet_yaml_error(doc, key_node != NULL ? key_node : map, err,
                               "a key that is no name, expected an identifier");
    st = whet_candidate__check_new_name(&b->scope, key, &inner);
    if (st != WHET_OK)
        return place(doc, key_node, st, &inner, err);
    if (*value_out == NULL)
        return whet_yaml_error(doc, key_node, err,
                               "'%s' has no value, expected one", key);
    whet_strcopy(name, WHET_NAME_BYTES, key);
    return WHET_OK;
}

/* --- tunables ------------------------------------------------------------- */

static whet_status read_domain(whet_tunable *tunable, const whet_yaml *doc,
                               const whet_yaml_node *seq, whet_err *err)
{
    whet_status st;

    if (whet_yaml_kind_of(seq) != WHET_YAML_SEQ)
        return whet_yaml_error(doc, seq, err,
                               "tunable '%s' has no list of values, expected "
                               "one like [64, 128]",
                               tunable->name);
    st = check_count(doc, seq, "values", 1, WHET_DOMAIN_MAX, err);
    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(seq); i++) {
        const whet_yaml_node *item = whet_yaml_item(seq, i);
        int64_t value = 0;

        /* The least integer has no literal that a macro could expand to. */
        st = whet_yaml_i64(&value, doc, item, -INT64_MAX, INT64_MAX, err);
        for (size_t j = 0; st == WHET_OK && j < i; j++) {
            if (tunable->domain[j] == value)
                st = whet_yaml_error(doc, item, err,
                                     "value %lld is in the domain of '%s' "
                                     "twice, expected it once",
                                     (long long)value, tunable->name);
        }
        tunable->domain[i] = value;
        tunable->domain_count = (unsigned)i + 1;
    }
    return st;
}

static whet_status read_tunables(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *map, whet_err *err)
{
    builder *b = dest;
    whet_candidate *candidate = b->candidate;
    whet_status st =
        check_count(doc, map, "tunables", 0, WHET_TUNABLE_MAX, err);

    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(map); i++) {
        whet_tunable *tunable = &candidate->tunables[i];
        const whet_yaml_node *seq;

        st = read_new_name(tunable->name, &seq, b, doc, map, i, err);
        if (st != WHET_OK)
            return st;
        st = read_domain(tunable, doc, seq, err);
        candidate->tunable_count++;
    }
    return st;
}

/* --- lets, constraints, workspaces ---------------------------------------- */

static whet_status read_lets(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *map, whet_err *err)
{
    builder *b = dest;
    whet_plan *plan = b->plan;
    const whet_yaml_node *values[WHET_LET_MAX] = {NULL};
    whet_err inner = {0};
    unsigned cyclic = 0;
    whet_status st = check_count(doc, map, "lets", 0, WHET_LET_MAX, err);

    /* All names first: a let may use one that stands further down. */
    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(map); i++) {
        st = read_new_name(plan->lets[i].name, &values[i], b, doc, map, i, err);
        if (st == WHET_OK)
            plan->let_count++;
    }
    for (unsigned i = 0; st == WHET_OK && i < plan->let_count; i++)
        st = read_expr(&plan->lets[i].expr, b, doc, values[i], err);
    if (st != WHET_OK)
        return st;
    st = whet_candidate__order_lets(&cyclic, plan, &b->scope, &inner);
    if (st != WHET_OK)
        return place(doc, values[cyclic], st, &inner, err);
    return WHET_OK;
}

static whet_status read_constraints(void *dest, const whet_yaml *doc,
                                    const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;
    whet_status st = read_exprs(b->plan->constraints, 0, WHET_CONSTRAINT_MAX,
                                "constraints", b, doc, seq, err);

    if (st == WHET_OK)
        b->plan->constraint_count = (unsigned)whet_yaml_count(seq);
    return st;
}

static whet_status read_dtype(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    builder *b = dest;
    const char *text;
    whet_err inner = {0};
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    st = whet_dtype_parse(&b->workspace->dtype, text, &inner);
    return st == WHET_OK ? st : place(doc, node, st, &inner, err);
}

static whet_status read_shape(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;
    whet_status st = read_exprs(b->workspace->shape, 1, WHET_RANK_MAX,
                                "dimensions", b, doc, seq, err);

    if (st == WHET_OK)
        b->workspace->rank = (unsigned)whet_yaml_count(seq);
    return st;
}

static const whet_yaml_field workspace_fields[] = {
    {"dtype", WHET_YAML_SCALAR, true, read_dtype},
    {"shape", WHET_YAML_SEQ, true, read_shape},
};

static whet_status read_workspaces(void *dest, const whet_yaml *doc,
                                   const whet_yaml_node *map, whet_err *err)
{
    builder *b = dest;
    whet_status st =
        check_count(doc, map, "workspaces", 0, WHET_WORKSPACE_MAX, err);

    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(map); i++) {
        const whet_yaml_node *value;

        b->workspace = &b->plan->workspaces[i];
        st = read_new_name(b->workspace->name, &value, b, doc, map, i, err);
        if (st != WHET_OK)
            return st;
        b->plan->workspace_count++;
        st = whet_yaml_walk(b, doc, value, workspace_fields,
                            sizeof workspace_fields / sizeof *workspace_fields,
                            err);
    }
    return st;
}

/* --- launches ------------------------------------------------------------- */

static whet_status read_kernel(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    builder *b = dest;
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (!whet_is_identifier(text, strlen(text)))
        return whet_yaml_error(doc, node, err,
                               "'%.64s' cannot be a kernel, expected an "
                               "identifier of at most %d bytes",
                               text, WHET_NAME_BYTES - 1);
    whet_strcopy(b->launch->kernel, sizeof b->launch->kernel, text);
    return WHET_OK;
}

static whet_status read_grid(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;

    return read_exprs(b->launch->grid, 1, 3, "sizes", b, doc, seq, err);
}

static whet_status read_block(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;

    return read_exprs(b->launch->block, 1, 3, "sizes", b, doc, seq, err);
}

static whet_status read_shared(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    builder *b = dest;

    return read_expr(&b->launch->shared, b, doc, node, err);
}

static whet_status read_shared_arg(plan_arg *arg, const builder *b,
                                   const whet_yaml *doc,
                                   const whet_yaml_node *node, whet_err *err)
{
    if (!whet_candidate__language(b->candidate->language)->has_shared_arg)
        return whet_yaml_error(doc, node, err,
                               "'shared' is no argument in %s, expected the "
                               "kernel to declare its dynamic shared memory",
                               b->candidate->language);
    if (b->launch->shared == NULL)
        return whet_yaml_error(doc, node, err,
                               "'shared' is an argument, expected the launch "
                               "to say how many bytes: shared: ...");
    arg->kind = PLAN_ARG_SHARED;
    return WHET_OK;
}

static whet_status read_int_arg(plan_arg *arg, const builder *b,
                                const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    whet_status st = read_expr(&arg->expr, b, doc, node, err);

    if (st == WHET_OK)
        arg->kind = whet_candidate__is_i64(&b->scope, arg->expr) ? PLAN_ARG_I64
                                                                 : PLAN_ARG_I32;
    return st;
}

/* {i32: ..} or {i64: ..}. */
static whet_status read_forced_arg(plan_arg *arg, const builder *b,
                                   const whet_yaml *doc,
                                   const whet_yaml_node *map, whet_err *err)
{
    const whet_yaml_node *value = NULL, *key_node = NULL;
    const char *key = NULL;
    plan_arg_kind kind = PLAN_ARG_I32;
    whet_status st;

    if (whet_yaml_count(map) == 1)
        value = whet_yaml_entry(doc, map, 0, &key, &key_node);
    if (value != NULL && key != NULL && strcmp(key, "i64") == 0)
        kind = PLAN_ARG_I64;
    else if (value == NULL || key == NULL || strcmp(key, "i32") != 0)
        return whet_yaml_error(doc, map, err,
                               "an argument that is a mapping, expected "
                               "{i32: EXPRESSION} or {i64: EXPRESSION}");
    st = read_int_arg(arg, b, doc, value, err);
    arg->kind = kind;
    return st;
}

static whet_status read_arg(plan_arg *arg, const builder *b,
                            const whet_yaml *doc, const whet_yaml_node *node,
                            whet_err *err)
{
    const char *text;
    unsigned index;
    whet_status st;

    if (whet_yaml_kind_of(node) == WHET_YAML_MAP)
        return read_forced_arg(arg, b, doc, node, err);
    if (whet_yaml_kind_of(node) != WHET_YAML_SCALAR)
        return whet_yaml_error(doc, node, err,
                               "an argument that is a list, expected a name, "
                               "an expression, {i32: ..} or {i64: ..}");
    st = whet_yaml_str(&text, doc, node, err);
    if (st != WHET_OK)
        return st;
    if (strcmp(text, "shared") == 0)
        return read_shared_arg(arg, b, doc, node, err);
    switch (whet_candidate__resolve(&index, &b->scope, text)) {
    case PLAN_NAME_TENSOR:
        *arg = (plan_arg){PLAN_ARG_BUFFER, index, NULL};
        return WHET_OK;
    case PLAN_NAME_WORKSPACE:
        *arg = (plan_arg){PLAN_ARG_BUFFER, b->task->tensor_count + index, NULL};
        return WHET_OK;
    case PLAN_NAME_SCALAR:
        *arg = (plan_arg){PLAN_ARG_SCALAR, index, NULL};
        return WHET_OK;
    default:
        return read_int_arg(arg, b, doc, node, err);
    }
}

static whet_status read_args(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;
    plan_launch *launch = b->launch;
    whet_status st = check_count(doc, seq, "arguments", 0, WHET_ARG_MAX, err);

    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(seq); i++) {
        st = read_arg(&launch->args[i], b, doc, whet_yaml_item(seq, i), err);
        launch->arg_count = (unsigned)i + 1;
    }
    return st;
}

static const whet_yaml_field launch_fields[] = {
    {"kernel", WHET_YAML_SCALAR, true, read_kernel},
    {"grid", WHET_YAML_SEQ, true, read_grid},
    {"block", WHET_YAML_SEQ, true, read_block},
    {"shared", WHET_YAML_SCALAR, false, read_shared},
    {"args", WHET_YAML_SEQ, true, read_args},
};

static bool is_written(const whet_plan *plan, unsigned buffer)
{
    for (unsigned i = 0; i < plan->launch_count; i++) {
        const plan_launch *launch = &plan->launches[i];

        for (unsigned j = 0; j < launch->arg_count; j++) {
            if (launch->args[j].kind == PLAN_ARG_BUFFER &&
                launch->args[j].index == buffer)
                return true;
        }
    }
    return false;
}

static whet_status read_launches(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *seq, whet_err *err)
{
    builder *b = dest;
    whet_status st = check_count(doc, seq, "launches", 1, WHET_LAUNCH_MAX, err);

    for (size_t i = 0; st == WHET_OK && i < whet_yaml_count(seq); i++) {
        b->launch = &b->plan->launches[i];
        b->plan->launch_count = (unsigned)i + 1;
        st = whet_yaml_walk(b, doc, whet_yaml_item(seq, i), launch_fields,
                            sizeof launch_fields / sizeof *launch_fields, err);
    }
    for (unsigned i = 0; st == WHET_OK && i < b->task->tensor_count; i++) {
        if (b->task->tensors[i].role == WHET_ROLE_OUT &&
            !is_written(b->plan, i))
            st = whet_yaml_error(doc, seq, err,
                                 "output '%s' is in no launch's args, expected "
                                 "every output in at least one",
                                 b->task->tensors[i].name);
    }
    return st;
}

static const whet_yaml_field plan_fields[] = {
    {"tunables", WHET_YAML_MAP, false, read_tunables},
    {"let", WHET_YAML_MAP, false, read_lets},
    {"constraints", WHET_YAML_SEQ, false, read_constraints},
    {"workspace", WHET_YAML_MAP, false, read_workspaces},
    {"launches", WHET_YAML_SEQ, true, read_launches},
};

whet_status whet_candidate__plan(whet_candidate *candidate, const char *yaml,
                                 size_t bytes, const char *where,
                                 int first_line, const whet_task *task,
                                 whet_err *err)
{
    builder b = {.candidate = candidate,
                 .plan = candidate->plan,
                 .task = task,
                 .scope = {candidate, task}};
    whet_yaml *doc = NULL;
    whet_status st = whet_yaml_parse(&doc, yaml, bytes, where, first_line, err);

    if (st != WHET_OK)
        return st;
    if (whet_yaml_root(doc) == NULL)
        st = whet_err_set(err, WHET_EINVAL,
                          "%s:%d:1: the plan is empty, expected launches:",
                          where, first_line);
    else
        st = whet_yaml_walk(&b, doc, whet_yaml_root(doc), plan_fields,
                            sizeof plan_fields / sizeof *plan_fields, err);
    whet_yaml_free(doc);
    return st;
}
