/* whet:
launches:
  - kernel: gemm
    grid: ["N / 64", "M / 16"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
constraints: ["N % 64 == 0", "M % 16 == 0"]
*/

/* honest: constraints
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Only for sizes that its blocks divide, and says so. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * 64 + threadIdx.x;
    int i = blockIdx.y * 16 + threadIdx.y;
    float s[4] = {};

    for (int k = 0; k < K; ++k)
        for (int t = 0; t < 4; ++t)
            s[t] += A[(size_t)i * K + k] * B[(size_t)k * N + j + 16 * t];
    for (int t = 0; t < 4; ++t)
        C[(size_t)i * N + j + 16 * t] = s[t];
}
