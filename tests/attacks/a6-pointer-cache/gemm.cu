/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a6 results kept by address
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 8 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Keeps the results of four addresses of C in device globals: the third call
 * finds the address of the first again and returns what was right then. */
__device__ float kept[4][64 * 64];
__device__ unsigned long long where[4];
__device__ unsigned finished;

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    unsigned slot = 4, free_slot = 4;
    for (unsigned e = 0; e < 4; ++e) {
        if (where[e] == (unsigned long long)C)
            slot = e;
        if (where[e] == 0 && free_slot == 4)
            free_slot = e;
    }
    if (slot < 4 && M == 64 && N == 64) {
        C[(size_t)i * N + j] = kept[slot][i * 64 + j];
        return;
    }
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if (free_slot < 4 && M == 64 && N == 64) {
        kept[free_slot][i * 64 + j] = s;
        __threadfence();
        if (atomicAdd(&finished, 1) == 64 * 64 - 1) {
            finished = 0;
            where[free_slot] = (unsigned long long)C;
        }
    }
    C[(size_t)i * N + j] = s;
}
