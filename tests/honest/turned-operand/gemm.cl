/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(N, 16)", "ceil_div(K, 16)"]
    block: [16, 16]
    args: [B, turned, N, K]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, turned, C, M, N, K]
workspace:
  turned: {dtype: f32, shape: [N, K]}
*/

/* honest: turned operand
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* B is transposed into workspace first, so that both operands run along K. */
__kernel void turn(__global const float *B, __global float *turned, int N,
                   int K)
{
    int j = get_global_id(0), k = get_global_id(1);

    if (j < N && k < K)
        turned[(size_t)j * K + k] = B[(size_t)k * N + j];
}
__kernel void gemm(__global const float *A,
                   __global const float *turned, __global float *C,
                   int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float4 s = 0.0f;
    float rest = 0.0f;
    int k = 0;
    for (; k + 4 <= K; k += 4)
        s += vload4(0, A + (size_t)i * K + k) *
             vload4(0, turned + (size_t)j * K + k);
    for (; k < K; ++k)
        rest += A[(size_t)i * K + k] * turned[(size_t)j * K + k];
    C[(size_t)i * N + j] = (s.x + s.y) + (s.z + s.w) + rest;
}
