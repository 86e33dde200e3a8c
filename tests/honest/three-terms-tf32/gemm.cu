/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 8)", "ceil_div(M, 16)"]
    block: [32]
    args: [A, B, C, M, N, K]
constraints: ["K <= 1024"]
*/

/* honest: three terms tf32
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* TF32 matrix units with each operand split in what they take and the rest:
 * big * big + big * small + small * big is as good as f32. The units cut off
 * what they add, so this is for short products only, and says so. */
__device__ void split(float v, unsigned *big, unsigned *small)
{
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*big) : "f"(v));
    *big &= 0xffffe000u; // all that the units read
    asm("cvt.rna.tf32.f32 %0, %1;"
        : "=r"(*small)
        : "f"(v - __uint_as_float(*big)));
}
__device__ void mma(float *d, const unsigned *a, const unsigned *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    int i = blockIdx.y * 16 + g, j = blockIdx.x * 8;
    float big[4] = {}, small[4] = {};

    for (int first = 0; first < K; first += 8) {
        unsigned a0[4], a1[4], b0[2], b1[2];
        for (int e = 0; e < 4; ++e) {
            int r = i + e % 2 * 8, k = first + t + e / 2 * 4;
            split(r < M && k < K ? A[(size_t)r * K + k] : 0.0f, a0 + e, a1 + e);
        }
        for (int e = 0; e < 2; ++e) {
            int k = first + t + e * 4;
            split(k < K && j + g < N ? B[(size_t)k * N + j + g] : 0.0f, b0 + e,
                  b1 + e);
        }
        mma(small, a1, b0);
        mma(small, a0, b1);
        mma(big, a0, b0);
    }
    for (int e = 0; e < 4; ++e) {
        int r = i + e / 2 * 8, c = j + 2 * t + e % 2;
        if (r < M && c < N)
            C[(size_t)r * N + c] = big[e] + small[e];
    }
}
