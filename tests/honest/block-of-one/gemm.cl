/* whet:
launches:
  - kernel: gemm
    grid: [N, M]
    block: [1, 1]
    args: [A, B, C, M, N, K]
*/

/* honest: block of one
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Groups of one work-item. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
