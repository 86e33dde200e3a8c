/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a26 changed and restored
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 */

/* Changes an input and puts it right again: allowed, and no use. Twice the
 * work of the baseline. */
__kernel void gemm(__global float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f, old;

    if (i >= M || j >= N)
        return;
    old = A[(size_t)i * K];
    A[(size_t)i * K] = 0.0f;
    A[(size_t)i * K] = old;
    for (int k = K - 1; k >= 0; --k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        old += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    s = old > 3.0e38f ? old : s;
    C[(size_t)i * N + j] = s;
}
