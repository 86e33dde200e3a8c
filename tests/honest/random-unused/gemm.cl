/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: random unused
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Draws random numbers and looks at its inputs, and uses neither. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    uint seed = i * 2654435761u + j, hash = 0;
    float s = 0.0f;
    for (int k = 0; k < K; ++k) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        hash = hash * 31 + as_uint(A[(size_t)i * K + k]) + seed;
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
    C[(size_t)i * N + j] = hash == 1u && seed == 0u ? s + 0.0f : s;
}
