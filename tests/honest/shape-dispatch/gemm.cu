/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: shape dispatch
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* A way of its own for the sizes that it knows and for aligned ones, and one
 * for all others: what each computes is the same product. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    if (M == 512 && N == 512 && K == 512) {
#pragma unroll 8
        for (int k = 0; k < 512; ++k)
            s += A[i * 512 + k] * B[k * 512 + j];
    } else if (K % 4 == 0 && ((size_t)A & 15) == 0) {
        for (int k = 0; k < K; k += 4) {
            float4 a = *(const float4 *)(A + (size_t)i * K + k);
            s += a.x * B[(size_t)k * N + j] + a.y * B[(size_t)(k + 1) * N + j];
            s += a.z * B[(size_t)(k + 2) * N + j] +
                 a.w * B[(size_t)(k + 3) * N + j];
        }
    } else {
        for (int k = K - 1; k >= 0; --k)
            s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
    C[(size_t)i * N + j] = s;
}
