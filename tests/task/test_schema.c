/* task.yaml: what is read, and where each complaint points. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_kit.h"

#include <stdlib.h>
#include <string.h>

static void test_task_schema__reads_every_part(void **state)
{
    whet_task *task = task_kit_parse(task_kit_yaml);

    (void)state;
    assert_string_equal(task->name, "kit");
    assert_string_equal(task->op, "axpby");
    assert_string_equal(task->summary, "Test task");
    assert_int_equal(task->dim_count, 2);
    assert_false(task->dims[0].is_i64);
    assert_true(task->dims[1].is_i64);
    assert_int_equal(task->tensor_count, 3);
    assert_string_equal(task->tensors[1].name, "w");
    assert_int_equal(task->tensors[1].dist, WHET_DIST_UNIFORM);
    assert_int_equal(task->tensors[2].role, WHET_ROLE_OUT);
    assert_int_equal(task->tensors[2].rank, 2);
    assert_int_equal(task->scalar_count, 2);
    /* The kernel gets a float; the reference must compute with the same. */
    assert_true(task->scalars[0].value == (double)0.1f);
    assert_true(task->scalars[1].value == -3.0);
    assert_int_equal(task->workload_count, 2);
    assert_string_equal(task->workloads[0].name, "first");
    assert_int_equal(task->workloads[0].dim[1], 100);
    assert_int_equal(task->edges[1].min, 2);
    assert_int_equal(task->edges[1].max, 70);
    assert_non_null(task->edge_where);
    assert_null(task->bytes);
    assert_int_equal(task->numerics.op_class, WHET_CLASS_MAP);
    whet_task_free(task);
}

static void test_task_schema__reads_workloads_from_a_list(void **state)
{
    char *text = task_kit_edit(task_kit_yaml,
                               "  first: {rows: 64, cols: 100}\n"
                               "  second: {rows: 3, cols: 5}\n",
                               "  - {rows: 64, cols: 100}\n"
                               "  - {cols: 5, rows: 3}\n");
    whet_task *task = task_kit_parse(text);

    (void)state;
    assert_string_equal(task->workloads[0].name, "rows-64-cols-100");
    assert_int_equal(task->workloads[1].dim[0], 3);
    whet_task_free(task);
    free(text);
}

/* Each edit must give exactly this complaint. */
static const struct {
    const char *from, *to, *want;
} edits[] = {
    {"name: kit", "name: a/b", "kit:1:7: 'a/b' is no name"},
    {"op: axpby\n", "", "op"},
    {"op: axpby", "opp: axpby", "kit:3:1: unknown key 'opp', did you mean"},
    {"[rows, {cols: i64}]", "[]", "kit:4:7: 0 dims, expected 1 to 12"},
    {"[rows, {cols: i64}]", "[rows, rows]", "kit:4:14: 'rows' is named twice"},
    {"[rows, {cols: i64}]", "[rows, min]", "'min' is a reserved word"},
    {"[rows, {cols: i64}]", "[rows, 3x]", "'3x' is no identifier"},
    {"{cols: i64}", "{cols: i46}",
     "unknown width of a dim 'i46', expected one of i32, i64"},
    {"{cols: i64}", "{cols: i64, n: i32}", "a dim has one name"},
    {"  x: {", "  rows: {", "kit:6:3: 'rows' is named twice"},
    {"role: in,", "role: inn,", "kit:6:13: unknown role 'inn', did you mean"},
    {"dtype: f32", "dtype: f33", "kit:6:24: unknown dtype 'f33', did you"},
    {"dtype: f32", "dtype: float", "expected f64, f32, f16, bf16 or i32"},
    {"dtype: f32", "dtype: i32", "`dist: normal` for i32, expected integer"},
    {"dtype: f32, shape: [rows, cols], dist: normal",
     "dtype: f16, shape: [rows, cols], dist: exact",
     "`dist: exact` for f16, expected dtype f32"},
    {"shape: [rows, cols]", "shape: []", "shape of 0 sizes, expected 1 to 6"},
    {"shape: [rows, cols]", "shape: [rows, colz]",
     "kit:6:43: 'colz' is no dim, did you mean 'cols'?"},
    {"shape: [rows, cols]", "shape: [rows, \"2 +\"]",
     "kit:6:44: expression: column 4"},
    {"dist: normal", "dist: gauss", "unknown distribution 'gauss', expected"},
    {"dist: normal", "dist: normal, scale_log2: 21", "kit:6:"},
    {"[rows, cols]}\n", "[rows, cols], dist: normal}\n",
     "kit:8:57: an output has no `dist`"},
    {"role: out", "role: in", "3 inputs and 0 outputs, expected at least"},
    {"dtype: f32, value: 0.1", "dtype: f16, value: 0.1", "scalar of f16"},
    {"value: 0.1", "value: 1e39", "kit:10:26: value is beyond f32"},
    {"value: -3", "value: 2.5", "kit:11:26:"},
    {"class: map", "class: dot", "`length` is missing"},
    {"class: map", "class: map, length: q", "'q' is no dim"},
    {"policy: f32", "policy: fp32", "unknown policy 'fp32', did you mean"},
    {"cols: 100}", "cols: 0}", "kit:15:"},
    {"{rows: 64, cols: 100}", "{rows: 64}", "kit:15:10: dim 'cols' is unbound"},
    {"{rows: 64, cols: 100}", "{rows: 64, colz: 1}",
     "kit:15:21: 'colz' is no dim, did you mean 'cols'?"},
    {"{rows: 64, cols: 100}", "{rows: 2147483648, cols: 1}", "kit:15:17:"},
    {"{rows: 64, cols: 100}", "{rows: 64, cols: 9000000000000000000}",
     "kit:15:10: workload 'first': shape of 'x': overflow"},
    {"{rows: 64, cols: 100}", "{rows: 200000, cols: 200000}",
     "tensors take more than 64 GiB"},
    {"  second: ", "  \"a b\": ", "'a b' is no name"},
    {"{rows: 3, cols: 5}", "7", "a workload is no mapping"},
    {"  rows: {min: 1, max: 9}\n", "", "no edges for dim 'rows'"},
    {"{min: 1, max: 9}", "{min: 5, max: 4}", "kit:18:"},
    {"edge_where: cols % 2 == 0", "edge_where: cols %",
     "kit:20:13: expression"},
    {"{ops: 3 * rows * cols}", "{ops: rows - 2 * cols}",
     "cost.ops is -136, expected 0 or more"},
    {"{ops: 3 * rows * cols}", "{ops: rows, bytes: 0}", "cost.bytes is 0"},
    {"edge_where:", "baselines: {opencl: ../x.cl}\nedge_where:",
     "'../x.cl' leaves the task's folder"},
    {"edge_where:", "baselines: {opencl: /etc/x}\nedge_where:",
     "'/etc/x' leaves the task's folder"},
};

