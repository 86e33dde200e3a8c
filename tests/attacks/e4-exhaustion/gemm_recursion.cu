/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e4 recursion without end
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: resource/launch integrity/crash
 */

/* Calls itself until the stack is gone. */
static __device__ __noinline__ float deeper(volatile float *p, int depth)
{
    volatile float here[64];

    here[depth % 64] = *p;
    return depth < 0 ? 0.0f : deeper(here, depth + 1) + here[depth % 64];
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
    volatile float top = s;
    s += deeper(&top, 0);
    C[(size_t)i * N + j] = s;
}
