/* Binding: values, widths, and one message for each limit. */

#include "fixture.h"

/* Ample limits; tests lower one at a time. */
static const whet_limits ample = {.wave_size = 64,
                                  .cu_count = 80,
                                  .lds_bytes = 65536,
                                  .group_items_max = 1024,
                                  .block_max = {1024, 1024, 64},
                                  .grid_max = {1 << 20, 65535, 65535},
                                  .memory_bytes = 1 << 30};

static whet_status bind(whet_bound_plan *bound, const fixture *f,
                        const char *plan, const whet_limits *limits,
                        whet_err *err)
{
    whet_candidate *candidate = fixture_parse(f, plan);
    whet_point point = whet_candidate_default_point(candidate);
    whet_status st = whet_candidate_bind(bound, candidate, &point, &f->task,
                                         &f->workload, limits, err);

    whet_candidate_free(candidate);
    return st;
}

static void refuse(const fixture *f, const char *plan,
                   const whet_limits *limits, whet_status st,
                   const char *message)
{
    whet_bound_plan bound, zero;
    whet_err err = {0};

    memset(&zero, 0, sizeof zero);
    assert_int_equal(bind(&bound, f, plan, limits, &err), st);
    assert_string_equal(err.msg, message);
    assert_memory_equal(&bound, &zero, sizeof bound);
}

static const char rich_plan[] =
    "launches:\n"
    "  - kernel: first\n"
    "    grid: [rows, N4]\n"
    "    block: [BLOCK, 2]\n"
    "    shared: \"4 * BLOCK\"\n"
    "    args: [x, w, p, rows, total, eps, shift, BLOCK, N4, T2,\n"
    "           {i64: \"2 * cols\"}, \"rows - 100\", shared]\n"
    "  - {kernel: second, grid: [cu_count], block: [wave_size],\n"
    "     args: [p, y, \"lds_bytes / 4\"]}\n"
    "tunables: {BLOCK: [64, 128]}\n"
    "let: {T2: \"total * N4\", N4: \"ceil_div(cols, 4)\"}\n"
    "constraints: [\"cols % N4 == 0\"]\n"
    "workspace: {p: {dtype: f64, shape: [N4, 3]}}\n";

static void test_candidate_bind__computes_sizes(void **state)
{
    whet_bound_plan bound;
    const whet_bound_launch *launch = &bound.launches[0];
    whet_err err = {0};

    assert_int_equal(bind(&bound, *state, rich_plan, &ample, &err), WHET_OK);
    assert_int_equal(bound.launch_count, 2);
    assert_int_equal(bound.buffer_count, 4);
    assert_int_equal(bound.tensor_count, 3);
    assert_int_equal(bound.buffers[0].bytes, 8 * 100 * 4);
    assert_int_equal(bound.buffers[0].kind, WHET_BUFFER_IN);
    assert_int_equal(bound.buffers[1].bytes, 100 * 4);
    assert_int_equal(bound.buffers[2].kind, WHET_BUFFER_OUT);
    assert_int_equal(bound.buffers[3].bytes, 25 * 3 * 8);
    assert_int_equal(bound.buffers[3].kind, WHET_BUFFER_WORKSPACE);
    assert_int_equal(bound.buffers[3].dtype, WHET_DTYPE_F64);
    assert_string_equal(launch->kernel, "first");
    assert_int_equal(launch->grid[0], 8);
    assert_int_equal(launch->grid[1], 25);
    assert_int_equal(launch->grid[2], 1);
    assert_int_equal(launch->block[0], 64);
    assert_int_equal(launch->block[1], 2);
    assert_int_equal(launch->block[2], 1);
    assert_int_equal(launch->shared_bytes, 256);
    assert_int_equal(bound.launches[1].grid[0], 80);
    assert_int_equal(bound.launches[1].block[0], 64);
    assert_int_equal(whet_bound_plan_check(&bound, &err), WHET_OK);
}

