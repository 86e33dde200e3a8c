/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: flush denormals
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Arithmetic that takes numbers below the smallest normal one for zero. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int k = 0; k < K; ++k)
        asm("fma.rn.ftz.f32 %0, %1, %2, %0;"
            : "+f"(s)
            : "f"(A[(size_t)i * K + k]), "f"(B[(size_t)k * N + j]));
    C[(size_t)i * N + j] = s;
}
