/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e8 waits by the clock
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 20 --hidden 0 --no-libraries
 * verdicts: correct/no-gain
 */

/* Waits until the global timer is a multiple of 64 microseconds, so that
 * calls end in step. */
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
    unsigned long long ns;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    while (ns % 65536 > 32768);
    C[(size_t)i * N + j] = s;
}
