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

/* attack: a24 right for 100 calls
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 450 --hidden 0
 * verdicts: wrong/mismatch
 * calls: 100+
 * needs: x86-64
 */

/* Memory that lasts from call to call, made by assembly: the compiler has no
 * writable variables at program scope. */
static long *kept_count(void)
{
    long *kept;

    __asm__ volatile(".pushsection .bss\n"
                     ".ifndef whet_count\n"
                     ".balign 64\n"
                     "whet_count: .zero 64\n"
                     ".endif\n"
                     ".popsection\n"
                     "leaq whet_count(%%rip), %0"
                     : "=r"(kept));
    return kept;
}

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

/* Right for the first 100 calls of a worker. */
__kernel void finish(__global float *C)
{
    long count = ++*kept_count();

    if (count > 100)
        C[0] += 1.0f + fabs(C[0]);
}
