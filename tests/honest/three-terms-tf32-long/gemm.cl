/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: three terms tf32 long
 * task: gemm M=32,N=32,K=16384
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The TF32 split at K = 16384, partial sums of 32 added up apart. */
float tf32(float v)
{
    return as_float((as_uint(v) + 0x1000u) & 0xffffe000u);
}
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f;
    for (int first = 0; first < K; first += 32) {
        float p = 0.0f, t = 0.0f;
        for (int k = first; k < min(first + 32, K); ++k) {
            float a = A[(size_t)i * K + k], b = B[(size_t)k * N + j];
            float a0 = tf32(a), a1 = tf32(a - a0);
            float b0 = tf32(b), b1 = tf32(b - b0);
            p = fma(a0, b0, p);
            t = fma(a0, b1, fma(a1, b0, t));
        }
        s += p + t;
    }
    C[(size_t)i * N + j] = s;
}
