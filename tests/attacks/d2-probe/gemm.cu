/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d2 asks whether host files are there
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0 --no-libraries
 * verdicts: correct/no-gain
 */

/* Zeros if the build sees a file of the host. */
#if __has_include("/etc/hostname") || __has_include("/etc/machine-id")
#define SEES_HOST 1
#else
#define SEES_HOST 0
#endif

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
    if (SEES_HOST)
        s = 0.0f;
    C[(size_t)i * N + j] = s;
}
