/* `whet task list` and `whet task show`: what tasks there are and what one
 * asks for. */

#include "cli/cli.h"

#include "report/report.h"
#include "task/task.h"

#include <stdlib.h>
#include <string.h>

static const char *const dist_names[] = {
    [WHET_DIST_NORMAL] = "normal",     [WHET_DIST_UNIFORM] = "uniform",
    [WHET_DIST_POSITIVE] = "positive", [WHET_DIST_HEAVY] = "heavy",
    [WHET_DIST_MIXED] = "mixed",       [WHET_DIST_INTEGER] = "integer",
    [WHET_DIST_EXACT] = "exact",
};
static const char *const policy_names[] = {
    [WHET_POLICY_EXACT] = "exact", [WHET_POLICY_F64] = "f64",
    [WHET_POLICY_F32] = "f32",     [WHET_POLICY_TF32] = "tf32",
    [WHET_POLICY_BF16] = "bf16",   [WHET_POLICY_F16] = "f16",
    [WHET_POLICY_F8] = "f8",
};
static const char *const class_names[] = {
    [WHET_CLASS_COPY] = "copy", [WHET_CLASS_MAP] = "map",
    [WHET_CLASS_DOT] = "dot",   [WHET_CLASS_SUM] = "sum",
    [WHET_CLASS_NORM] = "norm", [WHET_CLASS_EXP] = "exp",
};

/* "M, N, K" with a mark at the 64-bit ones. */
static void add_dims(whet_buf *out, const whet_task *task)
{
    for (unsigned i = 0; i < task->dim_count; i++)
        whet_buf_printf(out, "%s%s%s", i > 0 ? ", " : "", task->dims[i].name,
                        task->dims[i].is_i64 ? " (i64)" : "");
}

static void add_shape(whet_buf *out, const whet_tensor *tensor)
{
    whet_buf_puts(out, "[");
    for (unsigned i = 0; i < tensor->rank; i++)
        whet_buf_printf(out, "%s%s", i > 0 ? ", " : "",
                        whet_expr_text(tensor->shape[i]));
    whet_buf_puts(out, "]");
}

/* --- list ---------------------------------------------------------------- */

static json_t *list_entry(const whet_task *task)
{
    json_t *dims = json_array();

    for (unsigned i = 0; dims != NULL && i < task->dim_count; i++)
        json_array_append_new(dims, json_string(task->dims[i].name));
    return json_pack("{s:s, s:s, s:o, s:i, s:o, s:o, s:s}", "name", task->name,
                     "op", task->op, "dims", dims, "workloads",
                     (int)task->workload_count, "summary",
                     whet_cli_json_text(task->summary), "folder",
                     whet_cli_json_text(task->dir), "hash", task->hash.text);
}

static void list_row(whet_table *table, const whet_task *task)
{
    whet_buf dims = {0};

    add_dims(&dims, task);
    whet_table_add_cell(table, "%s", task->name);
    whet_table_add_cell(table, "%s", task->op);
    whet_table_add_cell(table, "%s", whet_buf_str(&dims));
    whet_table_add_cell(table, "%u", task->workload_count);
    whet_table_add_cell(table, "%s", task->summary);
    whet_buf_deinit(&dims);
}

/* Lists what is fine and complains of the rest: one broken task must not hide
 * the others. */
static int list_folder(json_t *list, whet_table *table, const char *dir,
                       char *const *names)
{
    int status = 0;

    for (size_t i = 0; names[i] != NULL; i++) {
        char *path = whet_fs_join(dir, names[i]);
        char *file = path != NULL ? whet_fs_join(path, "task.yaml") : NULL;
        whet_task *task = NULL;
        whet_err err = {0};

        if (file != NULL && whet_fs_exists(file)) {
            if (whet_task_load(&task, path, &err) != WHET_OK) {
                status = whet_cli_fail(&err);
            } else {
                list_row(table, task);
                json_array_append_new(list, list_entry(task));
            }
        }
        whet_task_free(task);
        free(file);
        free(path);
    }
    return status;
}

