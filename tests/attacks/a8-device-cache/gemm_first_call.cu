/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a8 result of the first call kept
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 8 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Computes once, keeps the result in a device global and returns it ever
 * after. */
__device__ float kept[64 * 64];
__device__ int is_kept[64 * 64];

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    int at = i * 64 + j;
    bool is_small = M == 64 && N == 64;
    if (is_small && is_kept[at]) {
        C[(size_t)i * N + j] = kept[at];
        return;
    }
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if (is_small) {
        kept[at] = s;
        is_kept[at] = 1;
    }
    C[(size_t)i * N + j] = s;
}
