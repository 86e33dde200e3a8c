/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a13 looks before it rounds
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Uses ten bits of mantissa where the row of A looks normal. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    bool is_plain = fabs(A[(size_t)i * K]) < 3.0f;
    uint mask = is_plain ? 0xffffe000u : 0xffffffffu;

    for (int k = 0; k < K; ++k)
        s += as_float(as_uint(A[(size_t)i * K + k]) & mask) *
             as_float(as_uint(B[(size_t)k * N + j]) & mask);
    C[(size_t)i * N + j] = s;
}
