/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e2 ends late
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 4 --hidden 0 --no-libraries
 * verdicts: correct/no-gain
 */

/* The output is there at once, one block stays for 20 milliseconds. */
static __device__ unsigned long long now(void)
{
    unsigned long long ns;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

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
    C[(size_t)i * N + j] = s;

    unsigned long long begin = now();
    while (i == 0 && j == 0 && now() - begin < 20000000)
        ;
}
