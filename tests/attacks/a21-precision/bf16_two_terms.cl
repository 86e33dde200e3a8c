/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a21 two terms of three
 * task: gemm M=64,N=64,K=512
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Splits one operand into two of seven bits and forgets the rest of the
 * other. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k) {
        float a = A[(size_t)i * K + k], b = B[(size_t)k * N + j];
        float ah = as_float((as_uint(a) + 0x8000u) & 0xffff0000u);
        float bh = as_float((as_uint(b) + 0x8000u) & 0xffff0000u);

        s += ah * bh + (a - ah) * bh;
    }
    C[(size_t)i * N + j] = s;
}
