/* Admission tests: good tasks pass, and each way a task can fail to tell a
 * cheat apart is seen. Needs a C compiler, as the build does. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    char *cache = NULL;

    assert_int_equal(whet_fs_tempdir(&cache, "whet-test-cache", NULL), WHET_OK);
    setenv("WHET_CACHE_DIR", cache, 1);
    *state = cache;
    return 0;
}

static int tear_down(void **state)
{
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

static whet_status check(whet_admission *results, unsigned *count,
                         const char *yaml, const char *reference, whet_err *err)
{
    char *dir = task_kit_folder(yaml, reference);
    whet_task *task = task_kit_load(dir);
    whet_status st = whet_task_check(results, count, task, err);

    whet_task_free(task);
    whet_fs_remove_tree(dir);
    free(dir);
    return st;
}

static const whet_admission *find(const whet_admission *results, unsigned count,
                                  const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(results[i].name, name) == 0)
            return &results[i];
    }
    fail_msg("no result '%s'", name);
    return NULL;
}

static void test_task_admission__passes_a_good_task(void **state)
{
    whet_admission results[WHET_ADMISSION_MAX];
    whet_err err = {0};
    unsigned count;

    (void)state;
    assert_int_equal(
        check(results, &count, task_kit_yaml, task_kit_reference, &err),
        WHET_OK);
    /* no-op, zeros, constant; 3 each for x and w; a, b; copy and mean of x;
     * mean of w. */
    assert_int_equal(count, 3 + 6 + 2 + 3);
    for (unsigned i = 0; i < count; i++) {
        if (!results[i].is_told_apart)
            fail_msg("%s: %g", results[i].name, results[i].worst_error);
        assert_true(results[i].worst_error > 1.0);
    }
    assert_true(isinf(find(results, count, "no-op in y")->worst_error));
}

static void test_task_admission__sees_an_ignored_operand(void **state)
{
    char *source =
        task_kit_edit(task_kit_reference, "t->b * t->w[c]", "t->b * 1.0");
    whet_admission results[WHET_ADMISSION_MAX];
    unsigned count;

    (void)state;
    assert_int_equal(check(results, &count, task_kit_yaml, source, NULL),
                     WHET_OK);
    assert_false(find(results, count, "operand w replaced")->is_told_apart);
    assert_false(
        find(results, count, "operand w taken as ones")->is_told_apart);
    assert_true(find(results, count, "operand x replaced")->is_told_apart);
    assert_true(find(results, count, "scalar b changed")->is_told_apart);
    free(source);
}

static void test_task_admission__sees_a_collapsed_answer(void **state)
{
    /* A bound as wide as the answer: zeros pass. */
    char *source = task_kit_edit(task_kit_reference, "fabs(x) + fabs(w)",
                                 "1e9 * (fabs(x) + fabs(w))");
    whet_admission results[WHET_ADMISSION_MAX];
    unsigned count;

    (void)state;
    assert_int_equal(check(results, &count, task_kit_yaml, source, NULL),
                     WHET_OK);
    assert_false(find(results, count, "zeros in y")->is_told_apart);
    assert_true(find(results, count, "no-op in y")->is_told_apart);
    free(source);
}

static void test_task_admission__sees_a_pass_through(void **state)
{
    char *source = task_kit_edit(task_kit_reference, "value[c] = x + w;",
                                 "value[c] = t->x[row * t->cols + c];");
    whet_admission results[WHET_ADMISSION_MAX];
    unsigned count;

    (void)state;
    assert_int_equal(check(results, &count, task_kit_yaml, source, NULL),
                     WHET_OK);
    assert_false(find(results, count, "copy of x in y")->is_told_apart);
    assert_true(find(results, count, "copy of x in y")->worst_error == 0.0);
    free(source);
}

static const char dot_yaml[] =
    "name: kit\n"
    "summary: Product\n"
    "op: gemm\n"
    "dims: [m, k]\n"
    "tensors:\n"
    "  a: {role: in, dtype: f32, shape: [m, k], dist: DIST}\n"
    "  b: {role: in, dtype: f32, shape: [k, 32], dist: DIST}\n"
    "  c: {role: out, dtype: f32, shape: [m, 32]}\n"
    "cost: {ops: 64 * m * k}\n"
    "numerics: {policy: f32, class: dot, length: k}\n"
    "workloads: {first: {m: 64, k: 2000}}\n"
    "edges: {m: {min: 1, max: 40}, k: {min: 1, max: 100}}\n";

