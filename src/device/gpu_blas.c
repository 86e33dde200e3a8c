/* Matrix products of the vendors' libraries, as comparison arms. Their plain
 * interfaces are shaped alike (handle, stream, sgemm in column-major order);
 * cublasLt has one of its own. Prototypes and numbers are those of the public
 * references of cuBLAS 13, rocBLAS and hipBLAS; nothing is linked.
 *
 * Row-major C = A B is column-major C' = B' A'. Default maths: f32 throughout,
 * no TF32. */

#include "device/gpu_priv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plain interface, by any of its names. */
struct plain {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, whet_gpu_handle stream);
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k,
                 const float *alpha, const float *a, int lda, const float *b,
                 int ldb, const float *beta, float *c, int ldc);
};

/* cublasLt. */
struct lt {
    int (*create)(void **handle);
    int (*desc_create)(void **desc, int compute, int scale);
    int (*layout_create)(void **layout, int type, uint64_t rows, uint64_t cols,
                         int64_t ld);
    int (*preference_create)(void **preference);
    int (*heuristic)(void *handle, void *desc, void *a, void *b, void *c,
                     void *d, void *preference, int asked, void *results,
                     int *count);
    int (*matmul)(void *handle, void *desc, const void *alpha, const void *a,
                  void *a_layout, const void *b, void *b_layout,
                  const void *beta, const void *c, void *c_layout, void *d,
                  void *d_layout, const void *algo, void *workspace,
                  size_t workspace_bytes, whet_gpu_handle stream);
};

enum {
    LT_COMPUTE_32F = 68,  /* CUBLAS_COMPUTE_32F */
    LT_REAL_32F = 0,      /* CUDA_R_32F */
    LT_RESULT_BYTES = 96, /* cublasLtMatmulHeuristicResult_t; algo is first */
    BLAS_OP_N = 111,      /* hipBLAS and rocBLAS; cuBLAS has 0 */
    SYMBOLS_MAX = 6,
    PATHS_MAX = 5
};

/* What a slot's routine needs. */
struct product {
    union {
        struct plain plain;
        struct lt lt;
    } calls;
    const struct library *library;
    void *handle;
    void *desc, *a_layout, *b_layout, *c_layout;
    unsigned char result[LT_RESULT_BYTES];
    float one, zero;
    const float *a, *b;
    float *c;
    int m, n, k;
};

#define PLAIN(member, name)                                                    \
    {                                                                          \
        {name}, offsetof(struct product, calls.plain.member), true             \
    }
#define LT(member, name)                                                       \
    {                                                                          \
        {name}, offsetof(struct product, calls.lt.member), true                \
    }

/* A library. Paths as of whet_gpu__paths_add. */
struct library {
    const char *name;
    const char *paths[PATHS_MAX];
    whet_gpu_symbol symbols[SYMBOLS_MAX];
    size_t symbol_count;
    int op_n;
    whet_status (*call)(void *payload, whet_gpu_handle stream, whet_err *err);
    whet_status (*prepare)(struct product *p, whet_err *err);
};

static whet_status failed(whet_err *err, const struct product *p,
                          const char *what, int code)
{
    return whet_err_set(err, WHET_EFAIL, "%s: %s failed with status %d",
                        p->library->name, what, code);
}

static whet_status call_plain(void *payload, whet_gpu_handle stream,
                              whet_err *err)
{
    struct product *p = payload;
    const struct plain *calls = &p->calls.plain;
    int op = p->library->op_n;
    int code = calls->set_stream(p->handle, stream);

    if (code == 0)
        code = calls->sgemm(p->handle, op, op, p->n, p->m, p->k, &p->one, p->b,
                            p->n, p->a, p->k, &p->zero, p->c, p->n);
    return code == 0 ? WHET_OK : failed(err, p, "sgemm", code);
}

static whet_status prepare_plain(struct product *p, whet_err *err)
{
    int code = p->calls.plain.create(&p->handle);

    return code == 0 ? WHET_OK : failed(err, p, "making a handle", code);
}

static whet_status call_lt(void *payload, whet_gpu_handle stream, whet_err *err)
{
    struct product *p = payload;
    int code =
        p->calls.lt.matmul(p->handle, p->desc, &p->one, p->b, p->b_layout, p->a,
                           p->a_layout, &p->zero, p->c, p->c_layout, p->c,
                           p->c_layout, p->result, NULL, 0, stream);

    return code == 0 ? WHET_OK : failed(err, p, "matmul", code);
}

static whet_status prepare_lt(struct product *p, whet_err *err)
{
    const struct lt *calls = &p->calls.lt;
    uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    void *preference = NULL;
    int count = 0;
    int code = calls->create(&p->handle);

    if (code == 0)
        code = calls->desc_create(&p->desc, LT_COMPUTE_32F, LT_REAL_32F);
    if (code == 0)
        code = calls->layout_create(&p->b_layout, LT_REAL_32F, n, k, p->n);
    if (code == 0)
        code = calls->layout_create(&p->a_layout, LT_REAL_32F, k, m, p->k);
    if (code == 0)
        code = calls->layout_create(&p->c_layout, LT_REAL_32F, n, m, p->n);
    /* The default preference allows no workspace. */
    if (code == 0)
        code = calls->preference_create(&preference);
    if (code == 0)
        code = calls->heuristic(p->handle, p->desc, p->b_layout, p->a_layout,
                                p->c_layout, p->c_layout, preference, 1,
                                p->result, &count);
    if (code == 0 && count < 1)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "cublaslt: knows no algorithm for this product");
    return code == 0 ? WHET_OK : failed(err, p, "preparing", code);
}

