/* The OpenCL worker slots as they are used: an image built in the sandbox runs
 * in a fresh sandboxed process that is sealed between open and load, so that
 * it has no compiler and starts no thread or program. This program is also
 * that process (`__worker`). Needs an OpenCL device and a sandbox. */

#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUN_MAX = 24, UNUSABLE = 77, VALUE_MAX = 4096 };

/* Everything the tests share. */
struct fixture {
    whet_sandbox_facts sandbox;
    whet_device_handle handle;
    const whet_toolchain_ops *toolchain;
    whet_image image;
};

/* What the worker process reads: this, the plans, the image. */
struct job {
    uint64_t image_bytes;
    uint32_t run_count;
    uint32_t device_index;
};

/* What it writes for each run; the values of buffer 1 follow. */
struct answer {
    int32_t status;
    uint32_t value_count;
    char text[200];
};

static const char kernels[] =
    "__kernel void saxpy(__global const float *x, __global float *y, int n,\n"
    "                    float a)\n"
    "{\n"
    "    size_t i = get_global_id(0) + get_global_size(0) *\n"
    "               (get_global_id(1) + get_global_size(1) * "
    "get_global_id(2));\n"
    "    if (i < n)\n"
    "        y[i] += a * x[i];\n"
    "}\n"
    "__kernel void reverse(__global const float *x, __global float *y, int n,\n"
    "                      float a, __local float *t, long m, double d)\n"
    "{\n"
    "    __local float u[256];\n"
    "    int l = get_local_id(0), s = get_local_size(0);\n"
    "    int i = get_group_id(0) * s + l;\n"
    "    t[l] = i < n ? x[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    u[l] = t[s - 1 - l];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n)\n"
    "        y[i] = u[l] + (float)(m - 4000000000) + (float)d;\n"
    "}\n";

/* --- the worker process -------------------------------------------------- */

static void die(const whet_err *err)
{
    fprintf(stderr, "worker: %s\n", err->msg);
    _exit(UNUSABLE);
}

static void read_or_die(void *data, size_t bytes)
{
    whet_err err = {.msg = "short input"};

    if (fread(data, 1, bytes, stdin) != bytes)
        die(&err);
}

/* Buffers 0 and 1: x[i] = i + 1, y[i] = 1. */
static void fill(float *const *buffer, const whet_bound_plan *plan)
{
    uint32_t b;
    size_t i;

    for (b = 0; b < plan->buffer_count; b++)
        for (i = 0; i < plan->buffers[b].bytes / 4; i++)
            buffer[b][i] = b == 0 ? (float)(i + 1) : 1;
}

static void run_plan(const whet_device_ops *ops, whet_worker_ctx *ctx,
                     uint32_t slot, const whet_bound_plan *plan,
                     struct answer *answer, float *const *buffer)
{
    void *address[WHET_BUFFER_MAX] = {0};
    uint64_t elapsed_ns = 0;
    whet_err err = {0};
    whet_status st;
    uint32_t b;

    for (b = 0; b < plan->buffer_count; b++)
        address[b] = buffer[b];
    fill(buffer, plan);
    st = ops->worker_prepare(ctx, slot, plan, address, &err);
    if (st == WHET_OK)
        st = ops->worker_run(ctx, slot, &elapsed_ns, &err);
    answer->status = st;
    answer->value_count = (uint32_t)(plan->buffers[1].bytes / 4);
    whet_strcopy(answer->text, sizeof answer->text, err.msg);
}

static int worker_main(void)
{
    const whet_device_ops *ops = whet_device_find("opencl");
    whet_worker_ctx *ctx = NULL;
    whet_err err = {0};
    struct job job;
    whet_bound_plan *plans;
    float *buffer[2];
    void *image;
    uint32_t i;

    read_or_die(&job, sizeof job);
    plans = calloc(job.run_count, sizeof *plans);
    image = malloc(job.image_bytes);
    buffer[0] = aligned_alloc(4096, VALUE_MAX * sizeof(float));
    /* The least alignment that the judge promises. */
    buffer[1] =
        (float *)aligned_alloc(4096, 4096 + VALUE_MAX * sizeof(float)) + 16;
    read_or_die(plans, job.run_count * sizeof *plans);
    read_or_die(image, job.image_bytes);
    if (ops->worker_open(&ctx, job.device_index, &err) != WHET_OK ||
        whet_sandbox_seal(WHET_SANDBOX_WORKER, &err) != WHET_OK ||
        ops->worker_load(ctx, image, job.image_bytes, &err) != WHET_OK)
        die(&err);
    for (i = 0; i < job.run_count; i++) {
        struct answer answer = {0};

        run_plan(ops, ctx, i, &plans[i], &answer, buffer);
        fwrite(&answer, sizeof answer, 1, stdout);
        fwrite(buffer[1], sizeof(float), answer.value_count, stdout);
    }
    fflush(stdout);
    ops->worker_close(ctx);
    _exit(0);
}