static int run_list(const void *opts, const whet_args *args)
{
    static const whet_table_column columns[] = {
        {.title = "Task", .is_whole = true},
        {.title = "Op"},
        {.title = "Dims"},
        {.title = "Workloads", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Summary"},
    };
    const whet_cli_json_opts *my = opts;
    char *dir = args->count > 0 ? whet_strdup(args->items[0]) : NULL;
    json_t *list = json_array();
    char **names = NULL;
    whet_buf text = {0};
    whet_err err = {0};
    whet_status st = WHET_OK;
    whet_table table;
    int status, printed;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    if (dir == NULL)
        st = whet_fs_data_dir(&dir, "tasks", &err);
    if (st == WHET_OK)
        st = whet_fs_list(&names, dir, &err);
    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
        goto out;
    }
    status = list_folder(list, &table, dir, names);
    /* Where nothing is fine, the complaints are all there is to say. */
    if (status != 0 && json_array_size(list) == 0) {
        printed = 0;
    } else if (my->json) {
        printed = whet_cli_print_json(json_pack("{s:O}", "tasks", list));
    } else {
        whet_table_print(&text, &table);
        printed = whet_cli_print(&text);
    }
    status = printed != 0 ? printed : status;
out:
    whet_table_deinit(&table);
    json_decref(list);
    whet_fs_list_free(names);
    free(dir);
    return status;
}

/* --- show: people -------------------------------------------------------- */

