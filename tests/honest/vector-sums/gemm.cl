/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: vector sums
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Sixteen sums along K in the lanes of a vector. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float16 s = 0.0f;
    float8 h;
    float4 q;
    float rest = 0.0f;
    int k = 0;
    for (; k + 16 <= K; k += 16) {
        float16 a = vload16(0, A + (size_t)i * K + k), b;
        float column[16];
        for (int l = 0; l < 16; ++l)
            column[l] = B[(size_t)(k + l) * N + j];
        b = vload16(0, column);
        s = fma(a, b, s);
    }
    for (; k < K; ++k)
        rest += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    h = s.lo + s.hi;
    q = h.lo + h.hi;
    C[(size_t)i * N + j] = (q.x + q.y) + (q.z + q.w) + rest;
}
