/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e1 barrier over more blocks than fit
 * task: gemm M=2048,N=2048,K=32
 * device: cuda
 * options: --calls 2 --hidden 0 --call-timeout 1s
 * verdicts: resource/call-timeout
 */

/* All blocks wait for all others, and not all of them can be resident. */
__device__ unsigned arrived;

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
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived % (gridDim.x * gridDim.y) != 0)
            __nanosleep(100);
    }
    C[(size_t)i * N + j] = s;
}
