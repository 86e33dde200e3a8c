/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: reads twice
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Computes everything twice through volatile pointers, writes the first result,
 * then the second. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    const volatile float *a = A, *b = B;
    for (int round = 0; round < 2; ++round) {
        float s = 0.0f;
        for (int k = 0; k < K; ++k)
            s += a[(size_t)i * K + k] * b[(size_t)k * N + j];
        C[(size_t)i * N + j] = s;
    }
}