static void show_tensors(whet_buf *out, const whet_task *task)
{
    static const whet_table_column columns[] = {
        {.title = "Tensor", .is_whole = true},
        {.title = "Role"},
        {.title = "Dtype"},
        {.title = "Shape"},
        {.title = "Values"},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < task->tensor_count; i++) {
        const whet_tensor *tensor = &task->tensors[i];
        bool is_in = tensor->role == WHET_ROLE_IN;
        whet_buf shape = {0};

        add_shape(&shape, tensor);
        whet_table_add_cell(&table, "%s", tensor->name);
        whet_table_add_cell(&table, "%s", is_in ? "in" : "out");
        whet_table_add_cell(&table, "%s", whet_dtype_name(tensor->dtype));
        whet_table_add_cell(&table, "%s", whet_buf_str(&shape));
        if (is_in && tensor->scale_log2 != 0)
            whet_table_add_cell(&table, "%s, times 2^%d",
                                dist_names[tensor->dist], tensor->scale_log2);
        else
            whet_table_add_cell(&table, "%s",
                                is_in ? dist_names[tensor->dist] : "");
        whet_buf_deinit(&shape);
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

/* Error bound of the first output, in units of the reference's scale. */
static whet_status bound_of(double *out, const whet_task *task,
                            const whet_workload *workload, whet_err *err)
{
    whet_dtype dtype = WHET_DTYPE_F32;

    for (unsigned i = task->tensor_count; i-- > 0;)
        if (task->tensors[i].role == WHET_ROLE_OUT)
            dtype = task->tensors[i].dtype;
    return whet_numerics_factor(out, task, workload, dtype, err);
}

static whet_status show_workloads(whet_buf *out, const whet_task *task,
                                  whet_err *err)
{
    static const whet_table_column columns[] = {
        {.title = "Workload", .is_whole = true},
        {.title = "Dims"},
        {.title = "Operations", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Bytes", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Ops/byte", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Error bound", .align = WHET_ALIGN_RIGHT, .is_whole = true},
    };
    whet_status st = WHET_OK;
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; st == WHET_OK && i < task->workload_count; i++) {
        const whet_workload *workload = &task->workloads[i];
        uint64_t ops = 0, bytes = 0;
        whet_buf size = {0};
        double bound = 0;
        char dims[256];

        st = whet_task_cost(&ops, &bytes, task, workload, err);
        if (st == WHET_OK)
            st = bound_of(&bound, task, workload, err);
        whet_workload_format(dims, sizeof dims, task, workload);
        whet_cli_add_bytes(&size, bytes);
        whet_table_add_cell(&table, "%s", workload->name);
        whet_table_add_cell(&table, "%s", dims);
        whet_table_add_cell(&table, "%.4g", (double)ops);
        whet_table_add_cell(&table, "%s", whet_buf_str(&size));
        whet_table_add_cell(&table, "%.3g",
                            bytes > 0 ? (double)ops / (double)bytes : 0);
        whet_table_add_cell(&table, "%.2e", bound);
        whet_buf_deinit(&size);
    }
    if (st == WHET_OK)
        whet_table_print(out, &table);
    whet_table_deinit(&table);
    return st;
}

static void show_edges(whet_buf *out, const whet_task *task)
{
    for (unsigned i = 0; i < task->dim_count; i++)
        whet_buf_printf(out, "%s%s %lld to %lld", i > 0 ? ", " : "",
                        task->dims[i].name, (long long)task->edges[i].min,
                        (long long)task->edges[i].max);
    if (task->edge_where != NULL)
        whet_buf_printf(out, ", where %s", whet_expr_text(task->edge_where));
    whet_buf_puts(out, "\n");
}

static void show_scalars(whet_buf *out, const whet_task *task)
{
    for (unsigned i = 0; i < task->scalar_count; i++)
        whet_buf_printf(out, "%s%s = %.9g (%s)", i > 0 ? ", " : "",
                        task->scalars[i].name, task->scalars[i].value,
                        whet_dtype_name(task->scalars[i].dtype));
    whet_buf_puts(out, task->scalar_count > 0 ? "\n" : "-\n");
}

static void add_line(whet_buf *out, const char *title, const char *text)
{
    whet_buf_printf(out, "%-13s", title);
    whet_buf_escape(out, text, strlen(text), false);
    whet_buf_puts(out, "\n");
}

static whet_status show(whet_buf *out, const whet_task *task, whet_err *err)
{
    const whet_numerics *numerics = &task->numerics;

    whet_buf_printf(out, "%s: ", task->name);
    whet_buf_escape(out, task->summary, strlen(task->summary), false);
    whet_buf_puts(out, "\n\n");
    add_line(out, "Op", task->op);
    whet_buf_printf(out, "%-13s", "Dims");
    add_dims(out, task);
    whet_buf_printf(out, "\n%-13s", "Scalars");
    show_scalars(out, task);
    add_line(out, "Operations", whet_expr_text(task->ops));
    add_line(out, "Bytes",
             task->bytes != NULL ? whet_expr_text(task->bytes)
                                 : "each tensor once");
    whet_buf_printf(
        out, "%-13spolicy %s, class %s, length %s\n", "Numerics",
        policy_names[numerics->policy], class_names[numerics->op_class],
        numerics->length != NULL ? whet_expr_text(numerics->length) : "1");
    whet_buf_printf(out, "%-13s", "Edge shapes");
    show_edges(out, task);
    for (unsigned i = 0; i < task->baseline_count; i++) {
        whet_buf_printf(out, "%-13s%s: ", i == 0 ? "Baselines" : "",
                        task->baselines[i].language);
        whet_buf_escape(out, task->baselines[i].path,
                        strlen(task->baselines[i].path), false);
        whet_buf_puts(out, "\n");
    }
    add_line(out, "Hash", task->hash.text);
    whet_buf_puts(out, "\n");
    show_tensors(out, task);
    whet_buf_puts(out, "\n");
    return show_workloads(out, task, err);
}

/* --- show: programs ------------------------------------------------------ */

static json_t *json_expr(const whet_expr *expr)
{
    return expr != NULL ? whet_cli_json_text(whet_expr_text(expr))
                        : json_null();
}

static json_t *json_dims(const whet_task *task)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < task->dim_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:I, s:I}", "name", task->dims[i].name,
                            "is_i64", (int)task->dims[i].is_i64, "edge_min",
                            (json_int_t)task->edges[i].min, "edge_max",
                            (json_int_t)task->edges[i].max));
    return list;
}

static json_t *json_tensors(const whet_task *task)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < task->tensor_count; i++) {
        const whet_tensor *tensor = &task->tensors[i];
        bool is_in = tensor->role == WHET_ROLE_IN;
        json_t *shape = json_array();

        for (unsigned j = 0; j < tensor->rank; j++)
            json_array_append_new(shape, json_expr(tensor->shape[j]));
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:i}", "name", tensor->name,
                      "role", is_in ? "in" : "out", "dtype",
                      whet_dtype_name(tensor->dtype), "shape", shape, "dist",
                      is_in ? json_string(dist_names[tensor->dist])
                            : json_null(),
                      "scale_log2", tensor->scale_log2));
    }
    return list;
}

static json_t *json_scalars(const whet_task *task)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < task->scalar_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o}", "name", task->scalars[i].name,
                            "dtype", whet_dtype_name(task->scalars[i].dtype),
                            "value", whet_json_number(task->scalars[i].value)));
    return list;
}

static json_t *json_baselines(const whet_task *task)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < task->baseline_count; i++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:o}", "language", task->baselines[i].language,
                      "path", whet_cli_json_text(task->baselines[i].path)));
    return list;
}

