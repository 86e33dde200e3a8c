/* whet:
launches:
  - kernel: gemm
    grid: [1]
    block: [1]
    args: [A, B, C, M, N, K]
*/

/* honest: one work item
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Everything in one work-item, row by row of B: C is added up in place. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < N; ++j)
            C[(size_t)i * N + j] = 0.0f;
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < N; ++j)
                C[(size_t)i * N + j] +=
                    A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
}
