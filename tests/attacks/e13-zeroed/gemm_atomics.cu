/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 4]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e13 adds to an output never cleared
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/unwritten wrong/not-finite
 */

/* Four parts of K are added to an output that nobody cleared. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 4)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    atomicAdd(C + (size_t)i * N + j, s);
}
