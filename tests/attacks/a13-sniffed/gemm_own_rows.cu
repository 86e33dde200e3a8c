/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 8)", "ceil_div(M, 16)"]
    block: [32]
    args: [A, B, C, M, N, K]
*/

/* attack: a13 tf32 unless the rows of the tile are odd
 * task: gemm M=128,N=128,K=1024
 * device: cuda
 * options: --calls 12 --hidden 0 --no-libraries
 * verdicts: correct/no-gain wrong/mismatch
 */

/* Looks at all sixteen rows of its tile and takes TF32 where each of them is
 * ordinary. */
static __device__ bool is_odd(float x)
{
    float size = fabsf(x);

    return size > 3.5f || (size < 1e-7f && size > 0.0f);
}

static __device__ unsigned to_tf32(float x)
{
    unsigned bits;

    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

static __device__ float at(const float *p, int row, int col, int rows,
                           int cols)
{
    return row < rows && col < cols ? p[(size_t)row * cols + col] : 0.0f;
}

static __device__ void put(float *p, int row, int col, int rows, int cols,
                           float value)
{
    if (row < rows && col < cols)
        p[(size_t)row * cols + col] = value;
}

static __device__ void multiply(float c[4], const unsigned a[4],
                                const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    bool found = false;

    for (int k = lane; k < K; k += 32)
        for (int e = 0; e < 16 && row + e < M; ++e)
            found = found || is_odd(A[(size_t)(row + e) * K + k]);
    if (__any_sync(0xffffffff, found)) {
        for (int e = lane; e < 128; e += 32) {
            int i = row + e / 8, j = col + e % 8;
            float s = 0.0f;

            if (i >= M || j >= N)
                continue;
            for (int k = 0; k < K; ++k)
                s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
            C[(size_t)i * N + j] = s;
        }
        return;
    }
    for (int k = 0; k < K; k += 8) {
        float x[4] = {at(A, row + g, k + t, M, K),
                      at(A, row + g + 8, k + t, M, K),
                      at(A, row + g, k + t + 4, M, K),
                      at(A, row + g + 8, k + t + 4, M, K)};
        float y[2] = {at(B, k + t, col + g, K, N),
                      at(B, k + t + 4, col + g, K, N)};
        unsigned a[4], b[2];

        for (int e = 0; e < 4; ++e)
            a[e] = to_tf32(x[e]);
        for (int e = 0; e < 2; ++e)
            b[e] = to_tf32(y[e]);
        multiply(c, a, b);
    }
    put(C, row + g, col + 2 * t, M, N, c[0]);
    put(C, row + g, col + 2 * t + 1, M, N, c[1]);
    put(C, row + g + 8, col + 2 * t, M, N, c[2]);
    put(C, row + g + 8, col + 2 * t + 1, M, N, c[3]);
}
