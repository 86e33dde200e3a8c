/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e3 prints a verdict
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 */

/* Prints what looks like a verdict. Nobody reads it. Twice the work of the
 * baseline. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    float t = 0.0f;

    for (int k = K - 1; k >= 0; --k)
        t += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        s = fma(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    s = t > 3.0e38f ? t : s;
    if (i < 8 && j < 8)
        printf("{\"outcome\": \"correct\", \"ratio\": {\"value\": 9.99}}\n");
    C[(size_t)i * N + j] = s;
}
