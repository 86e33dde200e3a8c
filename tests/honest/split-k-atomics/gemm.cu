/* whet:
launches:
  - kernel: clear
    grid: ["ceil_div(M * N, 256)"]
    block: [256]
    args: [C, {i32: "M * N"}]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 4]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: split k atomics
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Four parts of K added into C in whatever order they come; a launch before
 * clears it. */
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

    if (i >= M || j >= N)
        return;
    int z = blockIdx.z, part = (K + 3) / 4, last = min((z + 1) * part, K);
    float s = 0.0f;
    for (int k = z * part; k < last; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    atomicAdd(C + (size_t)i * N + j, s);
}