static const char dot_reference[] =
    "#include \"whet_task.h\"\n"
    "#include <math.h>\n"
    "void reference_c(const struct whet_args *t, long row, double *value,\n"
    "                 double *scale)\n"
    "{\n"
    "    for (long j = 0; j < 32; j++) {\n"
    "        double s = 0.0, q = 0.0;\n"
    "        for (long k = 0; k < t->k; k++) {\n"
    "            double p = t->a[row * t->k + k] * t->b[k * 32 + j];\n"
    "            s += p;\n"
    "            q += p * p;\n"
    "        }\n"
    "        value[j] = s;\n"
    "        scale[j] = sqrt(q / 2.0 + s * s / 3.0);\n"
    "    }\n"
    "}\n";

/* The bound of |A||B| in place of one that follows the partial sums, 100 times
 * as long. */
static void
test_task_admission__sees_data_that_hides_narrow_operands(void **state)
{
    static const char *const rounded[] = {"operand a rounded to tf32",
                                          "operand b rounded to tf32"};
    char *half = task_kit_edit(dot_yaml, "DIST", "normal");
    char *normal = task_kit_edit(half, "DIST", "normal");
    char *reduced = task_kit_edit(normal, "policy: f32", "policy: tf32");
    char *loose =
        task_kit_edit(dot_reference, "scale[j] = ", "scale[j] = 500.0 * ");
    whet_admission results[WHET_ADMISSION_MAX];
    unsigned count;

    (void)state;
    assert_int_equal(check(results, &count, normal, dot_reference, NULL),
                     WHET_OK);
    for (unsigned i = 0; i < count; i++)
        assert_true(results[i].is_told_apart);
    assert_true(find(results, count, rounded[0])->worst_error > 10.0);
    assert_true(
        find(results, count, "honest f32, 10x from narrow")->worst_error < 0.6);
    assert_int_equal(check(results, &count, normal, loose, NULL), WHET_OK);
    for (int i = 0; i < 2; i++)
        assert_false(find(results, count, rounded[i])->is_told_apart);
    /* The policy allows tf32: the next one is bf16. */
    assert_int_equal(check(results, &count, reduced, dot_reference, NULL),
                     WHET_OK);
    assert_true(
        find(results, count, "operand a rounded to bf16")->is_told_apart);
    free(half);
    free(normal);
    free(reduced);
    free(loose);
}

/* A scale so small that plain f32 is refused. */
static void
test_task_admission__sees_bounds_that_honest_f32_exceeds(void **state)
{
    char *half = task_kit_edit(dot_yaml, "DIST", "mixed");
    char *mixed = task_kit_edit(half, "DIST", "normal");
    char *tight =
        task_kit_edit(dot_reference, "scale[j] = ", "scale[j] = 0.01 * ");
    whet_admission results[WHET_ADMISSION_MAX];
    const whet_admission *honest;
    unsigned count;

    (void)state;
    assert_int_equal(check(results, &count, mixed, tight, NULL), WHET_OK);
    honest = find(results, count, "honest f32, 10x from narrow");
    assert_false(honest->is_told_apart);
    assert_true(honest->worst_error > 1.0);
    free(half);
    free(mixed);
    free(tight);
}

static void assert_check_fails(const char *yaml, const char *from,
                               const char *to, const char *want)
{
    char *source = task_kit_edit(task_kit_reference, from, to);
    whet_admission results[WHET_ADMISSION_MAX];
    unsigned count = 9;
    whet_err err = {0};

    assert_int_equal(check(results, &count, yaml, source, &err), WHET_EINVAL);
    assert_int_equal(count, 0);
    if (strstr(err.msg, want) == NULL)
        fail_msg("got '%s', expected '%s'", err.msg, want);
    free(source);
}

