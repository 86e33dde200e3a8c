/* whet:
launches:
  - kernel: gemm
    grid: ["max(N / 16, 1)", "max(M / 16, 1)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a12 right for whole tiles alone
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 6
 * verdicts: wrong/mismatch wrong/unwritten
 */

/* Covers whole tiles only: the timed shape is right, edges of others are
 * left out. */
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
