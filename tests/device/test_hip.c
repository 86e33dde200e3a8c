/* The HIP back-end over fake runtimes: facts put together from the runtime, the
 * kernel driver and the records, and the worker's slots. */

#include "device/hip_priv.h"
#include "fake_hip_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { M = 5, N = 7, K = 3 };

static void use_sysfs(const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%s/hip/%s", getenv("WHET_TEST_DATA"), name);
    assert_int_equal(setenv("WHET_HIP_SYSFS", path, 1), 0);
}

static int forget_cards(void **state)
{
    (void)state;
    (void)unsetenv("HIP_VISIBLE_DEVICES");
    (void)unsetenv("ROCR_VISIBLE_DEVICES");
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    (void)unsetenv("WHET_HIP_ARCH");
    return unsetenv("WHET_HIP_SYSFS");
}

static uint32_t enumerate(whet_device_facts *out)
{
    whet_err err = {0};
    uint32_t count = 0;

    assert_int_equal(whet_hip__enumerate(out, &count, &err), WHET_OK);
    return count;
}

static void test_device_hip__tells_the_facts_of_a_dcu(void **state)
{
    whet_device_facts *facts = calloc(WHET_DEVICE_LIST_MAX, sizeof *facts);

    (void)state;
    use_sysfs("kfd-gfx936");
    fake_hip_use("good", true);
    assert_int_equal(enumerate(facts), 2);
    assert_string_equal(facts[0].backend, "hip");
    assert_string_equal(facts[0].name, "Fake DCU 0\\x1b[2J");
    assert_string_equal(facts[0].arch, "gfx936");
    assert_string_equal(facts[0].arch_features, "sramecc+:xnack-");
    assert_string_equal(facts[0].arch_evidence, "runtime (gcnArchName)");
    assert_string_equal(facts[0].driver,
                        "HIP 6.3.25422 (libgalaxyhip-good.so, DTK numbers), "
                        "hycu 6.3.8");
    assert_string_equal(facts[0].pci, "0000:09:00.0");
    assert_string_equal(facts[1].pci, "0000:36:00.0");
    assert_int_equal(facts[1].index, 1);
    assert_int_equal(facts[1].physical_index, 1);
    assert_int_equal(facts[0].limits.wave_size, 64);
    assert_int_equal(facts[0].limits.cu_count, 80);
    assert_int_equal(facts[0].limits.group_items_max, 1024);
    assert_int_equal(facts[0].evidence, WHET_EVIDENCE_MEASURED);
    assert_int_equal(strlen(facts[0].id), WHET_HASH_TEXT_BYTES - 1);
    free(facts);
}

/* What the runtime does not tell comes from the kernel driver and the record;
 * without them the rest stays unknown. */
static void test_device_hip__fills_gaps_from_elsewhere(void **state)
{
    whet_device_facts *facts = calloc(WHET_DEVICE_LIST_MAX, sizeof *facts);

    (void)state;
    use_sysfs("kfd-gfx936");
    fake_hip_use("garbage", true);
    assert_int_equal(enumerate(facts), 2);
    assert_int_equal(facts[0].limits.cu_count, 80);
    assert_int_equal(facts[0].limits.wave_size, 64);
    assert_int_equal(facts[0].lds_cu_bytes, 65536);
    assert_int_equal(facts[0].limits.lds_bytes, 65536);
    assert_int_equal(facts[0].clock_mhz, 1500);
    assert_int_equal(facts[0].cu_items_max, 4 * 10 * 64);
    assert_non_null(strstr(facts[0].driver, "unknown numbers"));
    assert_int_equal(setenv("WHET_HIP_SYSFS", "/nonexistent", 1), 0);
    assert_int_equal(enumerate(facts), 2);
    assert_int_equal(facts[0].limits.cu_count, 0);
    assert_string_equal(facts[0].arch, "gfx936");
    free(facts);
}

/* The fakes show both cards whatever is set, as a runtime would that knows
 * nothing of a variable: only the numbers are looked at. */
static void test_device_hip__numbers_cards_before_variables(void **state)
{
    whet_device_facts *facts = calloc(WHET_DEVICE_LIST_MAX, sizeof *facts);

    (void)state;
    use_sysfs("kfd-gfx936");
    fake_hip_use("good", true);
    setenv("HIP_VISIBLE_DEVICES", "1,0", 1);
    assert_int_equal(enumerate(facts), 2);
    assert_int_equal(facts[0].physical_index, 1);
    assert_int_equal(facts[1].physical_index, 0);
    setenv("HIP_VISIBLE_DEVICES", "1", 1);
    assert_int_equal(enumerate(facts), 2);
    assert_int_equal(facts[0].physical_index, 1);
    assert_int_equal(facts[1].physical_index, UINT32_MAX);
    free(facts);
}

