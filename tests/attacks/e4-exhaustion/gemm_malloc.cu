/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e4 takes the device heap
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 8 --hidden 0 --no-libraries
 * verdicts: build/build-limit
 */

/* Each thread takes a MiB and never gives it back. */
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
    char *taken = (char *)malloc(1 << 20);
    if (taken != nullptr)
        taken[i + j] = 1;
    C[(size_t)i * N + j] = s;
}