/* --- the supervisor's side ----------------------------------------------- */

/* Run the plans in a fresh worker. */
static void run_worker(whet_process_result *result, const struct fixture *fix,
                       const void *image, size_t image_bytes,
                       const whet_bound_plan *plans, uint32_t plan_count)
{
    static const char *const words[] = {WHET_SANDBOX_PROGRAM, "__worker", NULL};
    const whet_device_ops *ops = fix->handle.ops;
    const whet_sandbox_opts sandbox = {.facts = &fix->sandbox,
                                       .binds = ops->worker_binds,
                                       .bind_count = ops->worker_bind_count,
                                       .is_pid_1 = true,
                                       .program_fd = 3};
    struct job job = {.image_bytes = image_bytes,
                      .run_count = plan_count,
                      .device_index = fix->handle.facts.index};
    whet_process_fd fd = {.child_fd = 3};
    whet_process_opts opts = {.stdout_max_bytes = 8 << 20,
                              .stderr_max_bytes = 1 << 16,
                              .timeout_ns = 20000000000u,
                              .fds = &fd,
                              .fd_count = 1,
                              .run_as_uid = whet_sandbox_uid()};
    whet_buf input = {0};
    whet_err err = {0};
    char **argv = NULL;
    FILE *program = fopen("/proc/self/exe", "rb");

    assert_non_null(program);
    fd.parent_fd = fileno(program);
    whet_buf_add(&input, &job, sizeof job);
    whet_buf_add(&input, plans, plan_count * sizeof *plans);
    whet_buf_add(&input, image, image_bytes);
    opts.stdin_data = input.data;
    opts.stdin_bytes = input.bytes;
    assert_int_equal(
        whet_sandbox_argv(&argv, words, ops->worker_env, &sandbox, &err),
        WHET_OK);
    opts.argv = (const char *const *)argv;
    assert_int_equal(whet_process_run(result, &opts, &err), WHET_OK);
    whet_sandbox_argv_free(argv);
    whet_buf_deinit(&input);
    fclose(program);
}

static void build(whet_image *image, whet_diagnostic *diagnostic,
                  const struct fixture *fix, const char *source)
{
    static const char *const none[] = {NULL};
    whet_build_request request = {.source = source,
                                  .source_bytes = strlen(source),
                                  .language = "opencl",
                                  .defines = none,
                                  .options = fix->toolchain->options(false),
                                  .arch = fix->handle.facts.arch,
                                  .device_index = fix->handle.facts.index,
                                  .timeout_ns = 60000000000u,
                                  .sandbox = &fix->sandbox};
    whet_err err = {0};

    assert_int_equal(fix->toolchain->build(image, diagnostic, &request, &err),
                     WHET_OK);
}

static void make_plan(whet_bound_plan *plan, const char *kernel, int64_t n,
                      const uint64_t grid[3], const uint64_t block[3])
{
    whet_bound_launch *launch = &plan->launches[0];

    memset(plan, 0, sizeof *plan);
    plan->launch_count = 1;
    plan->buffer_count = 2;
    plan->tensor_count = 2;
    plan->buffers[0].bytes = (uint64_t)n * 4;
    plan->buffers[1].bytes = (uint64_t)n * 4;
    plan->buffers[1].kind = WHET_BUFFER_OUT;
    whet_strcopy(launch->kernel, sizeof launch->kernel, kernel);
    memcpy(launch->grid, grid, sizeof launch->grid);
    memcpy(launch->block, block, sizeof launch->block);
    launch->args[1].buffer = 1;
    launch->args[2].kind = WHET_ARG_I32;
    launch->args[2].value = n;
    launch->args[3].kind = WHET_ARG_F32;
    launch->args[3].real = 0.5;
    launch->arg_count = 4;
    if (strcmp(kernel, "reverse") == 0) {
        launch->args[4].kind = WHET_ARG_SHARED;
        launch->args[4].value = (int64_t)block[0] * 4;
        launch->args[5].kind = WHET_ARG_I64;
        launch->args[5].value = 4000000003;
        launch->args[6].kind = WHET_ARG_F64;
        launch->args[6].real = 0.25;
        launch->arg_count = 7;
    }
}

