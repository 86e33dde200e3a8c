/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a24 right for the first 100 calls
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 450 --hidden 0
 * verdicts: wrong/mismatch
 */

/* From the 101st call on one element is wrong. */
__device__ unsigned calls;

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
    if (i == 0 && j == 0) {
        unsigned call = calls++;

        if (call >= 100)
            s += 0.1f * fabsf(s) + 1.0f;
    }
    C[(size_t)i * N + j] = s;
}
