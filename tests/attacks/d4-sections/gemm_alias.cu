/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d4 a second kernel under the first one's name
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0 --no-libraries
 * verdicts: build/compile correct/no-gain
 */

/* An assembly label gives another function the kernel's name. */
extern "C" __global__ void other(float *C) asm("gemm");
extern "C" __global__ void other(float *C)
{
    C[0] = 0.0f;
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
}
