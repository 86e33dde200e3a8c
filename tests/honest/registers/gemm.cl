/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [1, 1]
    args: [A, B, C, M, N, K]
*/

/* honest: registers
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Keeps a great deal in private memory. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    float acc[16][16];
    int j0 = get_group_id(0) * 16, i0 = get_group_id(1) * 16;
    float a[4096];
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j)
            acc[i][j] = 0.0f;
    for (int k = 0; k < K; ++k) {
        for (int i = 0; i < 16; ++i)
            a[i * 256 % 4096] = i0 + i < M ? A[(size_t)(i0 + i) * K + k] : 0.0f;
        for (int i = 0; i < 16; ++i)
            for (int j = 0; j < 16; ++j)
                if (j0 + j < N)
                    acc[i][j] += a[i * 256 % 4096] * B[(size_t)k * N + j0 + j];
    }
    for (int i = 0; i < 16 && i0 + i < M; ++i)
        for (int j = 0; j < 16 && j0 + j < N; ++j)
            C[(size_t)(i0 + i) * N + j0 + j] = acc[i][j];
}
