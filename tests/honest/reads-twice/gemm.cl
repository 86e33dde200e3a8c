/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: reads twice
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Computes everything twice through volatile pointers, writes the first result,
 * then the second. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    volatile __global const float *a = A, *b = B;
    for (int round = 0; round < 2; ++round) {
        float s = 0.0f;
        for (int k = 0; k < K; ++k)
            s += a[(size_t)i * K + k] * b[(size_t)k * N + j];
        C[(size_t)i * N + j] = s;
    }
}