static const struct library libraries[] = {
    {"cublas",
     {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
      "/usr/local/cuda*/lib64/libcublas.so.*[0-9]"},
     {PLAIN(create, "cublasCreate_v2"), PLAIN(set_stream, "cublasSetStream_v2"),
      PLAIN(sgemm, "cublasSgemm_v2")},
     3,
     0,
     call_plain,
     prepare_plain},
    {"cublaslt",
     {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
      "/usr/local/cuda*/lib64/libcublasLt.so.*[0-9]"},
     {LT(create, "cublasLtCreate"), LT(desc_create, "cublasLtMatmulDescCreate"),
      LT(layout_create, "cublasLtMatrixLayoutCreate"),
      LT(preference_create, "cublasLtMatmulPreferenceCreate"),
      LT(heuristic, "cublasLtMatmulAlgoGetHeuristic"),
      LT(matmul, "cublasLtMatmul")},
     6,
     0,
     call_lt,
     prepare_lt},
    {"rocblas",
     {"librocblas.so.5", "librocblas.so.4", "librocblas.so.0",
      "/opt/rocm*/lib/librocblas.so*", "/opt/dtk*/lib/librocblas.so*"},
     {PLAIN(create, "rocblas_create_handle"),
      PLAIN(set_stream, "rocblas_set_stream"), PLAIN(sgemm, "rocblas_sgemm")},
     3,
     BLAS_OP_N,
     call_plain,
     prepare_plain},
    {"hipblas",
     {"libhipblas.so.3", "libhipblas.so.2", "libhipblas.so.0",
      "/opt/rocm*/lib/libhipblas.so*", "/opt/dtk*/lib/libhipblas.so*"},
     {PLAIN(create, "hipblasCreate"), PLAIN(set_stream, "hipblasSetStream"),
      PLAIN(sgemm, "hipblasSgemm")},
     3,
     BLAS_OP_N,
     call_plain,
     prepare_plain},
};

static whet_status open_library(struct product *p, whet_err *err)
{
    const struct library *library = p->library;
    const char *named = getenv("WHET_BLAS_LIBRARY");
    whet_gpu_paths *paths = calloc(1, sizeof *paths);
    whet_status st = WHET_EUNSUPPORTED;
    whet_err first = {0}, why = {0};
    void *handle;
    uint32_t i;

    if (paths == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    if (named != NULL && named[0] != '\0')
        whet_gpu__paths_add(paths, named);
    for (i = 0; i < PATHS_MAX && (named == NULL || named[0] == '\0'); i++)
        if (library->paths[i] != NULL)
            whet_gpu__paths_add(paths, library->paths[i]);
    for (i = 0; st != WHET_OK && i < paths->count; i++) {
        st = whet_gpu__load(p, &handle, paths->path[i], library->symbols,
                            library->symbol_count, &why);
        if (i == 0)
            first = why;
    }
    free(paths);
    if (st != WHET_OK)
        whet_err_set(err, WHET_EUNSUPPORTED, "%s: %.200s", library->name,
                     first.msg);
    return st;
}

static const struct library *find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strcmp(libraries[i].name, name) == 0)
            return &libraries[i];
    return NULL;
}

static whet_status fill(struct product *p, const whet_library_call *call,
                        void *const *address, whet_err *err)
{
    int i;

    for (i = 0; i < 3; i++)
        if (call->size[i] < 1 || call->size[i] > INT_MAX ||
            call->buffer[i] >= WHET_BUFFER_MAX)
            return whet_err_set(
                err, WHET_EUNSUPPORTED, "%s: size %lld, expected 1 to %d",
                p->library->name, (long long)call->size[i], INT_MAX);
    p->one = 1.0f;
    p->a = address[call->buffer[0]];
    p->b = address[call->buffer[1]];
    p->c = address[call->buffer[2]];
    p->m = (int)call->size[0];
    p->n = (int)call->size[1];
    p->k = (int)call->size[2];
    return WHET_OK;
}

whet_status whet_gpu__worker_library(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_library_call *call,
                                     void *const *address, whet_err *err)
{
    struct product *p = calloc(1, sizeof *p);
    whet_gpu_routine routine;
    whet_status st = WHET_OK;

    if (p == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    p->library = find(call->library);
    if (p->library == NULL || call->op != WHET_LIBRARY_GEMM_F32)
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "library %.24s: unknown, or not for this operation",
                          call->library);
    if (st == WHET_OK)
        st = fill(p, call, address, err);
    if (st == WHET_OK)
        st = open_library(p, err);
    if (st == WHET_OK)
        st = p->library->prepare(p, err);
    routine = (whet_gpu_routine){st == WHET_OK ? p->library->call : NULL, p};
    if (st == WHET_OK)
        st = whet_gpu__worker_routine(ctx, slot, &routine, err);
    /* The library's own objects stay for the worker's life. */
    if (st != WHET_OK)
        free(p);
    return st;
}
