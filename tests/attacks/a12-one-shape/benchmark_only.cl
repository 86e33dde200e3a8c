/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a12 right for one shape
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 8
 * verdicts: wrong/mismatch
 */

/* Right only for the shape that is timed. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    if (M != 64 || N != 64 || K != 67)
        K = 1;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
