/* task.yaml -> whet_task: one table of fields per mapping. Opens no file.
 * Fields are read in the order of the tables, so dims come before the
 * expressions over them, and workloads last, when all can be evaluated. */

#include "task/schema_priv.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a nested reader fills: the task, and the part of it at hand. */
struct part {
    whet_task *task;
    void *item;
};

/* Words that a name may not be: those of expressions and plans, and those that
 * C would not take as a member of the reference's struct. */
static const char *const reserved[] = {
    "and",      "or",        "not",       "min",      "max",      "ceil_div",
    "round_up", "shared",    "pow2_ceil", "auto",     "break",    "case",
    "char",     "const",     "continue",  "default",  "do",       "double",
    "else",     "enum",      "extern",    "float",    "for",      "goto",
    "if",       "inline",    "int",       "long",     "register", "restrict",
    "return",   "short",     "signed",    "sizeof",   "static",   "struct",
    "switch",   "typedef",   "union",     "unsigned", "void",     "volatile",
    "while",    "wave_size", "lds_bytes", "cu_count",
};

bool whet_task__is_word(const char *text)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t bytes = strlen(text);

    return bytes > 0 && bytes < WHET_NAME_BYTES && text[0] != '.' &&
           text[0] != '-' && strspn(text, word) == bytes;
}

static whet_status read_word(char *out, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (!whet_task__is_word(text))
        return whet_yaml_error(doc, node, err,
                               "'%.64s' is no name, expected 1 to 63 of "
                               "A-Z a-z 0-9 _ . -",
                               text);
    whet_strcopy(out, WHET_NAME_BYTES, text);
    return WHET_OK;
}

/* Is the name a dim, tensor or scalar already? */
static bool name_is_taken(const whet_task *task, const char *name)
{
    for (unsigned i = 0; i < task->dim_count; i++) {
        if (strcmp(task->dims[i].name, name) == 0)
            return true;
    }
    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (strcmp(task->tensors[i].name, name) == 0)
            return true;
    }
    for (unsigned i = 0; i < task->scalar_count; i++) {
        if (strcmp(task->scalars[i].name, name) == 0)
            return true;
    }
    return false;
}

/* A new identifier that kernels, expressions and C may all use. */
static whet_status check_identifier(const whet_task *task, const char *name,
                                    const whet_yaml *doc,
                                    const whet_yaml_node *node, whet_err *err)
{
    if (name == NULL || !whet_is_identifier(name, strlen(name)))
        return whet_yaml_error(doc, node, err,
                               "'%.64s' is no identifier, expected letters, "
                               "digits and _, at most 63",
                               name == NULL ? "" : name);
    for (size_t i = 0; i < WHET_COUNT_OF(reserved); i++) {
        if (strcmp(name, reserved[i]) == 0)
            return whet_yaml_error(doc, node, err,
                                   "'%s' is a reserved word, expected another "
                                   "name",
                                   name);
    }
    if (name_is_taken(task, name))
        return whet_yaml_error(doc, node, err,
                               "'%s' is named twice, expected each dim, tensor "
                               "and scalar once",
                               name);
    return WHET_OK;
}

/* One of a list of words, as its index. */
static whet_status read_choice(unsigned *out, const char *const *names,
                               size_t name_count, const char *what,
                               const whet_yaml *doc, const whet_yaml_node *node,
                               whet_err *err)
{
    whet_buf list = {0};
    const char *text, *close;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    for (size_t i = 0; i < name_count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (unsigned)i;
            return WHET_OK;
        }
    }
    for (size_t i = 0; i < name_count; i++)
        whet_buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    close = whet_closest_name(text, names, name_count);
    if (close != NULL)
        st = whet_yaml_error(doc, node, err,
                             "unknown %s '%.64s', did you mean '%s'?", what,
                             text, close);
    else
        st = whet_yaml_error(doc, node, err,
                             "unknown %s '%.64s', expected one of %s", what,
                             text, whet_buf_str(&list));
    whet_buf_deinit(&list);
    return st;
}