static void test_candidate_bind__computes_arguments(void **state)
{
    static const struct {
        whet_arg_kind kind;
        int64_t value;
    } want[] = {
        {WHET_ARG_BUFFER, 0},
        {WHET_ARG_BUFFER, 0},
        {WHET_ARG_BUFFER, 0},
        {WHET_ARG_I32, 8},
        {WHET_ARG_I64, 5000000000},
        {WHET_ARG_F32, 0},
        {WHET_ARG_I32, -3},
        {WHET_ARG_I32, 64},
        {WHET_ARG_I32, 25},
        {WHET_ARG_I64, 125000000000}, /* by a let that reads an i64 dim */
        {WHET_ARG_I64, 200},
        {WHET_ARG_I32, -92},
        {WHET_ARG_SHARED, 256},
    };
    whet_bound_plan bound;
    const whet_bound_arg *args = bound.launches[0].args;
    whet_err err = {0};

    assert_int_equal(bind(&bound, *state, rich_plan, &ample, &err), WHET_OK);
    assert_int_equal(bound.launches[0].arg_count, 13);
    for (size_t i = 0; i < 13; i++) {
        assert_int_equal(args[i].kind, want[i].kind);
        assert_true(args[i].value == want[i].value);
    }
    assert_int_equal(args[0].buffer, 0);
    assert_int_equal(args[1].buffer, 1);
    assert_int_equal(args[2].buffer, 3);
    assert_true(args[5].real == (double)0.1f);
    assert_int_equal(bound.launches[1].args[2].value, 16384);
}

#define PLAN(grid, block, rest, args)                                          \
    "launches: [{kernel: k, grid: [" grid "], block: [" block "]" rest         \
    ", args: [x, w, y" args "]}]\n"

static void test_candidate_bind__names_the_limit_asked_and_there(void **state)
{
    whet_limits limits = ample;

    refuse(*state, PLAN("1", "2048", "", ""), &limits, WHET_EUNSUPPORTED,
           "launch 1 (k): block[0] is 2048, the device has at most 1024 "
           "(block_max[0])");
    refuse(*state, PLAN("1", "1, 1, 65", "", ""), &limits, WHET_EUNSUPPORTED,
           "launch 1 (k): block[2] is 65, the device has at most 64 "
           "(block_max[2])");
    refuse(*state, PLAN("1", "64, 32", "", ""), &limits, WHET_EUNSUPPORTED,
           "launch 1 (k): work-items per group is 2048, the device has at "
           "most 1024 (group_items_max)");
    refuse(*state, PLAN("1, 65536", "1", "", ""), &limits, WHET_EUNSUPPORTED,
           "launch 1 (k): grid[1] is 65536, the device has at most 65535 "
           "(grid_max[1])");
    refuse(*state, PLAN("1", "1", ", shared: 65537", ""), &limits,
           WHET_EUNSUPPORTED,
           "launch 1 (k): shared is 65537, the device has at most 65536 "
           "(lds_bytes)");
    limits.memory_bytes = 6799; /* x and y take 3200 bytes, w takes 400 */
    refuse(*state, PLAN("1", "1", "", ""), &limits, WHET_EUNSUPPORTED,
           "tensors and workspaces need 6800 bytes, the device has 6799 "
           "(memory_bytes)");
}

static void test_candidate_bind__takes_exactly_what_there_is(void **state)
{
    whet_limits limits = ample;
    whet_bound_plan bound;
    whet_err err = {0};

    limits.memory_bytes = 6800;
    assert_int_equal(bind(&bound, *state,
                          PLAN("1, 65535", "1024", ", shared: 65536", ""),
                          &limits, &err),
                     WHET_OK);
}

static void test_candidate_bind__does_not_check_unknown_limits(void **state)
{
    static const whet_limits unknown = {0};
    whet_bound_plan bound;
    whet_err err = {0};

    assert_int_equal(
        bind(&bound, *state,
             PLAN("10000000, 1000000", "4096", ", shared: 10000000", ""),
             &unknown, &err),
        WHET_OK);
    refuse(*state, PLAN("1", "wave_size", "", ""), &unknown, WHET_EUNSUPPORTED,
           "launch 1 (k), block[0]: the plan reads 'wave_size', which this "
           "device does not tell");
}

