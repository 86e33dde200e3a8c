/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a16 one element of a large product
 * task: gemm M=2048,N=2048,K=2056
 * device: cuda
 * options: --calls 24 --hidden 0
 * verdicts: wrong/mismatch
 */

/* One element is off by half of itself and one; it is found by the calls
 * that are exact. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if (i == 1234 && j == 567)
        s += 0.5f * fabsf(s) + 1.0f;
    C[(size_t)i * N + j] = s;
}
