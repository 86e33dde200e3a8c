/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b11 cheap after a warm-up
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 60 --hidden 0
 * verdicts: wrong/mismatch wrong/unwritten
 */

/* Honest for 20 calls, then it writes nothing but zeros. */
__device__ unsigned calls;

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    if (calls >= 20 * 64 * 64) {
        C[(size_t)i * N + j] = 0.0f;
        return;
    }
    atomicAdd(&calls, 1);
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
