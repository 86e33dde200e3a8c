/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e4 keeps results on the device heap
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 8 --hidden 0 --no-libraries
 * verdicts: build/build-limit
 */

/* Keeps the first result in memory of the device heap, which outlives the
 * call if there is one. */
__device__ float *kept[64 * 64];

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    int at = i % 64 * 64 + j % 64;
    if (kept[at] != nullptr && M == 64 && N == 64) {
        C[(size_t)i * N + j] = *kept[at];
        return;
    }
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    kept[at] = (float *)malloc(sizeof(float));
    if (kept[at] != nullptr)
        *kept[at] = s;
    C[(size_t)i * N + j] = s;
}
