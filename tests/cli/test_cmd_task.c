/* `whet task list`, `whet task show`. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static const char yaml[] =
    "name: axpby\n"
    "summary: \"y = a x \\u001b\"\n"
    "op: axpby\n"
    "dims: [rows, {cols: i64}]\n"
    "tensors:\n"
    "  x: {role: in, dtype: f16, shape: [rows, 2 * cols], dist: heavy,\n"
    "      scale_log2: -3}\n"
    "  y: {role: out, dtype: f32, shape: [rows, 2 * cols]}\n"
    "scalars:\n"
    "  a: {dtype: f32, value: 0.5}\n"
    "cost: {ops: rows * cols}\n"
    "numerics: {policy: f32, class: map}\n"
    "workloads:\n"
    "  small: {rows: 3, cols: 8}\n"
    "  big: {rows: 300, cols: 800}\n"
    "edges:\n"
    "  rows: {min: 1, max: 7}\n"
    "  cols: {min: 1, max: 9}\n";

static int open_with_tasks(void **state)
{
    if (cli_kit_open(state) != 0)
        return -1;
    cli_kit_write(*state, "mine/axpby/task.yaml", yaml);
    cli_kit_write(*state, "mine/axpby/reference.c", "int x;\n");
    cli_kit_write(*state, "mine/broken/task.yaml", "name: [\n");
    cli_kit_write(*state, "mine/notes/readme", "no task\n");
    return 0;
}

static void test_cli_cmd_task__lists_the_shipped_tasks(void **state)
{
    static const char *const names[] = {"gemm", "reduce_sum", "rmsnorm",
                                        "softmax", "transpose"};
    json_t *json = cli_kit_json(*state, WORDS("task", "list", "--json"), 0);
    json_t *list = json_object_get(json, "tasks");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool is_there = false;

        for (size_t j = 0; j < json_array_size(list); j++)
            is_there |= strcmp(json_string_value(json_object_get(
                                   json_array_get(list, j), "name")),
                               names[i]) == 0;
        if (!is_there)
            fail_msg("%s is not listed", names[i]);
        cli_kit_expect(*state, WORDS("task", "list"), 0, names[i], NULL);
    }
    json_decref(json);
}

static void test_cli_cmd_task__a_broken_task_hides_no_other(void **state)
{
    cli_kit_expect(*state, WORDS("task", "list", "mine"), 2,
                   "axpby  axpby  rows, cols (i64)          2  y = a x \\x1b\n",
                   "mine/broken/task.yaml:");
}

static void test_cli_cmd_task__shows_what_is_asked(void **state)
{
    static const char *const parts[] = {
        "axpby: y = a x \\x1b\n",
        "Dims         rows, cols (i64)\n",
        "Scalars      a = 0.5 (f32)\n",
        "Operations   rows * cols\n",
        "Bytes        each tensor once\n",
        "Numerics     policy f32, class map, length 1\n",
        "Edge shapes  rows 1 to 7, cols 1 to 9\n",
        "x       in    f16    [rows, 2 * cols]  heavy, times 2^-3\n",
        "y       out   f32    [rows, 2 * cols]  -\n",
        /* 48 elements of 2 and of 4 bytes */
        "small     rows=3 cols=8              24    288 B    0.0833",
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cli_kit_expect(*state, WORDS("task", "show", "mine/axpby"), 0, parts[i],
                       NULL);
}

static void test_cli_cmd_task__shows_json(void **state)
{
    json_t *json =
        cli_kit_json(*state, WORDS("task", "show", "gemm", "--json"), 0);
    json_t *workloads = json_object_get(json, "workloads");
    json_t *first = json_array_get(workloads, 0);

    assert_true(json_array_size(workloads) >= 3);
    assert_int_equal(json_integer_value(json_object_get(first, "ops")),
                     INT64_C(2) * 1024 * 1024 * 1024);
    assert_int_equal(json_integer_value(json_object_get(first, "bytes")),
                     3 * 4 * 1024 * 1024);
    assert_true(json_real_value(json_object_get(first, "error_bound")) > 0);
    assert_int_equal(json_array_size(json_object_get(json, "tensors")), 3);
    assert_int_equal(json_array_size(json_object_get(json, "dims")), 3);
    json_decref(json);
}

static void test_cli_cmd_task__explains_what_is_wrong(void **state)
{
    cli_kit_expect(*state, WORDS("task", "show", "gem"), 2, NULL,
                   "did you mean 'gemm'");
    cli_kit_expect(*state, WORDS("task", "show", "mine/broken"), 2, NULL,
                   "task.yaml:");
    cli_kit_expect(*state, WORDS("task", "list", "absent"), 2, NULL, "absent");
    cli_kit_expect(*state, WORDS("task", "show"), 2, NULL, "whet: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_task__lists_the_shipped_tasks),
        cmocka_unit_test(test_cli_cmd_task__a_broken_task_hides_no_other),
        cmocka_unit_test(test_cli_cmd_task__shows_what_is_asked),
        cmocka_unit_test(test_cli_cmd_task__shows_json),
        cmocka_unit_test(test_cli_cmd_task__explains_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, open_with_tasks, cli_kit_close);
}
