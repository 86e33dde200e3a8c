/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
tunables: {WHERE: [0, 524803, 699050, 1048575]}
*/

/* attack: a16 one element of 2^20
 * task: gemm M=1024,N=1024,K=8
 * device: cuda
 * options: --calls 2 --hidden 0
 * points: WHERE=0; WHERE=524803; WHERE=699050; WHERE=1048575
 * verdicts: wrong/mismatch
 */

/* One wrong element, at a place that the point chooses. */
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
    if ((size_t)i * N + j == WHERE)
        s += 0.02f * (fabsf(s) + 1.0f);
    C[(size_t)i * N + j] = s;
}