static float expected(const whet_bound_plan *plan, size_t i)
{
    const whet_bound_launch *launch = &plan->launches[0];
    size_t n = plan->buffers[1].bytes / 4;
    size_t s = launch->block[0];
    size_t from = i / s * s + s - 1 - i % s;

    if (strcmp(launch->kernel, "saxpy") == 0)
        return 1 + 0.5f * (float)(i + 1);
    return (from < n ? (float)(from + 1) : 0) + 3.25f;
}

/* Check one answer and its values; gives the place behind them. */
static const char *check_answer(const char *at, const whet_bound_plan *plan)
{
    struct answer answer;
    float value;
    uint32_t i;

    memcpy(&answer, at, sizeof answer);
    at += sizeof answer;
    assert_string_equal(answer.text, "");
    assert_int_equal(answer.status, WHET_OK);
    for (i = 0; i < answer.value_count; i++, at += sizeof value) {
        memcpy(&value, at, sizeof value);
        assert_float_equal(value, expected(plan, i), 0);
    }
    return at;
}

static void
test_device_opencl_worker__runs_any_block_and_grid_when_sealed(void **state)
{
    static const struct {
        const char *kernel;
        int64_t n;
        uint64_t grid[3], block[3];
    } rows[] = {
        {"saxpy", 4096, {64, 1, 1}, {64, 1, 1}},
        {"saxpy", 1000, {1000, 1, 1}, {1, 1, 1}},
        {"saxpy", 1000, {143, 1, 1}, {7, 1, 1}},
        {"saxpy", 1000, {4, 1, 1}, {256, 1, 1}},
        {"saxpy", 4096, {1, 1, 1}, {4096, 1, 1}},
        {"saxpy", 1, {1, 1, 1}, {1, 1, 1}},
        {"saxpy", 4096, {4, 4, 4}, {4, 4, 4}},
        {"saxpy", 4096, {2, 1, 32}, {8, 8, 1}},
        {"reverse", 4096, {64, 1, 1}, {64, 1, 1}},
        {"reverse", 1001, {91, 1, 1}, {11, 1, 1}},
        {"reverse", 4096, {16, 1, 1}, {256, 1, 1}},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    const struct fixture *fix = *state;
    whet_bound_plan *plans = calloc(COUNT, sizeof *plans);
    whet_process_result result = {0};
    const char *at;
    size_t i;

    for (i = 0; i < COUNT; i++)
        make_plan(&plans[i], rows[i].kernel, rows[i].n, rows[i].grid,
                  rows[i].block);
    run_worker(&result, fix, fix->image.bytes, fix->image.byte_count, plans,
               COUNT);
    assert_string_equal(whet_buf_str(&result.err), "");
    assert_int_equal(result.kind, WHET_EXIT_CODE);
    assert_int_equal(result.code, 0);
    at = result.out.data;
    for (i = 0; i < COUNT; i++)
        at = check_answer(at, &plans[i]);
    assert_ptr_equal(at, result.out.data + result.out.bytes);
    whet_process_result_deinit(&result);
    free(plans);
}

/* Change one thing of a good plan and look at the message. */
static void expect_refused(const struct fixture *fix, whet_bound_plan *plan,
                           whet_status status, const char *word)
{
    whet_process_result result = {0};
    struct answer answer;

    run_worker(&result, fix, fix->image.bytes, fix->image.byte_count, plan, 1);
    assert_int_equal(result.kind, WHET_EXIT_CODE);
    assert_int_equal(result.code, 0);
    assert_true(result.out.bytes >= sizeof answer);
    memcpy(&answer, result.out.data, sizeof answer);
    assert_int_equal(answer.status, status);
    assert_non_null(strstr(answer.text, word));
    whet_process_result_deinit(&result);
}

static void
test_device_opencl_worker__refuses_plans_that_do_not_fit(void **state)
{
    static const uint64_t grid[3] = {64, 1, 1}, block[3] = {64, 1, 1};
    const struct fixture *fix = *state;
    whet_bound_plan *plan = calloc(1, sizeof *plan);

    make_plan(plan, "nonesuch", 4096, grid, block);
    expect_refused(fix, plan, WHET_ENOTFOUND, "nonesuch");
    make_plan(plan, "saxpy", 4096, grid, block);
    plan->launches[0].arg_count = 3;
    expect_refused(fix, plan, WHET_EINVAL, "4 arguments");
    make_plan(plan, "saxpy", 4096, grid, block);
    plan->launches[0].args[2].kind = WHET_ARG_I64;
    expect_refused(fix, plan, WHET_EINVAL, "argument 2");
    make_plan(plan, "saxpy", 4096, grid, block);
    plan->launches[0].grid[0] = UINT64_MAX / 2;
    expect_refused(fix, plan, WHET_EINVAL, "grid");
    make_plan(plan, "reverse", 4096, grid, block);
    plan->launches[0].args[4].value = INT64_C(1) << 40;
    expect_refused(fix, plan, WHET_EUNSUPPORTED, "LDS");
    make_plan(plan, "saxpy", 4096, grid, block);
    plan->launches[0].block[0] = 1 << 20;
    expect_refused(fix, plan, WHET_EFAIL, "launch");
    free(plan);
}

static void
test_device_opencl_worker__lets_later_launches_see_earlier_ones(void **state)
{
    static const uint64_t grid[3] = {64, 1, 1}, block[3] = {64, 1, 1};
    const struct fixture *fix = *state;
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_process_result result = {0};
    float value;
    uint32_t i;

    make_plan(plan, "saxpy", 4096, grid, block);
    for (i = 1; i < WHET_LAUNCH_MAX; i++)
        plan->launches[i] = plan->launches[0];
    plan->launch_count = WHET_LAUNCH_MAX;
    run_worker(&result, fix, fix->image.bytes, fix->image.byte_count, plan, 1);
    assert_int_equal(result.out.bytes,
                     sizeof(struct answer) + 4096 * sizeof value);
    for (i = 0; i < 4096; i++) {
        memcpy(&value,
               result.out.data + sizeof(struct answer) + i * sizeof value,
               sizeof value);
        assert_float_equal(value, 1 + 0.5f * WHET_LAUNCH_MAX * (float)(i + 1),
                           0);
    }
    whet_process_result_deinit(&result);
    free(plan);
}

/* The driver may refuse or die; either ends this worker alone. */
static void test_device_opencl_worker__survives_no_broken_image(void **state)
{
    static const uint64_t grid[3] = {64, 1, 1}, block[3] = {64, 1, 1};
    const struct fixture *fix = *state;
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_process_result result = {0};

    make_plan(plan, "saxpy", 4096, grid, block);
    run_worker(&result, fix, fix->image.bytes, fix->image.byte_count / 2, plan,
               1);
    assert_true(result.kind != WHET_EXIT_CODE || result.code != 0);
    whet_process_result_deinit(&result);
    run_worker(&result, fix, "not an image", 12, plan, 1);
    assert_int_equal(result.kind, WHET_EXIT_CODE);
    assert_int_equal(result.code, UNUSABLE);
    assert_non_null(strstr(whet_buf_str(&result.err), "cannot load"));
    whet_process_result_deinit(&result);
    free(plan);
}

int main(int argc, char **argv)
{
    static struct fixture fix;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_err err = {0};
    int status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(
            test_device_opencl_worker__runs_any_block_and_grid_when_sealed,
            &fix),
        cmocka_unit_test_prestate(
            test_device_opencl_worker__refuses_plans_that_do_not_fit, &fix),
        cmocka_unit_test_prestate(
            test_device_opencl_worker__lets_later_launches_see_earlier_ones,
            &fix),
        cmocka_unit_test_prestate(
            test_device_opencl_worker__survives_no_broken_image, &fix),
    };

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    if (argc > 1 && strcmp(argv[1], "__worker") == 0)
        return worker_main();
    whet_sandbox_probe(&fix.sandbox);
    if (!fix.sandbox.has_namespaces || !fix.sandbox.has_seccomp) {
        printf("skipped: %s\n", fix.sandbox.reason);
        return UNUSABLE;
    }
    if (whet_device_open(&fix.handle, "opencl", &err) != WHET_OK) {
        printf("skipped: %s\n", err.msg);
        return UNUSABLE;
    }
    fix.toolchain = whet_toolchain_find(fix.handle.ops->toolchains[0]);
    build(&fix.image, diagnostic, &fix, kernels);
    if (diagnostic->kind != WHET_DIAGNOSTIC_NONE) {
        printf("the kernels are refused: %s\n", diagnostic->text);
        return 1;
    }
    status = cmocka_run_group_tests(tests, NULL, NULL);
    whet_image_deinit(&fix.image);
    whet_device_close(&fix.handle);
    free(diagnostic);
    return status;
}
