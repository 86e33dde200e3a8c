/* The YAML of plans: what is accepted, and one message for each way in which
 * a plan can be wrong. Lines count from the comment's first line. */

#include "fixture.h"

#include "candidate/candidate_priv.h"

#define LAUNCH                                                                 \
    "launches:\n"                                                              \
    "  - {kernel: k, grid: [rows], block: [1], args: [x, w, y]}\n"

static const char full_plan[] =
    "launches:\n"
    "  - kernel: first\n"
    "    grid: [rows, \"ceil_div(N4, 2)\", 1]\n"
    "    block: [BLOCK, 1, 1]\n"
    "    shared: \"4 * BLOCK\"\n"
    "    args: [x, w, partial, rows, total, eps, shift, BLOCK, N4, T2,\n"
    "           {i64: \"2 * cols\"}, {i32: total}, \"rows * cols\", shared]\n"
    "  - {kernel: second, grid: [1], block: [wave_size], args: [partial, y]}\n"
    "tunables: {BLOCK: [64, 128], VEC: [-4]}\n"
    "let:\n"
    "  T2: T1 + 1\n"
    "  N4: ceil_div(cols, 4)\n"
    "  T1: total - N4\n"
    "constraints: [\"cols % VEC == 0\", BLOCK <= 1024]\n"
    "workspace: {partial: {dtype: f64, shape: [N4, 2]}}\n";

static void test_candidate_plan__reads_every_part(void **state)
{
    whet_candidate *candidate = fixture_parse(*state, full_plan);
    const whet_plan *plan = candidate->plan;
    static const plan_arg_kind kinds[] = {
        PLAN_ARG_BUFFER, PLAN_ARG_BUFFER, PLAN_ARG_BUFFER, PLAN_ARG_I32,
        PLAN_ARG_I64,    PLAN_ARG_SCALAR, PLAN_ARG_SCALAR, PLAN_ARG_I32,
        PLAN_ARG_I32,    PLAN_ARG_I64,    PLAN_ARG_I64,    PLAN_ARG_I32,
        PLAN_ARG_I32,    PLAN_ARG_SHARED};

    assert_int_equal(plan->launch_count, 2);
    assert_string_equal(plan->launches[0].kernel, "first");
    assert_int_equal(plan->launches[0].arg_count, 14);
    for (size_t i = 0; i < 14; i++)
        assert_int_equal(plan->launches[0].args[i].kind, kinds[i]);
    assert_int_equal(plan->launches[0].args[2].index, 3);
    assert_null(plan->launches[1].grid[1]);
    assert_null(plan->launches[1].shared);
    assert_int_equal(candidate->tunable_count, 2);
    assert_string_equal(candidate->tunables[0].name, "BLOCK");
    assert_int_equal(candidate->tunables[0].domain_count, 2);
    assert_int_equal(candidate->tunables[1].domain[0], -4);
    assert_int_equal(plan->let_count, 3);
    assert_int_equal(plan->constraint_count, 2);
    assert_int_equal(plan->workspace_count, 1);
    assert_int_equal(plan->workspaces[0].dtype, WHET_DTYPE_F64);
    assert_int_equal(plan->workspaces[0].rank, 2);
    whet_candidate_free(candidate);
}

static void test_candidate_plan__refuses_unknown_keys(void **state)
{
    fixture_refuse(*state, LAUNCH "tunable: {A: [1]}\n",
                   "k.cl:4:1: unknown key 'tunable', did you mean 'tunables'?");
}

static void test_candidate_plan__needs_launches(void **state)
{
    char text[4096] = "launches:\n";

    fixture_refuse(*state, "\n",
                   "k.cl:1:1: the plan is empty, expected "
                   "launches:");
    fixture_refuse(*state, "launches: []\n",
                   "k.cl:2:11: 0 launches, expected between 1 and 8");
    for (int i = 0; i < 9; i++)
        strcat(text, "  - {kernel: k, grid: [1], block: [1], args: [y]}\n");
    fixture_refuse(*state, text,
                   "k.cl:3:3: 9 launches, expected between 1 and 8");
}

