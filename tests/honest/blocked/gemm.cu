/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 32)", "ceil_div(M, 32)"]
    block: [8, 8]
    args: [A, B, C, M, N, K]
*/

/* honest: blocked
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* A block of 4 x 4 elements in registers for each thread. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int i = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    float s[4][4] = {};

    for (int k = 0; k < K; ++k)
        for (int r = 0; r < 4; ++r) {
            float a = i + r < M ? A[(size_t)(i + r) * K + k] : 0.0f;
            for (int c = 0; c < 4; ++c)
                if (j + c < N)
                    s[r][c] = fmaf(a, B[(size_t)k * N + j + c], s[r][c]);
        }
    for (int r = 0; r < 4 && i + r < M; ++r)
        for (int c = 0; c < 4 && j + c < N; ++c)
            C[(size_t)(i + r) * N + j + c] = s[r][c];
}
