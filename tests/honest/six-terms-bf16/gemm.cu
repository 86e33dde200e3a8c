/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 8)", "ceil_div(M, 16)"]
    block: [32]
    args: [A, B, C, M, N, K]
*/

/* honest: six terms bf16
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* bf16 matrix units with each operand split in three parts of 8 bits: the six
 * products of weight 2^-16 and above make f32. Sums of 16 are added up outside
 * the units, which cut off what they add. */
__device__ unsigned part(float *v)
{
    unsigned bits = (__float_as_uint(*v) + 0x8000u) & 0xffff0000u;

    *v -= __uint_as_float(bits);
    return bits >> 16;
}
__device__ void split(unsigned out[3], float low, float high)
{
    for (int p = 0; p < 3; ++p) {
        out[p] = part(&low);
        out[p] |= part(&high) << 16;
    }
}
__device__ void mma(float *d, unsigned a[4][3], int p, unsigned b[2][3], int q)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0][p]), "r"(a[1][p]), "r"(a[2][p]), "r"(a[3][p]), "r"(b[0][q]),
          "r"(b[1][q]));
}
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    int i = blockIdx.y * 16 + g, j = blockIdx.x * 8;
    float s[4] = {};

    for (int first = 0; first < K; first += 16) {
        unsigned a[4][3], b[2][3];
        float d[6][4] = {};
        for (int e = 0; e < 4; ++e) {
            int r = i + e % 2 * 8, k = first + 2 * t + e / 2 * 8;
            const float *from = A + (size_t)r * K + k;
            split(a[e], r < M && k < K ? from[0] : 0.0f,
                  r < M && k + 1 < K ? from[1] : 0.0f);
        }
        for (int e = 0; e < 2; ++e) {
            int c = j + g, k = first + 2 * t + e * 8;
            const float *from = B + (size_t)k * N + c;
            split(b[e], c < N && k < K ? from[0] : 0.0f,
                  c < N && k + 1 < K ? from[N] : 0.0f);
        }
        mma(d[0], a, 0, b, 0);
        mma(d[1], a, 0, b, 1);
        mma(d[2], a, 1, b, 0);
        mma(d[3], a, 1, b, 1);
        mma(d[4], a, 0, b, 2);
        mma(d[5], a, 2, b, 0);
        for (int e = 0; e < 4; ++e)
            s[e] += d[0][e] + ((d[1][e] + d[2][e]) +
                               (d[3][e] + (d[4][e] + d[5][e])));
    }
    for (int e = 0; e < 4; ++e) {
        int r = i + e / 2 * 8, c = j + 2 * t + e % 2;
        if (r < M && c < N)
            C[(size_t)r * N + c] = s[e];
    }
}
