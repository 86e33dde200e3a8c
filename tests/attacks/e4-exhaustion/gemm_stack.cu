/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e4 half a MiB of stack a thread
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 2 --hidden 0 --no-libraries
 * verdicts: build/build-limit
 */

/* A local array that takes more memory for all threads than there is. */
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
    volatile float deep[120000];
    for (int e = 0; e < 120000; e += 4000)
        deep[e + (i + j) % 4000] = s;
    s += 0.0f * deep[(i * j) % 120000 / 4000 * 4000 + (i + j) % 4000];
    C[(size_t)i * N + j] = s;
}