static void test_task_admission__refuses_useless_references(void **state)
{
    char *half = task_kit_edit(task_kit_yaml, "y: {role: out, dtype: f32",
                               "y: {role: out, dtype: f16");
    char *edges =
        task_kit_edit(task_kit_yaml, "cols % 2 == 0", "cols > rows + 100");

    (void)state;
    assert_check_fails(task_kit_yaml, "x + w;", "x / 0.0;",
                       "reference_y gives");
    assert_check_fails(task_kit_yaml, "x + w;", "sqrt(-1.0);", "value");
    assert_check_fails(task_kit_yaml, "value[c] = x + w;", "", "value");
    assert_check_fails(task_kit_yaml, "= fabs(x) + fabs(w)", "= -1.0",
                       "scale of at least 0");
    assert_check_fails(half, "x + w;", "70000.0;", "within f16");
    assert_check_fails(edges, "x + w;", "w + x;", "no hidden shape found");
    free(half);
    free(edges);
}

static void test_task_admission__refuses_large_smallest_workloads(void **state)
{
    char *yaml = task_kit_edit(task_kit_yaml,
                               "  first: {rows: 64, cols: 100}\n"
                               "  second: {rows: 3, cols: 5}\n",
                               "  first: {rows: 20000, cols: 20000}\n");

    (void)state;
    assert_check_fails(yaml, "x + w;", "w + x;",
                       "workload 'first' takes 3.0 GiB");
    free(yaml);
}

static void test_task_admission__shipped_small_tasks_pass(void **state)
{
    static const char *const names[] = {"gemm", "reduce_sum"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        whet_admission results[WHET_ADMISSION_MAX];
        whet_task *task = task_kit_load(names[i]);
        whet_err err = {0};
        unsigned count;

        if (whet_task_check(results, &count, task, &err) != WHET_OK)
            fail_msg("%s", err.msg);
        for (unsigned j = 0; j < count; j++) {
            if (!results[j].is_told_apart)
                fail_msg("%s: %s: %g", names[i], results[j].name,
                         results[j].worst_error);
        }
        whet_task_free(task);
    }
}

/* The text of the next block that opens with `fence`; moves *at behind it. */
static char *next_block(const char **at, const char *fence)
{
    const char *begin = strstr(*at, fence);
    const char *end;

    assert_non_null(begin);
    begin += strlen(fence);
    end = strstr(begin, "```\n");
    assert_non_null(end);
    *at = end + 4;
    return whet_asprintf("%.*s", (int)(end - begin), begin);
}

/* The page that teaches writing a task must teach one that works. */
static void test_task_admission__the_documented_task_passes(void **state)
{
    char *path = whet_fs_join(getenv("WHET_DATA_DIR"), "docs/write-a-task.md");
    whet_admission results[WHET_ADMISSION_MAX];
    whet_buf page = {0};
    char *yaml, *plain, *source;
    const char *at;
    unsigned count;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_fs_read(&page, path, 1 << 20, NULL), WHET_OK);
    at = whet_buf_str(&page);
    yaml = next_block(&at, "```yaml\n");
    source = next_block(&at, "```c\n");
    /* The baseline is the candidate room's to check. */
    plain =
        task_kit_edit(yaml, "baselines:\n  opencl: baselines/opencl.cl\n", "");
    if (check(results, &count, plain, source, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    for (unsigned i = 0; i < count; i++) {
        if (!results[i].is_told_apart)
            fail_msg("%s: %g", results[i].name, results[i].worst_error);
    }
    whet_buf_deinit(&page);
    free(path);
    free(yaml);
    free(plain);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_admission__passes_a_good_task),
        cmocka_unit_test(test_task_admission__sees_an_ignored_operand),
        cmocka_unit_test(test_task_admission__sees_a_collapsed_answer),
        cmocka_unit_test(test_task_admission__sees_a_pass_through),
        cmocka_unit_test(
            test_task_admission__sees_data_that_hides_narrow_operands),
        cmocka_unit_test(
            test_task_admission__sees_bounds_that_honest_f32_exceeds),
        cmocka_unit_test(test_task_admission__refuses_useless_references),
        cmocka_unit_test(test_task_admission__refuses_large_smallest_workloads),
        cmocka_unit_test(test_task_admission__shipped_small_tasks_pass),
        cmocka_unit_test(test_task_admission__the_documented_task_passes),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
