/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(N, 16)", "ceil_div(K, 16)"]
    block: [16, 16]
    args: [B, turned, N, K]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, turned, C, M, N, K]
workspace:
  turned: {dtype: f32, shape: [N, K]}
*/

/* honest: turned operand
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* B is transposed into workspace first, so that both operands run along K. */
extern "C" __global__ void turn(const float *B, float *turned, int N, int K)
{
    int j = blockIdx.x * 16 + threadIdx.x, k = blockIdx.y * 16 + threadIdx.y;

    if (j < N && k < K)
        turned[(size_t)j * K + k] = B[(size_t)k * N + j];
}
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)j * K + k];
    C[(size_t)i * N + j] = s;
}
