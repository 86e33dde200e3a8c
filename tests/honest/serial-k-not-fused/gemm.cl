/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: serial k not fused
 * task: gemm M=32,N=32,K=16384
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* All 16384 products into one f32 number, rounded twice each. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int k = 0; k < K; ++k)
        s = s + A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
