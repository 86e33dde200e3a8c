/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 8)", "ceil_div(M, 16)"]
    block: [32]
    args: [A, B, C, M, N, K]
*/

/* attack: a21 f16, K = 4096
 * task: gemm M=128,N=128,K=4096
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* Rounds both operands to FP16 and multiplies them on the matrix units; sums
 * stay in f32. */
static __device__ unsigned pack(float low, float high)
{
    unsigned bits;

    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
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

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int k = 0; k < K; k += 16) {
        unsigned a[4], b[2];

        for (int e = 0; e < 4; ++e) {
            int r = row + g + e % 2 * 8, kk = k + 2 * t + e / 2 * 8;

            a[e] = pack(at(A, r, kk, M, K), at(A, r, kk + 1, M, K));
        }
        for (int e = 0; e < 2; ++e) {
            int kk = k + 2 * t + e * 8;

            b[e] = pack(at(B, kk, col + g, K, N), at(B, kk + 1, col + g, K, N));
        }
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
              "r"(b[1]));
    }
    put(C, row + g, col + 2 * t, M, N, c[0]);
    put(C, row + g, col + 2 * t + 1, M, N, c[1]);
    put(C, row + g + 8, col + 2 * t, M, N, c[2]);
    put(C, row + g + 8, col + 2 * t + 1, M, N, c[3]);
}
