/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 32)", "ceil_div(M, 32)"]
    block: [8, 8]
    args: [A, B, C, M, N, K]
*/

/* honest: blocked
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* A block of 4 x 4 elements in registers for each work-item. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = 4 * get_global_id(0), i = 4 * get_global_id(1);
    float s[4][4] = {{0.0f}};

    for (int k = 0; k < K; ++k)
        for (int r = 0; r < 4; ++r) {
            float a = i + r < M ? A[(size_t)(i + r) * K + k] : 0.0f;
            for (int c = 0; c < 4; ++c)
                if (j + c < N)
                    s[r][c] = fma(a, B[(size_t)k * N + j + c], s[r][c]);
        }
    for (int r = 0; r < 4 && i + r < M; ++r)
        for (int c = 0; c < 4 && j + c < N; ++c)
            C[(size_t)(i + r) * N + j + c] = s[r][c];
}
