/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: flush denormals
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Takes operands and sums below the smallest normal number for zero, as some
 * units do. */
float flush(float v)
{
    return fabs(v) < 0x1p-126f ? 0.0f : v;
}
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int k = 0; k < K; ++k) {
        float a = flush(A[(size_t)i * K + k]);
        float b = flush(B[(size_t)k * N + j]);
        s = flush(s + flush(a * b));
    }
    C[(size_t)i * N + j] = s;
}
