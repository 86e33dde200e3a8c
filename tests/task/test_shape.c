/* Extents, costs, workloads from text, hidden edge shapes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_kit.h"

#include <stdlib.h>
#include <string.h>

static void test_task_shape__gives_extents_and_cost(void **state)
{
    whet_task *task = task_kit_parse(task_kit_yaml);
    whet_extent extent;
    uint64_t ops, bytes;

    (void)state;
    assert_int_equal(
        whet_task_extent(&extent, task, &task->workloads[0], 0, NULL), WHET_OK);
    assert_int_equal(extent.shape[0], 64);
    assert_int_equal(extent.element_count, 6400);
    assert_int_equal(extent.bytes, 25600);
    assert_int_equal(extent.row_elements, 100);
    assert_int_equal(extent.row_count, 64);
    assert_int_equal(
        whet_task_cost(&ops, &bytes, task, &task->workloads[0], NULL), WHET_OK);
    assert_int_equal(ops, 3 * 6400);
    /* Each tensor once, since `cost.bytes` is not given. */
    assert_int_equal(bytes, 4 * (6400 + 100 + 6400));
    whet_task_free(task);
}

static void test_task_shape__refuses_bad_sizes(void **state)
{
    char *text = task_kit_edit(task_kit_yaml, "shape: [cols]",
                               "shape: [\"cols - 4\", 4611686018427387904]");
    whet_err err = {0};
    whet_task *task = NULL;
    whet_extent extent;
    whet_workload workload = {.dim = {1, 3}};

    (void)state;
    assert_int_equal(whet_task__parse(&task, text, strlen(text), "kit", &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "shape of 'w': overflow"));
    free(text);

    text =
        task_kit_edit(task_kit_yaml, "shape: [cols]", "shape: [\"cols - 4\"]");
    task = task_kit_parse(text);
    assert_int_equal(whet_task_extent(&extent, task, &workload, 1, &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, "shape of 'w': `cols - 4` is -1, expected at "
                                 "least 1");
    whet_task_free(task);
    free(text);
}

static void test_task_shape__finds_workloads(void **state)
{
    static const struct {
        const char *text;
        int64_t rows, cols;
    } good[] = {
        {"first", 64, 100},       {"second", 3, 5},
        {"0", 64, 100},           {"1", 3, 5},
        {"rows=7,cols=9", 7, 9},  {"cols=9 rows=7", 7, 9},
        {"rows=7, cols=9", 7, 9}, {"cols=3000000000,rows=1", 1, 3000000000}};
    whet_task *task = task_kit_parse(task_kit_yaml);
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        whet_workload workload;

        assert_int_equal(
            whet_task_workload(&workload, task, good[i].text, NULL), WHET_OK);
        assert_int_equal(workload.dim[0], good[i].rows);
        assert_int_equal(workload.dim[1], good[i].cols);
        assert_true(workload.name[0] != '\0');
    }
    whet_workload_format(text, sizeof text, task, &task->workloads[0]);
    assert_string_equal(text, "rows=64 cols=100");
    whet_workload_format(text, 6, task, &task->workloads[0]);
    assert_string_equal(text, "rows=");
    whet_task_free(task);
}

static void test_task_shape__refuses_unknown_workloads(void **state)
{
    static const struct {
        const char *text, *want;
    } bad[] = {
        {"third", "expected one of first, second, or rows=SIZE"},
        {"2", "has no workload '2'"},
        {"", "has no workload ''"},
        {"rows=1", "dim 'cols' is unbound"},
        {"rows=1,rows=2", "'rows' is bound twice"},
        {"rows=1,kols=2",
         "'kols' is no dim of task 'kit', expected rows, cols"},
        {"rows=0,cols=1", "size '0'"},
        {"rows=-1,cols=1", "size '-1'"},
        {"rows=1x,cols=1", "size '1x'"},
        {"rows=,cols=1", "size ''"},
        {"rows=1,cols", "'cols', expected DIM=SIZE"},
        {"rows=99999999999999999999,cols=1", "size '99999999999999999999'"},
        {"rows=3000000000,cols=1", "rows = 3000000000, expected 1 to"},
        {"rows=200000,cols=200000", "more than 64 GiB"},
    };
    whet_task *task = task_kit_parse(task_kit_yaml);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        whet_workload workload;
        whet_err err = {0};

        assert_int_equal(whet_task_workload(&workload, task, bad[i].text, &err),
                         WHET_EINVAL);
        if (strstr(err.msg, bad[i].want) == NULL)
            fail_msg("'%s': got '%s'", bad[i].text, err.msg);
        assert_int_equal(workload.dim[0], 0);
    }
    whet_task_free(task);
}

static void test_task_shape__draws_awkward_edges(void **state)
{
    whet_task *task = task_kit_parse(task_kit_yaml);
    bool has_rows[10] = {false};
    whet_workload workload, other;
    whet_key key = {{1, 2, 3, 4}}, next = {{1, 2, 3, 5}};
    unsigned different = 0;

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(
            whet_task_edge_workload(&workload, task, &key, i, NULL), WHET_OK);
        assert_in_range(workload.dim[0], 1, 9);
        assert_in_range(workload.dim[1], 2, 70);
        assert_int_equal(workload.dim[1] % 2, 0);
        has_rows[workload.dim[0]] = true;
        if (i == 0)
            assert_true(workload.dim[0] == 1 && workload.dim[1] == 2);
        assert_int_equal(whet_task_edge_workload(&other, task, &key, i, NULL),
                         WHET_OK);
        assert_memory_equal(other.dim, workload.dim, sizeof other.dim);
        assert_int_equal(whet_task_edge_workload(&other, task, &next, i, NULL),
                         WHET_OK);
        different += memcmp(other.dim, workload.dim, sizeof other.dim) != 0;
    }
    for (unsigned i = 1; i <= 9; i++)
        assert_true(has_rows[i]);
    assert_true(different > 150);
    whet_task_free(task);
}

static void test_task_shape__says_when_edges_are_impossible(void **state)
{
    char *text =
        task_kit_edit(task_kit_yaml, "cols % 2 == 0", "cols > rows + 100");
    whet_task *task = task_kit_parse(text);
    whet_key key = {{1, 2, 3, 4}};
    whet_workload workload;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_task_edge_workload(&workload, task, &key, 0, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "no hidden shape found"));
    whet_task_free(task);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_shape__gives_extents_and_cost),
        cmocka_unit_test(test_task_shape__refuses_bad_sizes),
        cmocka_unit_test(test_task_shape__finds_workloads),
        cmocka_unit_test(test_task_shape__refuses_unknown_workloads),
        cmocka_unit_test(test_task_shape__draws_awkward_edges),
        cmocka_unit_test(test_task_shape__says_when_edges_are_impossible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
