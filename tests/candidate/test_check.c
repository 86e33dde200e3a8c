/* The check of bound plans from a wire: one field is spoilt at a time. */

#include "fixture.h"

#include <math.h>

static void make_plan(whet_bound_plan *plan)
{
    whet_bound_launch *launch = &plan->launches[0];

    memset(plan, 0, sizeof *plan);
    plan->launch_count = 1;
    plan->buffer_count = 3;
    plan->tensor_count = 2;
    plan->buffers[0] = (whet_bound_buffer){400, WHET_BUFFER_IN, WHET_DTYPE_F32};
    plan->buffers[1] =
        (whet_bound_buffer){400, WHET_BUFFER_OUT, WHET_DTYPE_F32};
    plan->buffers[2] =
        (whet_bound_buffer){80, WHET_BUFFER_WORKSPACE, WHET_DTYPE_F64};
    whet_strcopy(launch->kernel, sizeof launch->kernel, "k");
    for (int d = 0; d < 3; d++)
        launch->grid[d] = launch->block[d] = 1;
    launch->shared_bytes = 64;
    launch->arg_count = 6;
    launch->args[0] = (whet_bound_arg){.kind = WHET_ARG_BUFFER, .buffer = 2};
    launch->args[1] = (whet_bound_arg){.kind = WHET_ARG_I32, .value = -5};
    launch->args[2] = (whet_bound_arg){.kind = WHET_ARG_I64, .value = 1};
    launch->args[3] = (whet_bound_arg){.kind = WHET_ARG_F32, .real = 0.5};
    launch->args[4] = (whet_bound_arg){.kind = WHET_ARG_F64, .real = 0.1};
    launch->args[5] = (whet_bound_arg){.kind = WHET_ARG_SHARED, .value = 64};
}

static void refuse(const whet_bound_plan *plan, const char *part)
{
    whet_err err = {0};

    assert_int_equal(whet_bound_plan_check(plan, &err), WHET_EINVAL);
    assert_memory_equal(err.msg, "bound plan: ", 12);
    if (strstr(err.msg, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.msg, part);
}

/* Make a fine plan, spoil it, expect a complaint. */
#define SPOIL(change, part)                                                    \
    do {                                                                       \
        make_plan(&plan);                                                      \
        change;                                                                \
        refuse(&plan, part);                                                   \
    } while (0)

static void test_candidate_check__accepts_a_fine_plan(void **state)
{
    whet_bound_plan plan;
    whet_err err = {0};

    (void)state;
    make_plan(&plan);
    assert_int_equal(whet_bound_plan_check(&plan, &err), WHET_OK);
}

static void test_candidate_check__refuses_wrong_counts(void **state)
{
    whet_bound_plan plan;

    (void)state;
    SPOIL(plan.launch_count = 0, "0 launches");
    SPOIL(plan.launch_count = 9, "9 launches");
    SPOIL(plan.tensor_count = 0, "0 tensors");
    SPOIL(plan.tensor_count = 13, "13 tensors");
    SPOIL(plan.tensor_count = 4, "4 tensors");
    SPOIL(plan.buffer_count = UINT32_MAX, "4294967295 buffers");
    SPOIL(plan.buffer_count = 9, "9 buffers");
    SPOIL(plan.pad = 1, "launches");
    SPOIL(plan.launches[0].arg_count = 25, "25 arguments");
    SPOIL(plan.launches[0].pad = 1, "arguments");
}

static void test_candidate_check__refuses_wrong_buffers(void **state)
{
    whet_bound_plan plan;

    (void)state;
    SPOIL(plan.buffers[0].dtype = WHET_DTYPE_COUNT, "buffer 0 has dtype");
    SPOIL(plan.buffers[0].kind = WHET_BUFFER_WORKSPACE, "expected an input");
    SPOIL(plan.buffers[2].kind = WHET_BUFFER_OUT, "expected a workspace");
    SPOIL(plan.buffers[1].kind = 7, "buffer 1 has kind 7");
    SPOIL(plan.buffers[1].bytes = 0, "0 bytes");
    SPOIL(plan.buffers[1].bytes = 401, "401 bytes");
    SPOIL(plan.buffers[1].bytes = ((uint64_t)1 << 62) + 4, "buffer 1 has");
    SPOIL(plan.buffers[2].bytes = 84, "84 bytes");
}

static void test_candidate_check__refuses_wrong_launches(void **state)
{
    whet_bound_plan plan;

    (void)state;
    SPOIL(plan.launches[0].kernel[0] = '\0', "no kernel name");
    SPOIL(plan.launches[0].kernel[0] = '/', "no kernel name");
    SPOIL(memset(plan.launches[0].kernel, 'a', WHET_NAME_BYTES),
          "no kernel name");
    SPOIL(plan.launches[0].grid[1] = 0, "grid or block of 0");
    SPOIL(plan.launches[0].block[2] = 0, "grid or block of 0");
    SPOIL(plan.launches[0].grid[0] = ((uint64_t)1 << 62) + 1, "too large");
    SPOIL(plan.launches[0].grid[0] = plan.launches[0].block[1] = (uint64_t)1
                                                                 << 32,
          "too large");
    SPOIL(plan.launches[0].shared_bytes = UINT64_MAX, "too large");
}

static void test_candidate_check__refuses_wrong_arguments(void **state)
{
    whet_bound_plan plan;
    whet_bound_arg *args = plan.launches[0].args;

    (void)state;
    SPOIL(args[0].buffer = 3, "argument 0 is a buffer that is not there");
    SPOIL(args[1].value = (int64_t)INT32_MAX + 1, "argument 1 is an i32");
    SPOIL(args[1].value = (int64_t)INT32_MIN - 1, "argument 1 is an i32");
    SPOIL(args[3].real = 0.1, "argument 3 is an f32");
    SPOIL(args[3].real = NAN, "argument 3 is an f32");
    SPOIL(args[3].real = 1e300, "argument 3 is an f32");
    SPOIL(args[4].real = INFINITY, "argument 4 is an f64");
    SPOIL(args[5].value = 63, "argument 5 is local memory");
    SPOIL(args[5].value = -1, "argument 5 is local memory");
    SPOIL((plan.launches[0].shared_bytes = 0, args[5].value = 0),
          "argument 5 is local memory");
    SPOIL(args[2].kind = 6, "argument 2 is an unknown kind");
    make_plan(&plan);
    plan.launches[0].args[0].buffer = 9;
    assert_int_equal(whet_bound_plan_check(&plan, NULL), WHET_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidate_check__accepts_a_fine_plan),
        cmocka_unit_test(test_candidate_check__refuses_wrong_counts),
        cmocka_unit_test(test_candidate_check__refuses_wrong_buffers),
        cmocka_unit_test(test_candidate_check__refuses_wrong_launches),
        cmocka_unit_test(test_candidate_check__refuses_wrong_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