static void test_device_hip__tells_why_there_is_none(void **state)
{
    whet_device_facts *facts = calloc(WHET_DEVICE_LIST_MAX, sizeof *facts);
    uint32_t count = 9;
    whet_err err = {0};
    whet_worker_ctx *ctx = NULL;

    (void)state;
    fake_hip_use("none", false);
    fake_hip_add("unready", true);
    assert_int_equal(whet_hip__enumerate(facts, &count, &err),
                     WHET_EUNSUPPORTED);
    assert_int_equal(count, 0);
    assert_non_null(strstr(err.msg, "hipErrorNoDevice"));
    assert_non_null(strstr(err.msg, "hipErrorSharedObjectInitFailed"));
    assert_int_equal(whet_device_hip.worker_open(&ctx, 0, &err),
                     WHET_EUNSUPPORTED);
    assert_null(ctx);
    free(facts);
}

/* --- the worker ----------------------------------------------------------- */

static void make_plan(whet_bound_plan *plan, const char *kernel)
{
    whet_bound_launch *launch = &plan->launches[0];
    static const int64_t sizes[] = {M, N, K};
    uint32_t i;

    memset(plan, 0, sizeof *plan);
    plan->launch_count = 1;
    plan->buffer_count = 3;
    plan->buffers[0].bytes = M * K * 4;
    plan->buffers[1].bytes = K * N * 4;
    plan->buffers[2].bytes = M * N * 4;
    (void)whet_strcopy(launch->kernel, sizeof launch->kernel, kernel);
    for (i = 0; i < 3; i++) {
        launch->grid[i] = 1;
        launch->block[i] = i == 0 ? 64 : 1;
        launch->args[i].kind = WHET_ARG_BUFFER;
        launch->args[i].buffer = i;
        launch->args[3 + i].kind = WHET_ARG_I32;
        launch->args[3 + i].value = sizes[i];
    }
    launch->arg_count = 6;
}

/* A worker with the image loaded and three buffers 4096 bytes apart. */
static whet_worker_ctx *open_worker(void *address[3])
{
    const whet_device_ops *ops = &whet_device_hip;
    whet_worker_ctx *ctx = NULL;
    whet_buf image = {0};
    whet_err err = {0};
    char path[512];
    void *base;
    size_t i;

    snprintf(path, sizeof path, "%s/hip/kernels.hsaco",
             getenv("WHET_TEST_DATA"));
    assert_int_equal(whet_fs_read(&image, path, 1 << 20, &err), WHET_OK);
    assert_int_equal(ops->worker_open(&ctx, 1, &err), WHET_OK);
    assert_int_equal(ops->worker_allocate(ctx, 3 * 4096, &base, &err), WHET_OK);
    assert_int_equal(ops->worker_load(ctx, image.data, image.bytes, &err),
                     WHET_OK);
    whet_buf_deinit(&image);
    for (i = 0; i < 3; i++)
        address[i] = (char *)base + i * 4096;
    return ctx;
}

static void test_device_hip__runs_a_plan(void **state)
{
    const whet_device_ops *ops = &whet_device_hip;
    float a[M * K], b[K * N], c[M * N];
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    void *address[3];
    uint64_t elapsed_ns = 0;
    whet_worker_ctx *ctx;
    whet_err err = {0};
    int i, j, k;

    (void)state;
    fake_hip_use("good", true);
    ctx = open_worker(address);
    for (i = 0; i < M * K; i++)
        a[i] = (float)i;
    for (i = 0; i < K * N; i++)
        b[i] = (float)(i % 4);
    assert_int_equal(ops->worker_copy(ctx, true, 0, a, sizeof a, &err),
                     WHET_OK);
    assert_int_equal(ops->worker_copy(ctx, true, 4096, b, sizeof b, &err),
                     WHET_OK);
    make_plan(plan, "gemm_fast");
    assert_int_equal(ops->worker_prepare(ctx, 0, plan, address, &err), WHET_OK);
    assert_int_equal(ops->worker_settle(ctx, 100000, 1 << 20, &err), WHET_OK);
    assert_int_equal(ops->worker_run(ctx, 0, &elapsed_ns, &err), WHET_OK);
    assert_true(elapsed_ns > 0 && elapsed_ns < 1000000000u);
    assert_int_equal(ops->worker_copy(ctx, false, 8192, c, sizeof c, &err),
                     WHET_OK);
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            float sum = 0;

            for (k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * N + j];
            assert_float_equal(c[i * N + j], sum, 0);
        }
    ops->worker_close(ctx);
    free(plan);
}

