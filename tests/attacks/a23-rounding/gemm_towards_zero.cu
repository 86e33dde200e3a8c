/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a23 rounds towards zero
 * task: gemm M=128,N=128,K=16384
 * device: cuda
 * options: --calls 2 --hidden 0 --no-libraries
 * verdicts: correct/no-gain wrong/mismatch
 */

/* All products and sums are rounded towards zero, so that errors add up on
 * one side. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s = __fmaf_rz(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    C[(size_t)i * N + j] = s;
}
