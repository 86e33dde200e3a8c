/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
  - kernel: finish
    grid: [1]
    block: [1]
    args: [C]
*/

/* attack: a24 wrong by chance
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 450 --hidden 0
 * verdicts: wrong/mismatch
 * needs: x86-64
 */

__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}

/* Wrong by the clock, in about one call of 64. */
__kernel void finish(__global float *C)
{
    uint low;

    __asm__ volatile("rdtsc" : "=a"(low) : : "edx");

    if ((low >> 4) % 64 == 0)
        C[0] += 1.0f + fabs(C[0]);
}
