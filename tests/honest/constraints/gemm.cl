/* whet:
launches:
  - kernel: gemm
    grid: ["N / 32", "M / 4"]
    block: [8, 4]
    args: [A, B, C, M, N, K]
constraints: ["N % 32 == 0", "M % 4 == 0"]
*/

/* honest: constraints
 * task: gemm M=64,N=96,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Only for sizes that its blocks divide, and says so. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    __global const float4 *b = (__global const float4 *)B;
    float4 s = 0.0f;

    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * b[(size_t)k * (N / 4) + j];
    ((__global float4 *)C)[(size_t)i * (N / 4) + j] = s;
}