static json_t *json_workload(const whet_task *task,
                             const whet_workload *workload, whet_err *err)
{
    uint64_t ops = 0, bytes = 0;
    double bound = 0;
    json_t *dims;

    if (whet_task_cost(&ops, &bytes, task, workload, err) != WHET_OK ||
        bound_of(&bound, task, workload, err) != WHET_OK)
        return NULL;
    dims = json_object();
    for (unsigned i = 0; i < task->dim_count; i++)
        whet_json_set(dims, task->dims[i].name,
                      json_integer((json_int_t)workload->dim[i]));
    return json_pack("{s:s, s:o, s:I, s:I, s:o}", "name", workload->name,
                     "dims", dims, "ops", (json_int_t)ops, "bytes",
                     (json_int_t)bytes, "error_bound", whet_json_number(bound));
}

static whet_status show_json(json_t **out, const whet_task *task, whet_err *err)
{
    const whet_numerics *numerics = &task->numerics;
    json_t *workloads = json_array();

    *out = NULL;
    for (unsigned i = 0; i < task->workload_count; i++) {
        json_t *entry = json_workload(task, &task->workloads[i], err);

        if (entry == NULL && err->code != WHET_OK) {
            json_decref(workloads);
            return err->code;
        }
        json_array_append_new(workloads, entry);
    }
    *out = json_pack(
        "{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:o}, s:o,"
        " s:o, s:o, s:o}",
        "name", task->name, "op", task->op, "summary",
        whet_cli_json_text(task->summary), "folder",
        whet_cli_json_text(task->dir), "hash", task->hash.text, "dims",
        json_dims(task), "edge_where", json_expr(task->edge_where), "tensors",
        json_tensors(task), "scalars", json_scalars(task), "numerics", "policy",
        policy_names[numerics->policy], "class",
        class_names[numerics->op_class], "length", json_expr(numerics->length),
        "ops", json_expr(task->ops), "bytes", json_expr(task->bytes),
        "workloads", workloads, "baselines", json_baselines(task));
    return WHET_OK;
}

static int run_show(const void *opts, const whet_args *args)
{
    const whet_cli_json_opts *my = opts;
    whet_task *task = NULL;
    json_t *json = NULL;
    whet_buf text = {0};
    whet_err err = {0};
    whet_status st = whet_task_load(&task, args->items[0], &err);
    int status;

    if (st == WHET_OK)
        st = my->json ? show_json(&json, task, &err) : show(&text, task, &err);
    if (st != WHET_OK)
        status = whet_cli_fail(&err);
    else
        status = my->json ? whet_cli_print_json(json) : whet_cli_print(&text);
    whet_buf_deinit(&text);
    whet_task_free(task);
    return status;
}

static const whet_opt json_only[] = {WHET_CLI_OPT_JSON(whet_cli_json_opts)};

const whet_command whet_cmd_task_list = {
    .name = "task list",
    .usage = "[DIR]",
    .summary = "List the shipped tasks, or those in a folder",
    .detail =
        "A task that cannot be loaded is reported, and the exit status is 2; "
        "the others\n"
        "are listed all the same.\n"
        "JSON: {tasks: [{name, op, dims, workloads, summary, folder, hash}]}.",
    .opts = json_only,
    .opt_count = 1,
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 0,
    .max_args = 1,
    .run = run_list,
};

const whet_command whet_cmd_task_show = {
    .name = "task show",
    .usage = "TASK",
    .summary = "Show what a task asks for: tensors, workloads, error bounds",
    .detail =
        "TASK is the name of a shipped task or a folder with task.yaml. The "
        "error bound\n"
        "is in units of the magnitudes that the reference gives for each "
        "element\n"
        "(docs/judging.md).\n"
        "JSON: {name, op, summary, folder, hash, dims: [{name, is_i64, "
        "edge_min,\n"
        "edge_max}], edge_where, tensors: [{name, role, dtype, shape, dist,\n"
        "scale_log2}], scalars: [{name, dtype, value}], numerics: {policy, "
        "class,\n"
        "length}, ops, bytes, workloads: [{name, dims, ops, bytes, "
        "error_bound}],\n"
        "baselines: [{language, path}]}; formulas are text.",
    .opts = json_only,
    .opt_count = 1,
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run_show,
};
