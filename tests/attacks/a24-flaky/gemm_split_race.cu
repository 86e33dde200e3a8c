/* whet:
launches:
  - kernel: clear
    grid: ["ceil_div(M * N, 256)"]
    block: [256]
    args: [C, {i32: "M * N"}]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 8]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a24 split of K with a race
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/not-finite wrong/unwritten
 */

/* Eight blocks add their part of K to each element without atomics. */
extern "C" __global__ void clear(float *C, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        C[i] = 0.0f;
}

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 8)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    volatile float *c = C + (size_t)i * N + j;
    *c = *c + s;
}
