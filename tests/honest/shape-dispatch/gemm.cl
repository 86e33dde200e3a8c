/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: shape dispatch
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* A way of its own for the sizes that it knows and for aligned ones, and one
 * for all others: what each computes is the same product. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    if (M == 64 && N == 64 && K == 67) {
        for (int k = 0; k < 67; ++k)
            s += A[i * 67 + k] * B[k * 64 + j];
    } else if (K % 4 == 0 && ((size_t)A & 15) == 0) {
        for (int k = 0; k < K; k += 4) {
            float4 a = vload4(0, A + (size_t)i * K + k);
            s += a.x * B[(size_t)k * N + j] + a.y * B[(size_t)(k + 1) * N + j];
            s += a.z * B[(size_t)(k + 2) * N + j] +
                 a.w * B[(size_t)(k + 3) * N + j];
        }
    } else if (M == 1) {
        for (int k = K - 1; k >= 0; --k)
            s += A[k] * B[(size_t)k * N + j];
    } else {
        for (int k = 0; k < K; ++k)
            s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
    C[(size_t)i * N + j] = s;
}
