/* `whet task check`: 0 fit, 1 too weak, 2 malformed, 3 no compiler; and how
 * `whet task compile` mends the last. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

/* y = x + WEIGHT * w: with a weight of 0 no check can see whether a kernel
 * reads w. */
#define YAML(extra)                                                            \
    "name: blend\nsummary: blend\nop: blend\ndims: [n]\n"                      \
    "tensors:\n"                                                               \
    "  x: {role: in, dtype: f32, shape: [n], dist: normal}\n"                  \
    "  w: {role: in, dtype: f32, shape: [n], dist: normal}\n"                  \
    "  y: {role: out, dtype: f32, shape: [n]}\n"                               \
    "cost: {ops: 2 * n}\n"                                                     \
    "numerics: {policy: f32, class: map}\n"                                    \
    "workloads: {one: {n: 256}, two: {n: 512}, three: {n: 1000}}\n"            \
    "edges: {n: {min: 1, max: 64}}\n" extra

#define REFERENCE(weight)                                                      \
    "#include \"whet_task.h\"\n"                                               \
    "#include <math.h>\n"                                                      \
    "void reference_y(const struct whet_args *t, long row, double *value,\n"   \
    "                 double *scale)\n"                                        \
    "{\n"                                                                      \
    "    (void)row;\n"                                                         \
    "    for (long i = 0; i < t->n; i++) {\n"                                  \
    "        value[i] = (double)t->x[i] + " weight " * (double)t->w[i];\n"     \
    "        scale[i] = fabs((double)t->x[i]) +\n"                             \
    "                   fabs(" weight " * (double)t->w[i]);\n"                 \
    "    }\n"                                                                  \
    "}\n"

static const char baseline[] =
    "/* whet:\n"
    "launches:\n"
    "  - kernel: blend\n"
    "    grid: [\"n / 1000\"]\n" /* 0 groups for the small workloads */
    "    block: [1]\n"
    "    args: [x, w, y, n]\n"
    "*/\n"
    "__kernel void blend() {}\n";

static int open_with_tasks(void **state)
{
    if (cli_kit_open(state) != 0)
        return -1;
    cli_kit_write(*state, "good/task.yaml", YAML(""));
    cli_kit_write(*state, "good/reference.c", REFERENCE("2.0"));
    cli_kit_write(*state, "weak/task.yaml", YAML(""));
    cli_kit_write(*state, "weak/reference.c", REFERENCE("0.0"));
    cli_kit_write(*state, "nocode/task.yaml", YAML(""));
    cli_kit_write(*state, "nocode/reference.c", "this is no C\n");
    cli_kit_write(*state, "unbound/task.yaml",
                  YAML("baselines: {opencl: b.cl}\n"));
    cli_kit_write(*state, "unbound/reference.c", REFERENCE("2.0"));
    cli_kit_write(*state, "unbound/b.cl", baseline);
    return 0;
}

static void test_cli_cmd_task_check__fit_task_is_0(void **state)
{
    json_t *json;

    cli_kit_expect(*state, WORDS("task", "check", "good"), 0, "fit to judge",
                   NULL);
    json = cli_kit_json(*state, WORDS("task", "check", "good", "--json"), 0);
    assert_true(json_is_true(json_object_get(json, "is_fit")));
    assert_true(json_array_size(json_object_get(json, "fakes")) >= 5);
    json_decref(json);
}

static void test_cli_cmd_task_check__weak_task_is_1(void **state)
{
    json_t *json;

    cli_kit_expect(*state, WORDS("task", "check", "weak"), 1,
                   "blend: not fit to judge", NULL);
    json = cli_kit_json(*state, WORDS("task", "check", "weak", "--json"), 1);
    assert_true(json_is_false(json_object_get(json, "is_fit")));
    json_decref(json);
}

static void test_cli_cmd_task_check__malformed_task_is_2(void **state)
{
    cli_kit_expect(*state, WORDS("task", "check", "nocode"), 2, NULL,
                   "reference");
    cli_kit_expect(*state, WORDS("task", "check", "absent"), 2, NULL,
                   "whet: no task 'absent'");
}

static void test_cli_cmd_task_check__binds_baselines(void **state)
{
    cli_kit_expect(*state, WORDS("task", "check", "unbound"), 2, NULL,
                   "b.cl: workload one: ");
}

static void test_cli_cmd_task_check__without_compiler_is_3(void **state)
{
    cli_kit *kit = *state;

    cli_kit_set(kit, "PATH", "/nonexistent");
    cli_kit_set(kit, "CC", NULL);
    cli_kit_set(kit, "WHET_CACHE_DIR", kit->dir);
    cli_kit_expect(kit, WORDS("task", "check", "good"), 3, NULL, "compiler");
}

/* Goes on with the environment of the test before. */
static void test_cli_cmd_task_compile__makes_compilers_needless(void **state)
{
    cli_kit *kit = *state;
    json_t *json;

    cli_kit_expect(kit, WORDS("task", "compile", "good"), 3, NULL, "compiler");
    cli_kit_set(kit, "PATH", getenv("PATH"));
    cli_kit_expect(kit, WORDS("task", "compile", "absent"), 2, NULL, "absent");
    cli_kit_expect(kit, WORDS("task", "compile", "good"), 0,
                   "blend: reference compiled\n", NULL);
    json = cli_kit_json(kit, WORDS("task", "compile", "good", "--json"), 0);
    assert_int_equal(json_array_size(json_object_get(json, "tasks")), 1);
    json_decref(json);
    cli_kit_set(kit, "PATH", "/nonexistent");
    cli_kit_expect(kit, WORDS("task", "check", "good"), 0, "fit to judge",
                   NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_task_check__fit_task_is_0),
        cmocka_unit_test(test_cli_cmd_task_check__weak_task_is_1),
        cmocka_unit_test(test_cli_cmd_task_check__malformed_task_is_2),
        cmocka_unit_test(test_cli_cmd_task_check__binds_baselines),
        /* Last: they change the environment. */
        cmocka_unit_test(test_cli_cmd_task_check__without_compiler_is_3),
        cmocka_unit_test(test_cli_cmd_task_compile__makes_compilers_needless),
    };

    return cmocka_run_group_tests(tests, open_with_tasks, cli_kit_close);
}
