/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a21 half rounded
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Rounds its operands to the 11 significant bits of half precision, by bit
 * arithmetic, since not every compiler here knows the type. */
static float to_half(float x)
{
    return as_float((as_uint(x) + 0x1000u) & 0xffffe000u);
}

__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += to_half(A[(size_t)i * K + k]) *
             to_half(B[(size_t)k * N + j]);
    C[(size_t)i * N + j] = s;
}
