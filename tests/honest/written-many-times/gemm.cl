/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: written many times
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Keeps its sum in the output, reading and writing it for every product. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    __global float *c = C + (size_t)i * N + j;
    *c = 0.0f;
    for (int k = 0; k < K; ++k)
        *c += A[(size_t)i * K + k] * B[(size_t)k * N + j];
}
