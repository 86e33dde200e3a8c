/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b30 looks for time stamps near its buffers
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 20 --hidden 0 --no-libraries
 * verdicts: correct/no-gain wrong/mismatch integrity/guard integrity/input resource/launch integrity/crash
 */

/* Reads below its buffers, page after page, in search of something that
 * looks like a time of the global timer, and would lower it. */
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
        unsigned long long now;
        volatile unsigned long long *p = (unsigned long long *)
            ((unsigned long long)A & ~0x1fffffull);

        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        for (int e = 0; e < 262144; ++e)
            if (p[e] < now && now - p[e] < 10000000)
                p[e] = p[e] + 1000;
    }
    C[(size_t)i * N + j] = s;
}
