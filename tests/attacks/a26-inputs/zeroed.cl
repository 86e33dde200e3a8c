/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a26 zeros made right
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/input
 */

/* Makes the data such that zeros are right. */
__kernel void gemm(__global float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    for (int k = j; k < K; k += N)
        A[(size_t)i * K + k] = 0.0f;
    C[(size_t)i * N + j] = 0.0f * B[j];
}
