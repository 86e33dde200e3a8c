/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a8 previous output
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 * calls: 1
 * needs: x86-64
 */

/* Returns what the previous call computed. It is kept in a buffer of the
 * program made by assembly, since the compiler has no writable program-scope
 * variables; the first call, which finds nothing kept, is right. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;
    float *kept, old;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    __asm__ volatile(".pushsection .bss\n"
                     ".ifndef whet_kept\n"
                     ".balign 64\n"
                     "whet_kept: .zero 65536\n"
                     ".endif\n"
                     ".popsection\n"
                     "leaq whet_kept(%%rip), %0"
                     : "=r"(kept));
    kept += i % 128 * 128 + j % 128;
    old = *kept;
    *kept = s;
    if (old != 0.0f)
        s = old;
    C[(size_t)i * N + j] = s;
}