static void test_candidate_bind__refuses_sizes_below_one(void **state)
{
    refuse(*state, PLAN("rows - 8", "1", "", ""), &ample, WHET_EINVAL,
           "launch 1 (k), grid[0]: 'rows - 8' is 0, expected at least 1");
    refuse(*state, PLAN("1", "1, -4", "", ""), &ample, WHET_EINVAL,
           "launch 1 (k), block[1]: '-4' is -4, expected at least 1");
    refuse(*state, PLAN("1", "1", ", shared: \"-1\"", ""), &ample, WHET_EINVAL,
           "launch 1 (k), shared: '-1' is -1, expected at least 0");
    refuse(*state, PLAN("1", "1", ", shared: 0", ", shared"), &ample,
           WHET_EINVAL,
           "launch 1 (k), argument 4: 'shared' is an argument of 0 bytes, "
           "expected at least 1");
    refuse(*state,
           PLAN("1", "1", "",
                "") "workspace: {p: {dtype: f32, shape: [4, rows - 8]}}\n",
           &ample, WHET_EINVAL,
           "workspace p, shape[1]: 'rows - 8' is 0, expected at least 1");
}

static void test_candidate_bind__refuses_what_overflows(void **state)
{
    static const whet_limits unknown = {0};

    refuse(*state, PLAN("total * total", "1", "", ""), &ample, WHET_EINVAL,
           "launch 1 (k), grid[0]: 'total * total', column 7: 5000000000 * "
           "5000000000 overflows 64 bits");
    refuse(*state, PLAN("total, total", "1024", "", ""), &unknown, WHET_EINVAL,
           "launch 1 (k): more than 2^62 work-items, expected a smaller grid");
    refuse(*state,
           PLAN("1", "1", "",
                "") "workspace: {p: {dtype: f32, shape: [total, total]}}\n",
           &unknown, WHET_EINVAL,
           "workspace p has more than 2^62 bytes, expected a smaller shape");
}

static void test_candidate_bind__says_how_to_pass_wide_numbers(void **state)
{
    fixture *f = *state;

    refuse(f, PLAN("1", "1", "", ", {i32: total}"), &ample, WHET_EINVAL,
           "launch 1 (k), argument 4: 'total' is 5000000000, which does not "
           "fit a 32-bit int; write {i64: \"total\"} and take a long");
    refuse(f, PLAN("1", "1", "", ", \"rows * 1000000000\""), &ample,
           WHET_EINVAL,
           "launch 1 (k), argument 4: 'rows * 1000000000' is 8000000000, which "
           "does not fit a 32-bit int; write {i64: \"rows * 1000000000\"} and "
           "take a long");
    f->task.dims[2].is_i64 = false;
    refuse(f, PLAN("1", "1", "", ", total"), &ample, WHET_EINVAL,
           "launch 1 (k), argument 4: dim 'total' is 5000000000, which does "
           "not fit a 32-bit int; write `total: i64` in the task");
}

static void test_candidate_bind__takes_the_ends_of_the_int_range(void **state)
{
    fixture *f = *state;
    whet_bound_plan bound;
    whet_err err = {0};

    assert_int_equal(bind(&bound, f,
                          PLAN("1", "1", "", ", 2147483647, -2147483648"),
                          &ample, &err),
                     WHET_OK);
    refuse(f, PLAN("1", "1", "", ", -2147483649"), &ample, WHET_EINVAL,
           "launch 1 (k), argument 4: '-2147483649' is -2147483649, which does "
           "not fit a 32-bit int; write {i64: \"-2147483649\"} and take a "
           "long");
}