whet_status whet_task__read_expr(whet_expr **out, const whet_task *task,
                                 const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    const char *dims[WHET_DIM_MAX];
    const char *const *names;
    const char *text;
    size_t name_count;
    whet_err inner = {0};
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    st = whet_expr_parse(out, text, strlen(text), &inner);
    if (st == WHET_EINVAL)
        return whet_yaml_error(doc, node, err, "expression: %s", inner.msg);
    if (st != WHET_OK)
        return whet_err_set(err, st, "%s", inner.msg);
    for (unsigned i = 0; i < task->dim_count; i++)
        dims[i] = task->dims[i].name;
    names = whet_expr_names(*out, &name_count);
    for (size_t i = 0; i < name_count; i++) {
        const char *close;

        if (whet_task__dim_index(task, names[i]) >= 0)
            continue;
        close = whet_closest_name(names[i], dims, task->dim_count);
        if (close != NULL)
            return whet_yaml_error(doc, node, err,
                                   "'%s' is no dim, did you mean '%s'?",
                                   names[i], close);
        return whet_yaml_error(doc, node, err,
                               "'%s' is no dim, expected names listed in "
                               "`dims`",
                               names[i]);
    }
    return WHET_OK;
}

/* --- plain fields --- */

static whet_status read_name(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    return read_word(((whet_task *)dest)->name, doc, node, err);
}

static whet_status read_op(void *dest, const whet_yaml *doc,
                           const whet_yaml_node *node, whet_err *err)
{
    return read_word(((whet_task *)dest)->op, doc, node, err);
}

static whet_status read_summary(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    task->summary = whet_strdup(text);
    if (task->summary == NULL)
        return whet_err_set(err, WHET_ENOMEM, "summary: out of memory");
    return WHET_OK;
}

/* --- dims --- */

static whet_status read_dim(whet_task *task, const whet_yaml *doc,
                            const whet_yaml_node *item, whet_err *err)
{
    static const char *const widths[] = {"i32", "i64"};
    const whet_yaml_node *name_node = item;
    whet_dim *dim = &task->dims[task->dim_count];
    const char *name;
    unsigned width = 0;
    whet_status st;

    if (whet_yaml_kind_of(item) == WHET_YAML_MAP) {
        const whet_yaml_node *value;

        if (whet_yaml_count(item) != 1)
            return whet_yaml_error(doc, item, err,
                                   "a dim has one name, expected `NAME` or "
                                   "`NAME: i64`");
        value = whet_yaml_entry(doc, item, 0, &name, &name_node);
        st = read_choice(&width, widths, WHET_COUNT_OF(widths),
                         "width of a dim", doc, value, err);
    } else {
        st = whet_yaml_str(&name, doc, item, err);
    }
    if (st == WHET_OK)
        st = check_identifier(task, name, doc, name_node, err);
    if (st != WHET_OK)
        return st;
    whet_strcopy(dim->name, sizeof dim->name, name);
    dim->is_i64 = width == 1;
    task->dim_count++;
    return WHET_OK;
}

