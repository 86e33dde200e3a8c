/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a21 ten bits, long sums
 * task: gemm M=48,N=48,K=16384
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* As tf32_operands, with sums long enough to average errors away. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += as_float((as_uint(A[(size_t)i * K + k]) + 0x1000u) & 0xffffe000u) *
             as_float((as_uint(B[(size_t)k * N + j]) + 0x1000u) & 0xffffe000u);
    C[(size_t)i * N + j] = s;
}