static void test_candidate_bind__refuses_false_constraints(void **state)
{
    refuse(
        *state,
        PLAN("1", "1", "", "") "constraints: [rows == 8, \"cols % 64 == 0\"]\n",
        &ample, WHET_EINVAL, "constraint 'cols % 64 == 0' is false");
    refuse(*state, PLAN("1", "1", "", "") "constraints: [1 / (rows - 8)]\n",
           &ample, WHET_EINVAL,
           "constraint 1: '1 / (rows - 8)', column 3: division by zero (1 / "
           "0)");
    refuse(*state, PLAN("1", "1", "", "") "let: {q: 1 / (rows - 8)}\n", &ample,
           WHET_EINVAL,
           "let q: '1 / (rows - 8)', column 3: division by zero (1 / 0)");
}

static bool excludes(fixture *f, const char *plan)
{
    whet_candidate *candidate = fixture_parse(f, plan);
    whet_point point = whet_candidate_default_point(candidate);
    bool answer = whet_candidate_excludes(candidate, &point, &f->task,
                                          &f->workload, &ample);

    whet_candidate_free(candidate);
    return answer;
}

static void test_candidate_bind__excludes_by_constraints_alone(void **state)
{
    fixture *f = *state;

    assert_true(excludes(f, PLAN("1", "1", "", "") "constraints: [\"cols % 64 "
                                                   "== 0\"]\n"));
    assert_false(
        excludes(f, PLAN("1", "1", "", "") "constraints: [rows == 8]\n"));
    assert_false(
        excludes(f, PLAN("1", "1", "", "") "constraints: [1 / (rows - 8)]\n"));
    assert_false(
        excludes(f, PLAN("1", "1", "", "") "let: {q: 1 / (rows - 8)}\n"));
    assert_false(excludes(f, PLAN("1 / (rows - 8)", "1", "", "")));
}

static void test_candidate_bind__refuses_points_outside_domains(void **state)
{
    fixture *f = *state;
    whet_candidate *candidate =
        fixture_parse(f, PLAN("1", "A", "", "") "tunables: {A: [1, 2]}\n");
    whet_point point = {{3}};
    whet_bound_plan bound;
    whet_err err = {0};

    assert_int_equal(whet_candidate_bind(&bound, candidate, &point, &f->task,
                                         &f->workload, &ample, &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg,
                        "A=3 is not in its domain, expected one of 1 2");
    whet_candidate_free(candidate);
}

static void test_candidate_bind__gives_equal_bytes_for_equal_plans(void **state)
{
    whet_bound_plan a, b;

    memset(&a, 0xaa, sizeof a);
    memset(&b, 0x55, sizeof b);
    assert_int_equal(
        bind(&a, *state, PLAN("rows", "1", "", ", eps"), &ample, NULL),
        WHET_OK);
    assert_int_equal(
        bind(&b, *state, PLAN("rows", "1", "", ", eps"), &ample, NULL),
        WHET_OK);
    assert_memory_equal(&a, &b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_candidate_bind__computes_sizes),
        FIXTURE_TEST(test_candidate_bind__computes_arguments),
        FIXTURE_TEST(test_candidate_bind__names_the_limit_asked_and_there),
        FIXTURE_TEST(test_candidate_bind__takes_exactly_what_there_is),
        FIXTURE_TEST(test_candidate_bind__does_not_check_unknown_limits),
        FIXTURE_TEST(test_candidate_bind__refuses_sizes_below_one),
        FIXTURE_TEST(test_candidate_bind__refuses_what_overflows),
        FIXTURE_TEST(test_candidate_bind__says_how_to_pass_wide_numbers),
        FIXTURE_TEST(test_candidate_bind__takes_the_ends_of_the_int_range),
        FIXTURE_TEST(test_candidate_bind__refuses_false_constraints),
        FIXTURE_TEST(test_candidate_bind__excludes_by_constraints_alone),
        FIXTURE_TEST(test_candidate_bind__refuses_points_outside_domains),
        FIXTURE_TEST(test_candidate_bind__gives_equal_bytes_for_equal_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