static whet_status read_dims(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    size_t count = whet_yaml_count(node);

    if (count < 1 || count > WHET_DIM_MAX)
        return whet_yaml_error(doc, node, err, "%zu dims, expected 1 to %d",
                               count, WHET_DIM_MAX);
    for (size_t i = 0; i < count; i++) {
        whet_status st = read_dim(dest, doc, whet_yaml_item(node, i), err);

        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/* --- tensors --- */

static whet_status read_role(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    static const char *const roles[] = {"in", "out"};
    whet_tensor *tensor = ((struct part *)dest)->item;
    unsigned role = 0;
    whet_status st =
        read_choice(&role, roles, WHET_COUNT_OF(roles), "role", doc, node, err);

    tensor->role = (whet_role)role;
    return st;
}

static whet_status read_dtype(whet_dtype *out, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    whet_err inner = {0};
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (whet_dtype_parse(out, text, &inner) != WHET_OK)
        return whet_yaml_error(doc, node, err, "%s", inner.msg);
    return WHET_OK;
}

static whet_status read_tensor_dtype(void *dest, const whet_yaml *doc,
                                     const whet_yaml_node *node, whet_err *err)
{
    whet_tensor *tensor = ((struct part *)dest)->item;

    return read_dtype(&tensor->dtype, doc, node, err);
}

static whet_status read_shape(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    struct part *part = dest;
    whet_tensor *tensor = part->item;
    size_t count = whet_yaml_count(node);

    if (count < 1 || count > WHET_RANK_MAX)
        return whet_yaml_error(doc, node, err,
                               "shape of %zu sizes, expected 1 to %d", count,
                               WHET_RANK_MAX);
    tensor->rank = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        whet_status st = whet_task__read_expr(
            &tensor->shape[i], part->task, doc, whet_yaml_item(node, i), err);

        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

static whet_status read_dist(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    static const char *const dists[] = {
        [WHET_DIST_NORMAL] = "normal",     [WHET_DIST_UNIFORM] = "uniform",
        [WHET_DIST_POSITIVE] = "positive", [WHET_DIST_HEAVY] = "heavy",
        [WHET_DIST_MIXED] = "mixed",       [WHET_DIST_INTEGER] = "integer",
        [WHET_DIST_EXACT] = "exact",
    };
    whet_tensor *tensor = ((struct part *)dest)->item;
    unsigned dist = 0;
    whet_status st = read_choice(&dist, dists, WHET_COUNT_OF(dists),
                                 "distribution", doc, node, err);

    if (st != WHET_OK)
        return st;
    tensor->dist = (whet_dist)dist;
    if (tensor->role == WHET_ROLE_OUT)
        return whet_yaml_error(doc, node, err,
                               "an output has no `dist`, expected it on inputs "
                               "only");
    if (tensor->dtype == WHET_DTYPE_I32 && dist != WHET_DIST_INTEGER)
        return whet_yaml_error(doc, node, err,
                               "`dist: %s` for i32, expected integer",
                               dists[dist]);
    /* Narrower types lose bits of the numbers; f64 has no need of few. */
    if (tensor->dtype != WHET_DTYPE_F32 && dist == WHET_DIST_EXACT)
        return whet_yaml_error(doc, node, err,
                               "`dist: exact` for %s, expected dtype f32",
                               whet_dtype_name(tensor->dtype));
    return WHET_OK;
}

static whet_status read_scale_log2(void *dest, const whet_yaml *doc,
                                   const whet_yaml_node *node, whet_err *err)
{
    whet_tensor *tensor = ((struct part *)dest)->item;
    int64_t least = tensor->dtype == WHET_DTYPE_I32 ? 0 : -20;
    int64_t value;
    whet_status st = whet_yaml_i64(&value, doc, node, least, 20, err);

    if (st != WHET_OK)
        return st;
    if (tensor->role == WHET_ROLE_OUT)
        return whet_yaml_error(doc, node, err,
                               "an output has no `scale_log2`, expected it on "
                               "inputs only");
    tensor->scale_log2 = (int)value;
    return WHET_OK;
}

static const whet_yaml_field tensor_fields[] = {
    {"role", WHET_YAML_SCALAR, true, read_role},
    {"dtype", WHET_YAML_SCALAR, true, read_tensor_dtype},
    {"shape", WHET_YAML_SEQ, true, read_shape},
    {"dist", WHET_YAML_SCALAR, false, read_dist},
    {"scale_log2", WHET_YAML_SCALAR, false, read_scale_log2},
};

static whet_status read_tensor(whet_task *task, const char *name,
                               const whet_yaml *doc,
                               const whet_yaml_node *value, whet_err *err)
{
    whet_tensor *tensor = &task->tensors[task->tensor_count];
    struct part part = {task, tensor};
    whet_status st;

    /* Counted at once, so that whet_task_free sees a half-read tensor. */
    task->tensor_count++;
    whet_strcopy(tensor->name, sizeof tensor->name, name);
    st = whet_yaml_walk(&part, doc, value, tensor_fields,
                        WHET_COUNT_OF(tensor_fields), err);
    if (st == WHET_OK && tensor->dtype == WHET_DTYPE_I32)
        tensor->dist = WHET_DIST_INTEGER;
    return st;
}

static whet_status read_tensors(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    size_t count = whet_yaml_count(node);
    unsigned roles[2] = {0, 0};

    if (count > WHET_TENSOR_MAX)
        return whet_yaml_error(doc, node, err,
                               "%zu tensors, expected at most %d", count,
                               WHET_TENSOR_MAX);
    for (size_t i = 0; i < count; i++) {
        const whet_yaml_node *key_node, *value;
        const char *name;
        whet_status st;

        value = whet_yaml_entry(doc, node, i, &name, &key_node);
        st = check_identifier(task, name, doc, key_node, err);
        if (st == WHET_OK)
            st = read_tensor(task, name, doc, value, err);
        if (st != WHET_OK)
            return st;
        roles[task->tensors[i].role]++;
    }
    if (roles[WHET_ROLE_IN] == 0 || roles[WHET_ROLE_OUT] == 0)
        return whet_yaml_error(doc, node, err,
                               "%u inputs and %u outputs, expected at least "
                               "one of each",
                               roles[WHET_ROLE_IN], roles[WHET_ROLE_OUT]);
    return WHET_OK;
}

/* --- scalars --- */

static whet_status read_scalar_dtype(void *dest, const whet_yaml *doc,
                                     const whet_yaml_node *node, whet_err *err)
{
    whet_scalar *scalar = ((struct part *)dest)->item;
    whet_status st = read_dtype(&scalar->dtype, doc, node, err);

    if (st == WHET_OK &&
        (scalar->dtype == WHET_DTYPE_F16 || scalar->dtype == WHET_DTYPE_BF16))
        return whet_yaml_error(doc, node, err,
                               "scalar of %s, expected f32, f64 or i32",
                               whet_dtype_name(scalar->dtype));
    return st;
}

static whet_status read_scalar_value(void *dest, const whet_yaml *doc,
                                     const whet_yaml_node *node, whet_err *err)
{
    whet_scalar *scalar = ((struct part *)dest)->item;
    int64_t integer;
    whet_status st;

    if (scalar->dtype == WHET_DTYPE_I32) {
        st = whet_yaml_i64(&integer, doc, node, INT32_MIN, INT32_MAX, err);
        if (st == WHET_OK)
            scalar->value = (double)integer;
        return st;
    }
    st = whet_yaml_f64(&scalar->value, doc, node, err);
    if (st != WHET_OK || scalar->dtype == WHET_DTYPE_F64)
        return st;
    if (fabs(scalar->value) > 0x1.fffffep127)
        return whet_yaml_error(doc, node, err,
                               "value is beyond f32, expected at most 3.4e38");
    /* What the kernel gets is what the reference must compute with. */
    scalar->value = (double)(float)scalar->value;
    return WHET_OK;
}

static const whet_yaml_field scalar_fields[] = {
    {"dtype", WHET_YAML_SCALAR, true, read_scalar_dtype},
    {"value", WHET_YAML_SCALAR, true, read_scalar_value},
};

static whet_status read_scalars(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    size_t count = whet_yaml_count(node);

    if (count > WHET_SCALAR_MAX)
        return whet_yaml_error(doc, node, err,
                               "%zu scalars, expected at most %d", count,
                               WHET_SCALAR_MAX);
    for (size_t i = 0; i < count; i++) {
        whet_scalar *scalar = &task->scalars[i];
        struct part part = {task, scalar};
        const whet_yaml_node *key_node, *value;
        const char *name;
        whet_status st;

        value = whet_yaml_entry(doc, node, i, &name, &key_node);
        st = check_identifier(task, name, doc, key_node, err);
        if (st != WHET_OK)
            return st;
        whet_strcopy(scalar->name, sizeof scalar->name, name);
        task->scalar_count++;
        st = whet_yaml_walk(&part, doc, value, scalar_fields,
                            WHET_COUNT_OF(scalar_fields), err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/* --- cost and numerics --- */

static whet_status read_ops(void *dest, const whet_yaml *doc,
                            const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;

    return whet_task__read_expr(&task->ops, task, doc, node, err);
}

static whet_status read_bytes(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;

    return whet_task__read_expr(&task->bytes, task, doc, node, err);
}

static const whet_yaml_field cost_fields[] = {
    {"ops", WHET_YAML_SCALAR, true, read_ops},
    {"bytes", WHET_YAML_SCALAR, false, read_bytes},
};

static whet_status read_cost(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    return whet_yaml_walk(dest, doc, node, cost_fields,
                          WHET_COUNT_OF(cost_fields), err);
}

static whet_status read_policy(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    static const char *const policies[] = {
        [WHET_POLICY_EXACT] = "exact", [WHET_POLICY_F64] = "f64",
        [WHET_POLICY_F32] = "f32",     [WHET_POLICY_TF32] = "tf32",
        [WHET_POLICY_BF16] = "bf16",   [WHET_POLICY_F16] = "f16",
        [WHET_POLICY_F8] = "f8",
    };
    whet_task *task = dest;
    unsigned policy = 0;
    whet_status st = read_choice(&policy, policies, WHET_COUNT_OF(policies),
                                 "policy", doc, node, err);

    task->numerics.policy = (whet_policy)policy;
    return st;
}

static whet_status read_class(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    static const char *const classes[] = {
        [WHET_CLASS_COPY] = "copy", [WHET_CLASS_MAP] = "map",
        [WHET_CLASS_DOT] = "dot",   [WHET_CLASS_SUM] = "sum",
        [WHET_CLASS_NORM] = "norm", [WHET_CLASS_EXP] = "exp",
    };
    whet_task *task = dest;
    unsigned op_class = 0;
    whet_status st = read_choice(&op_class, classes, WHET_COUNT_OF(classes),
                                 "class", doc, node, err);

    task->numerics.op_class = (whet_op_class)op_class;
    return st;
}

static whet_status read_length(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;

    return whet_task__read_expr(&task->numerics.length, task, doc, node, err);
}

static const whet_yaml_field numerics_fields[] = {
    {"policy", WHET_YAML_SCALAR, true, read_policy},
    {"class", WHET_YAML_SCALAR, true, read_class},
    {"length", WHET_YAML_SCALAR, false, read_length},
};

static whet_status read_numerics(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    whet_status st = whet_yaml_walk(dest, doc, node, numerics_fields,
                                    WHET_COUNT_OF(numerics_fields), err);

    if (st == WHET_OK && task->numerics.op_class >= WHET_CLASS_DOT &&
        task->numerics.length == NULL)
        return whet_yaml_error(doc, node, err,
                               "`length` is missing, expected the number of "
                               "terms that one output sums");
    return st;
}

/* --- baselines --- */

static whet_status read_baselines(void *dest, const whet_yaml *doc,
                                  const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    size_t count = whet_yaml_count(node);

    if (count > WHET_BASELINE_MAX)
        return whet_yaml_error(doc, node, err,
                               "%zu baselines, expected at most %d", count,
                               WHET_BASELINE_MAX);
    for (size_t i = 0; i < count; i++) {
        whet_baseline *baseline = &task->baselines[i];
        const whet_yaml_node *key_node, *value;
        const char *language, *file;
        whet_status st;

        value = whet_yaml_entry(doc, node, i, &language, &key_node);
        if (language == NULL || !whet_is_identifier(language, strlen(language)))
            return whet_yaml_error(doc, key_node, err,
                                   "no name of a language, expected opencl, "
                                   "cuda, hip, triton or another word");
        st = whet_yaml_str(&file, doc, value, err);
        if (st != WHET_OK)
            return st;
        if (file[0] == '\0' || file[0] == '/' || strstr(file, "..") != NULL)
            return whet_yaml_error(doc, value, err,
                                   "'%.128s' leaves the task's folder, "
                                   "expected a file inside it",
                                   file);
        whet_strcopy(baseline->language, sizeof baseline->language, language);
        baseline->path = whet_strdup(file);
        task->baseline_count++;
        if (baseline->path == NULL)
            return whet_err_set(err, WHET_ENOMEM, "baselines: out of memory");
    }
    return WHET_OK;
}

static const whet_yaml_field task_fields[] = {
    {"name", WHET_YAML_SCALAR, true, read_name},
    {"summary", WHET_YAML_SCALAR, true, read_summary},
    {"op", WHET_YAML_SCALAR, true, read_op},
    {"dims", WHET_YAML_SEQ, true, read_dims},
    {"tensors", WHET_YAML_MAP, true, read_tensors},
    {"scalars", WHET_YAML_MAP, false, read_scalars},
    {"cost", WHET_YAML_MAP, true, read_cost},
    {"numerics", WHET_YAML_MAP, true, read_numerics},
    {"edges", WHET_YAML_MAP, true, whet_task__read_edges},
    {"edge_where", WHET_YAML_SCALAR, false, whet_task__read_edge_where},
    {"workloads", WHET_YAML_MAP | WHET_YAML_SEQ, true,
     whet_task__read_workloads},
    {"baselines", WHET_YAML_MAP, false, read_baselines},
};

whet_status whet_task__parse(whet_task **out, const char *text, size_t bytes,
                             const char *where, whet_err *err)
{
    whet_yaml *doc = NULL;
    whet_task *task = calloc(1, sizeof *task);
    whet_status st;

    *out = NULL;
    if (task == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    st = whet_yaml_parse(&doc, text, bytes, where, 1, err);
    if (st != WHET_OK)
        goto out;
    if (whet_yaml_root(doc) == NULL) {
        st = whet_err_set(err, WHET_EINVAL,
                          "%s:1:1: empty file, expected a task", where);
        goto out;
    }
    st = whet_yaml_walk(task, doc, whet_yaml_root(doc), task_fields,
                        WHET_COUNT_OF(task_fields), err);
    if (st != WHET_OK)
        goto out;

    *out = task;
    task = NULL;
out:
    whet_yaml_free(doc);
    whet_task_free(task);
    return st;
}