static void test_candidate_plan__checks_kernels_and_sizes(void **state)
{
    fixture_refuse(
        *state,
        "launches: [{kernel: \"a b\", grid: [1], block: [1], args: [y]}]\n",
        "k.cl:2:22: 'a b' cannot be a kernel, expected an identifier of at "
        "most 63 bytes");
    fixture_refuse(
        *state,
        "launches: [{kernel: k, grid: [1, 1, 1, 1], block: [1], args: [y]}]\n",
        "k.cl:2:30: 4 sizes, expected between 1 and 3");
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [1], block: [], args: [y]}]\n",
                   "k.cl:2:42: 0 sizes, expected between 1 and 3");
    fixture_refuse(
        *state, "launches: [{kernel: k, grid: [[1]], block: [1], args: [y]}]\n",
        "k.cl:2:31: a list or mapping, expected an expression");
}

static void test_candidate_plan__points_into_expressions(void **state)
{
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [\"1 +\"], block: [1], "
                   "args: [y]}]\n",
                   "k.cl:2:32: column 4: the expression ends, expected a "
                   "number, name or '('");
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [rowz], block: [1], "
                   "args: [y]}]\n",
                   "k.cl:2:31: unknown name 'rowz', did you mean 'rows'?");
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [x], block: [1], "
                   "args: [y]}]\n",
                   "k.cl:2:31: 'x' is a tensor of the task, expected an "
                   "integer");
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [eps], block: [1], "
                   "args: [y]}]\n",
                   "k.cl:2:31: scalar 'eps' is f32, expected an integer");
    fixture_refuse(*state,
                   "launches: [{kernel: k, grid: [shared], block: [1], "
                   "args: [y]}]\n",
                   "k.cl:2:31: 'shared' is a reserved word, expected an "
                   "integer");
}

#define WITH_ARGS(args)                                                        \
    "launches:\n  - kernel: k\n    grid: [1]\n    block: [1]\n    args: " args \
    "\n"

static void test_candidate_plan__checks_arguments(void **state)
{
    char text[1024];

    fixture_refuse(*state, WITH_ARGS("[y, qqqq]"),
                   "k.cl:6:15: unknown name 'qqqq', expected a dim, tunable, "
                   "let, scalar, tensor, workspace or device fact");
    fixture_refuse(*state, WITH_ARGS("[y, [x]]"),
                   "k.cl:6:15: an argument that is a list, expected a name, "
                   "an expression, {i32: ..} or {i64: ..}");
    fixture_refuse(*state, WITH_ARGS("[y, {f32: rows}]"),
                   "k.cl:6:15: an argument that is a mapping, expected {i32: "
                   "EXPRESSION} or {i64: EXPRESSION}");
    fixture_refuse(*state, WITH_ARGS("[y, {}]"),
                   "k.cl:6:15: an argument that is a mapping, expected {i32: "
                   "EXPRESSION} or {i64: EXPRESSION}");
    fixture_refuse(*state, WITH_ARGS("[y, shared]"),
                   "k.cl:6:15: 'shared' is an argument, expected the launch "
                   "to say how many bytes: shared: ...");
    fixture_refuse(*state, WITH_ARGS("[y, x + 1]"),
                   "k.cl:6:15: 'x' is a tensor of the task, expected an "
                   "integer");
    strcpy(text, "[y");
    for (int i = 0; i < 24; i++)
        strcat(text, ", 1");
    strcat(text, "]");
    {
        char plan[2048];

        snprintf(plan, sizeof plan,
                 "launches: [{kernel: k, grid: [1], block: [1], args: %s}]\n",
                 text);
        fixture_refuse(*state, plan,
                       "k.cl:2:53: 25 arguments, expected between 0 and 24");
    }
}

static void test_candidate_plan__needs_every_output(void **state)
{
    fixture_refuse(*state, WITH_ARGS("[x, w]"),
                   "k.cl:3:3: output 'y' is in no launch's args, expected "
                   "every output in at least one");
}

static void test_candidate_plan__checks_tunables(void **state)
{
    char text[2048] = LAUNCH "tunables:\n";
    char row[64];

    fixture_refuse(*state, LAUNCH "tunables: {A: 1}\n",
                   "k.cl:4:15: tunable 'A' has no list of values, expected "
                   "one like [64, 128]");
    fixture_refuse(*state, LAUNCH "tunables: {A: []}\n",
                   "k.cl:4:15: 0 values, expected between 1 and 32");
    fixture_refuse(*state, LAUNCH "tunables: {A: [1, 2, 1]}\n",
                   "k.cl:4:22: value 1 is in the domain of 'A' twice, "
                   "expected it once");
    fixture_refuse(*state, LAUNCH "tunables: {rows: [1]}\n",
                   "k.cl:4:12: name 'rows' is already a dim of the task, "
                   "expected another name");
    for (int i = 0; i < 17; i++) {
        snprintf(row, sizeof row, "  T%d: [1]\n", i);
        strcat(text, row);
    }
    fixture_refuse(*state, text,
                   "k.cl:5:3: 17 tunables, expected between 0 and 16");
}

