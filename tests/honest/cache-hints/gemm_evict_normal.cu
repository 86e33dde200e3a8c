/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: prefetch with the usual priority
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 60 --hidden 0 --no-libraries
 * verdicts: correct
 */

/* Twin of attacks/b15-eviction-hints/gemm.cu: its prefetches, with the
 * priority that lines have anyhow. */
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
    asm volatile("prefetch.global.L2::evict_normal [%0];"
                 :
                 : "l"(A + (size_t)i * K + j % K));
    asm volatile("prefetch.global.L2::evict_normal [%0];"
                 :
                 : "l"(B + (size_t)(i % K) * N + j));
    C[(size_t)i * N + j] = s;
}