static void test_task_schema__points_at_mistakes(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        char *text = task_kit_edit(task_kit_yaml, edits[i].from, edits[i].to);
        whet_err err = {0};
        whet_task *task = (whet_task *)1;

        assert_int_equal(
            whet_task__parse(&task, text, strlen(text), "kit", &err),
            WHET_EINVAL);
        assert_null(task);
        if (strstr(err.msg, edits[i].want) == NULL ||
            strncmp(err.msg, "kit:", 4) != 0) {
            print_error("edit %zu: got '%s', expected '%s'\n", i, err.msg,
                        edits[i].want);
            wrong++;
        }
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void test_task_schema__refuses_empty_and_binary_text(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } texts[] = {{"", 0},
                 {"# only a comment\n", 17},
                 {"\0\1\2", 3},
                 {"[1, 2]", 6},
                 {"{", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        whet_err err = {0};
        whet_task *task = NULL;

        assert_int_equal(
            whet_task__parse(&task, texts[i].text, texts[i].bytes, "kit", &err),
            WHET_EINVAL);
        assert_null(task);
        assert_true(err.msg[0] != '\0');
    }
}

static void test_task_schema__limits_counts(void **state)
{
    whet_buf text = {0};
    whet_err err = {0};
    whet_task *task = NULL;

    (void)state;
    whet_buf_puts(&text,
                  "name: many\nsummary: s\nop: o\ndims: [n]\ntensors:\n");
    for (int i = 0; i <= WHET_TENSOR_MAX; i++)
        whet_buf_printf(&text, "  t%d: {role: in, dtype: f32, shape: [n]}\n",
                        i);
    whet_buf_puts(&text, "cost: {ops: n}\nnumerics: {policy: f32, class: map}\n"
                         "workloads: [{n: 1}]\nedges: {n: {min: 1, max: 2}}\n");
    assert_int_equal(
        whet_task__parse(&task, whet_buf_str(&text), text.bytes, "kit", &err),
        WHET_EINVAL);
    assert_non_null(strstr(err.msg, "13 tensors, expected at most 12"));
    whet_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_schema__reads_every_part),
        cmocka_unit_test(test_task_schema__reads_workloads_from_a_list),
        cmocka_unit_test(test_task_schema__points_at_mistakes),
        cmocka_unit_test(test_task_schema__refuses_empty_and_binary_text),
        cmocka_unit_test(test_task_schema__limits_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