static void
test_candidate_plan__refuses_values_that_are_no_integers(void **state)
{
    char *text = fixture_file(LAUNCH "tunables: {A: [1.5]}\n");
    whet_candidate *candidate = NULL;
    whet_err err = {0};
    fixture *f = *state;

    assert_int_equal(whet_candidate_parse(&candidate, text, strlen(text),
                                          "k.cl", NULL, &f->task, &err),
                     WHET_EINVAL);
    assert_memory_equal(err.msg, "k.cl:4:16: ", 11);
    free(text);
    text = fixture_file(LAUNCH "tunables: {A: [-9223372036854775808]}\n");
    assert_int_equal(whet_candidate_parse(&candidate, text, strlen(text),
                                          "k.cl", NULL, &f->task, &err),
                     WHET_EINVAL);
    assert_memory_equal(err.msg, "k.cl:4:16: ", 11);
    free(text);
}

static void test_candidate_plan__refuses_cyclic_lets(void **state)
{
    fixture_refuse(*state, LAUNCH "let:\n  a: b + 1\n  b: 2 * c\n  c: a\n",
                   "k.cl:5:6: let 'a' depends on itself (a -> b -> c -> a), "
                   "expected no cycle");
    fixture_refuse(*state, LAUNCH "let: {z: 1, a: a}\n",
                   "k.cl:4:16: let 'a' depends on itself (a -> a), expected "
                   "no cycle");
}

static void test_candidate_plan__checks_workspaces(void **state)
{
    fixture_refuse(*state, LAUNCH "workspace: {p: {dtype: f33, shape: [1]}}\n",
                   "k.cl:4:24: unknown dtype 'f33', did you mean 'f32'?");
    fixture_refuse(*state, LAUNCH "workspace: {p: {dtype: f32, shape: []}}\n",
                   "k.cl:4:36: 0 dimensions, expected between 1 and 6");
    fixture_refuse(*state, LAUNCH "workspace: {x: {dtype: f32, shape: [1]}}\n",
                   "k.cl:4:13: name 'x' is already a tensor of the task, "
                   "expected another name");
}

static void test_candidate_plan__refuses_yaml_tricks(void **state)
{
    static const char *const plans[] = {
        "launches: &a [{kernel: k, grid: [1], block: [1], args: [y]}]\n",
        "launches: !!seq [{kernel: k, grid: [1], block: [1], args: [y]}]\n",
        LAUNCH "tunables: {A: [1], A: [2]}\n",
        LAUNCH "---\n" LAUNCH,
        "launches: [{\n",
        "- launches\n",
        "42\n",
        LAUNCH "let: {[a]: 1}\n",
        LAUNCH "let: {a: }\n",
        LAUNCH "let:\n",
    };
    fixture *f = *state;

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        char *text = fixture_file(plans[i]);
        whet_candidate *candidate = NULL;
        whet_err err = {0};

        if (whet_candidate_parse(&candidate, text, strlen(text), "k.cl", NULL,
                                 &f->task, &err) != WHET_EINVAL)
            fail_msg("accepted: %s", plans[i]);
        assert_memory_equal(err.msg, "k.cl:", 5);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_candidate_plan__reads_every_part),
        FIXTURE_TEST(test_candidate_plan__refuses_unknown_keys),
        FIXTURE_TEST(test_candidate_plan__needs_launches),
        FIXTURE_TEST(test_candidate_plan__checks_kernels_and_sizes),
        FIXTURE_TEST(test_candidate_plan__points_into_expressions),
        FIXTURE_TEST(test_candidate_plan__checks_arguments),
        FIXTURE_TEST(test_candidate_plan__needs_every_output),
        FIXTURE_TEST(test_candidate_plan__checks_tunables),
        FIXTURE_TEST(test_candidate_plan__refuses_values_that_are_no_integers),
        FIXTURE_TEST(test_candidate_plan__refuses_cyclic_lets),
        FIXTURE_TEST(test_candidate_plan__checks_workspaces),
        FIXTURE_TEST(test_candidate_plan__refuses_yaml_tricks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
