/* Vendors' matrix libraries in the place of a plan, over fakes of the driver
 * and of the libraries: row-major results, and every failure told. */

#include "device/gpu_priv.h"
#include "fake_cuda_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { M = 3, N = 5, K = 4, REGION_BYTES = 1 << 16 };

struct fixture {
    const whet_device_ops *ops;
    whet_worker_ctx *ctx;
    float *a, *b, *c;
    void *address[WHET_BUFFER_MAX];
    whet_library_call call;
    whet_err err;
};

/* The fake lies beside this program's folder, as those of drivers do. */
static void use_fake_blas(void)
{
    char *self = NULL, *slash;
    char path[4096];

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    slash = strrchr(self, '/');
    assert_non_null(slash);
    snprintf(path, sizeof path, "%.*s/fake_blas.so", (int)(slash - self), self);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%.*s/device/fake_blas.so",
                 (int)(slash - self), self);
    assert_int_equal(access(path, R_OK), 0);
    setenv("WHET_BLAS_LIBRARY", path, 1);
    free(self);
}

static int setup(void **state)
{
    struct fixture *fix = calloc(1, sizeof *fix);
    void *base = NULL;

    assert_non_null(fix);
    fake_cuda_use("");
    use_fake_blas();
    unsetenv("FAKE_BLAS");
    fix->ops = whet_device_find("cuda");
    assert_int_equal(fix->ops->worker_open(&fix->ctx, 0, &fix->err), WHET_OK);
    assert_int_equal(
        fix->ops->worker_allocate(fix->ctx, REGION_BYTES, &base, &fix->err),
        WHET_OK);
    fix->a = base;
    fix->b = fix->a + 1024;
    fix->c = fix->a + 2048;
    fix->address[2] = fix->a;
    fix->address[0] = fix->b;
    fix->address[1] = fix->c;
    fix->call = (whet_library_call){.op = WHET_LIBRARY_GEMM_F32,
                                    .library = "cublas",
                                    .buffer = {2, 0, 1},
                                    .size = {M, N, K}};
    *state = fix;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fix = *state;

    fix->ops->worker_close(fix->ctx);
    free(fix);
    unsetenv("WHET_BLAS_LIBRARY");
    unsetenv("FAKE_BLAS");
    return 0;
}

static whet_status prepare(struct fixture *fix)
{
    return fix->ops->worker_library(fix->ctx, 1, &fix->call, fix->address,
                                    &fix->err);
}

static void expect(struct fixture *fix, whet_status st, whet_status wanted,
                   const char *word)
{
    if (st != wanted || strstr(fix->err.msg, word) == NULL)
        fail_msg("status %d: %s", st, fix->err.msg);
}

/* C = A B by hand, row-major. */
static void check_product(struct fixture *fix, const char *library)
{
    uint64_t elapsed_ns = 0;

    strcpy(fix->call.library, library);
    for (int i = 0; i < M * K; i++)
        fix->a[i] = (float)(i + 1);
    for (int i = 0; i < K * N; i++)
        fix->b[i] = (float)(2 * i - 7);
    memset(fix->c, 0xff, M * N * sizeof *fix->c);
    expect(fix, prepare(fix), WHET_OK, "");
    expect(fix, fix->ops->worker_run(fix->ctx, 1, &elapsed_ns, &fix->err),
           WHET_OK, "");
    assert_true(elapsed_ns > 0);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;

            for (int k = 0; k < K; k++)
                sum += fix->a[i * K + k] * fix->b[k * N + j];
            assert_true(fix->c[i * N + j] == sum);
        }
}

static void test_device_gpu_blas__every_library_multiplies(void **state)
{
    static const char *const names[] = {"cublas", "cublaslt", "rocblas",
                                        "hipblas"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_product(*state, names[i]);
}

static void test_device_gpu_blas__unknown_names_and_sizes_are_told(void **state)
{
    struct fixture *fix = *state;

    strcpy(fix->call.library, "magma");
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "magma");
    strcpy(fix->call.library, "cublas");
    fix->call.size[1] = INT64_C(1) << 31;
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "2147483648");
    fix->call.size[1] = 0;
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "size 0");
    fix->call.size[1] = N;
    fix->call.op = 99;
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "operation");
}

static void test_device_gpu_blas__absence_is_explained(void **state)
{
    struct fixture *fix = *state;

    setenv("WHET_BLAS_LIBRARY", "/nonexistent/libblas.so", 1);
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "/nonexistent/libblas.so");
    /* A library that lacks the calls. */
    setenv("WHET_BLAS_LIBRARY", getenv("WHET_CUDA_LIBRARY"), 1);
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "cublasCreate_v2");
}

static void test_device_gpu_blas__failures_are_told(void **state)
{
    struct fixture *fix = *state;
    uint64_t elapsed_ns;

    setenv("FAKE_BLAS", "create", 1);
    expect(fix, prepare(fix), WHET_EFAIL, "handle");
    setenv("FAKE_BLAS", "none", 1);
    strcpy(fix->call.library, "cublaslt");
    expect(fix, prepare(fix), WHET_EUNSUPPORTED, "no algorithm");
    setenv("FAKE_BLAS", "sgemm", 1);
    expect(fix, prepare(fix), WHET_OK, "");
    expect(fix, fix->ops->worker_run(fix->ctx, 1, &elapsed_ns, &fix->err),
           WHET_EFAIL, "matmul");
    strcpy(fix->call.library, "rocblas");
    expect(fix, prepare(fix), WHET_OK, "");
    expect(fix, fix->ops->worker_run(fix->ctx, 1, &elapsed_ns, &fix->err),
           WHET_EFAIL, "sgemm");
}

int main(void)
{
#define ROW(name)                                                              \
    cmocka_unit_test_setup_teardown(test_device_gpu_blas__##name, setup,       \
                                    teardown)
    const struct CMUnitTest tests[] = {
        ROW(every_library_multiplies),
        ROW(unknown_names_and_sizes_are_told),
        ROW(absence_is_explained),
        ROW(failures_are_told),
    };
#undef ROW

    return cmocka_run_group_tests(tests, NULL, fake_cuda_remove);
}
