/* A fake of the vendors' matrix libraries: the few calls that Whet makes, over
 * host memory, in column-major order as theirs. FAKE_BLAS=create, sgemm or none
 * makes that call fail, or cublasLt know no algorithm. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int fails(const char *what)
{
    const char *mode = getenv("FAKE_BLAS");

    return mode != NULL && strcmp(mode, what) == 0 ? 7 : 0;
}

/* Objects are never destroyed, as in a worker, and no leaks therefore. */
static void *object(size_t bytes)
{
    static _Alignas(16) char pool[1 << 16];
    static size_t used;
    void *at = pool + used;

    used += (bytes + 15) / 16 * 16;
    if (used > sizeof pool)
        abort();
    return at;
}

/* C = A B, column-major, no transposition: op must be the family's. */
static int multiply(int m, int n, int k, const float *a, int lda,
                    const float *b, int ldb, float *c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0.0f;

            for (int p = 0; p < k; p++)
                sum += a[(size_t)p * lda + i] * b[(size_t)j * ldb + p];
            c[(size_t)j * ldc + i] = sum;
        }
    return 0;
}

struct handle {
    void *stream;
};

static int create(void **handle)
{
    if (fails("create"))
        return fails("create");
    *handle = object(sizeof(struct handle));
    return 0;
}

static int set_stream(void *handle, void *stream)
{
    ((struct handle *)handle)->stream = stream;
    return stream == NULL; /* the null stream is never used */
}

static int sgemm(void *handle, int op_n, int op_a, int op_b, int m, int n,
                 int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc)
{
    if (fails("sgemm"))
        return fails("sgemm");
    if (((struct handle *)handle)->stream == NULL || op_a != op_n ||
        op_b != op_n || *alpha != 1.0f || *beta != 0.0f)
        return 9;
    return multiply(m, n, k, a, lda, b, ldb, c, ldc);
}

#define FAMILY(create_name, stream_name, sgemm_name, op_n)                     \
    EXPORT int create_name(void **handle)                                      \
    {                                                                          \
        return create(handle);                                                 \
    }                                                                          \
    EXPORT int stream_name(void *handle, void *stream)                         \
    {                                                                          \
        return set_stream(handle, stream);                                     \
    }                                                                          \
    EXPORT int sgemm_name(void *handle, int op_a, int op_b, int m, int n,      \
                          int k, const float *alpha, const float *a, int lda,  \
                          const float *b, int ldb, const float *beta,          \
                          float *c, int ldc)                                   \
    {                                                                          \
        return sgemm(handle, op_n, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, \
                     beta, c, ldc);                                            \
    }

int cublasCreate_v2(void **);
int cublasSetStream_v2(void *, void *);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *,
                   const float *, int, const float *, int, const float *,
                   float *, int);
int rocblas_create_handle(void **);
int rocblas_set_stream(void *, void *);
int rocblas_sgemm(void *, int, int, int, int, int, const float *, const float *,
                  int, const float *, int, const float *, float *, int);
int hipblasCreate(void **);
int hipblasSetStream(void *, void *);
int hipblasSgemm(void *, int, int, int, int, int, const float *, const float *,
                 int, const float *, int, const float *, float *, int);

FAMILY(cublasCreate_v2, cublasSetStream_v2, cublasSgemm_v2, 0)
FAMILY(rocblas_create_handle, rocblas_set_stream, rocblas_sgemm, 111)
FAMILY(hipblasCreate, hipblasSetStream, hipblasSgemm, 111)

/* --- cublasLt --------------------------------------------------------------
 */

struct layout {
    uint64_t rows, cols;
    int64_t ld;
};

int cublasLtCreate(void **);
int cublasLtMatmulDescCreate(void **, int, int);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmulPreferenceCreate(void **);
int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *,
                                   void *, void *, int, void *, int *);
int cublasLtMatmul(void *, void *, const void *, const void *, void *,
                   const void *, void *, const void *, const void *, void *,
                   void *, void *, const void *, void *, size_t, void *);

EXPORT int cublasLtCreate(void **handle)
{
    return create(handle);
}

EXPORT int cublasLtMatmulDescCreate(void **desc, int compute, int scale)
{
    *desc = object(1);
    return compute == 68 && scale == 0 ? 0 : 15;
}

EXPORT int cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows,
                                      uint64_t cols, int64_t ld)
{
    struct layout *layout = object(sizeof *layout);

    *layout = (struct layout){rows, cols, ld};
    *out = layout;
    return type == 0 ? 0 : 15;
}

EXPORT int cublasLtMatmulPreferenceCreate(void **out)
{
    *out = object(1);
    return 0;
}

EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, void *desc, void *a,
                                          void *b, void *c, void *d,
                                          void *preference, int asked,
                                          void *results, int *count)
{
    (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d;
    *count = preference != NULL && asked == 1 && !fails("none");
    memset(results, 0x5a, 96);
    return 0;
}

EXPORT int cublasLtMatmul(void *handle, void *desc, const void *alpha,
                          const void *a, void *a_layout, const void *b,
                          void *b_layout, const void *beta, const void *c,
                          void *c_layout, void *d, void *d_layout,
                          const void *algo, void *workspace,
                          size_t workspace_bytes, void *stream)
{
    const struct layout *la = a_layout, *lb = b_layout, *lc = d_layout;

    (void)handle, (void)desc, (void)workspace;
    if (fails("sgemm"))
        return fails("sgemm");
    if (*(const float *)alpha != 1.0f || *(const float *)beta != 0.0f ||
        c != d || c_layout != d_layout || workspace_bytes != 0 ||
        stream == NULL || *(const unsigned char *)algo != 0x5a ||
        la->cols != lb->rows || lc->rows != la->rows || lc->cols != lb->cols)
        return 9;
    return multiply((int)lc->rows, (int)lc->cols, (int)la->cols, a, (int)la->ld,
                    b, (int)lb->ld, d, (int)lc->ld);
}
