/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: six terms bf16
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Each operand is split in three parts of 8 bits, as bf16 units take them: the
 * six products of weight 2^-16 and above make f32. */
float bf16(float v)
{
    return as_float((as_uint(v) + 0x8000u) & 0xffff0000u);
}
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f, t = 0.0f;
    for (int k = 0; k < K; ++k) {
        float a = A[(size_t)i * K + k], b = B[(size_t)k * N + j];
        float a0 = bf16(a), a1 = bf16(a - a0), a2 = bf16(a - a0 - a1);
        float b0 = bf16(b), b1 = bf16(b - b0), b2 = bf16(b - b0 - b1);
        s = fma(a0, b0, s);
        t += a2 * b0 + a1 * b1 + a0 * b2;
        t += a1 * b0 + a0 * b1;
    }
    C[(size_t)i * N + j] = s + t;
}