static void test_device_hip__names_what_fails(void **state)
{
    static const struct {
        const char *kernel, *word;
        bool is_prepared;
    } rows[] = {
        {"gemm_none", "hipErrorNotFound (500)", false},
        {"gemm_refused", "hipErrorLaunchFailure (719)", true},
        {"gemm_fault", "hipErrorIllegalAddress (700)", true},
    };
    const whet_device_ops *ops = &whet_device_hip;
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    void *address[3];
    uint64_t elapsed_ns = 0;
    whet_worker_ctx *ctx;
    whet_err err = {0};
    size_t i;

    (void)state;
    fake_hip_use("good", false);
    ctx = open_worker(address);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_status st;

        make_plan(plan, rows[i].kernel);
        st = ops->worker_prepare(ctx, 0, plan, address, &err);
        assert_int_equal(st == WHET_OK, rows[i].is_prepared);
        if (st == WHET_OK)
            st = ops->worker_run(ctx, 0, &elapsed_ns, &err);
        assert_int_not_equal(st, WHET_OK);
        assert_non_null(strstr(err.msg, rows[i].word));
    }
    /* The last one sticks: nothing works on this context any more. */
    assert_int_not_equal(ops->worker_run(ctx, 0, &elapsed_ns, &err), WHET_OK);
    assert_non_null(strstr(err.msg, "(700)"));
    ops->worker_close(ctx);
    free(plan);
}

/* On a card a launch beyond what a kernel was built for only warns, and returns
 * garbage: it is refused before. */
static void test_device_hip__refuses_groups_beyond_the_build(void **state)
{
    const whet_device_ops *ops = &whet_device_hip;
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    void *address[3];
    whet_worker_ctx *ctx;
    whet_err err = {0};

    (void)state;
    fake_hip_use("good", true);
    ctx = open_worker(address);
    make_plan(plan, "gemm_fast");
    plan->launches[0].block[0] = 1024;
    assert_int_equal(ops->worker_prepare(ctx, 0, plan, address, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "256"));
    plan->launches[0].block[0] = 64;
    plan->launches[0].shared_bytes = 65537;
    assert_int_equal(ops->worker_prepare(ctx, 0, plan, address, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "LDS"));
    ops->worker_close(ctx);
    free(plan);
}

static void test_device_hip__tells_images_of_other_cards(void **state)
{
    static const struct {
        bool is_dtk;
        const char *word;
    } rows[] = {{false, "hipErrorNoBinaryForGpu (209)"},
                {true, "hipErrorInvalidKernelFile (218)"}};
    const whet_device_ops *ops = &whet_device_hip;
    whet_buf image = {0};
    whet_err err = {0};
    char path[512];
    size_t i;

    (void)state;
    snprintf(path, sizeof path, "%s/hip/kernels.hsaco",
             getenv("WHET_TEST_DATA"));
    assert_int_equal(whet_fs_read(&image, path, 1 << 20, &err), WHET_OK);
    for (i = 0; i < 2; i++) {
        whet_worker_ctx *ctx = NULL;

        fake_hip_use("alien", rows[i].is_dtk);
        assert_int_equal(ops->worker_open(&ctx, 0, &err), WHET_OK);
        assert_int_not_equal(
            ops->worker_load(ctx, image.data, image.bytes, &err), WHET_OK);
        assert_non_null(strstr(err.msg, rows[i].word));
        ops->worker_close(ctx);
    }
    whet_buf_deinit(&image);
}

static void test_device_hip__says_when_memory_is_short(void **state)
{
    const whet_device_ops *ops = &whet_device_hip;
    whet_worker_ctx *ctx = NULL;
    whet_err err = {0};
    void *base = &ctx;

    (void)state;
    fake_hip_use("full", true);
    assert_int_equal(ops->worker_open(&ctx, 0, &err), WHET_OK);
    assert_int_equal(ops->worker_allocate(ctx, 1 << 20, &base, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "memory"));
    assert_null(base);
    ops->worker_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_device_hip__tells_the_facts_of_a_dcu,
                                  forget_cards),
        cmocka_unit_test_teardown(test_device_hip__fills_gaps_from_elsewhere,
                                  forget_cards),
        cmocka_unit_test_teardown(
            test_device_hip__numbers_cards_before_variables, forget_cards),
        cmocka_unit_test(test_device_hip__tells_why_there_is_none),
        cmocka_unit_test(test_device_hip__runs_a_plan),
        cmocka_unit_test(test_device_hip__names_what_fails),
        cmocka_unit_test(test_device_hip__refuses_groups_beyond_the_build),
        cmocka_unit_test(test_device_hip__tells_images_of_other_cards),
        cmocka_unit_test(test_device_hip__says_when_memory_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, fake_hip_remove);
}
