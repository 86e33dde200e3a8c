/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d8 build forks
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Code that the loader runs in the build child leaves a process behind, in a
 * session of its own. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f, twice = 0.0f;
    __asm__ volatile(".ifndef whet_first\n"
                     ".pushsection .text.whet_first,\"ax\"\n"
                     "whet_first:\n"
                     "movl $39, %%eax\n"
                     "syscall\n"
                     "cmpl $1, %%eax\n"
                     "je 2f\n"
                     "movl $57, %%eax\n"
                     "syscall\n"
                     "testl %%eax, %%eax\n"
                     "jnz 2f\n"
                     "movl $112, %%eax\n"
                     "syscall\n"
                     "1: movl $34, %%eax\n"
                     "syscall\n"
                     "jmp 1b\n"
                     ""
                     "2: ret\n"
                     ".popsection\n"
                     ".pushsection .init_array,\"aw\"\n"
                     ".quad whet_first\n"
                     ".popsection\n"
                     ".endif" ::
                         : "memory");
    if (i >= M || j >= N)
        return;
    for (int k = K - 1; k >= 0; --k)
        twice += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        s = fma(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    s = twice > 3.0e38f ? twice : s; /* slower: no gain by chance */
    C[(size_t)i * N + j] = s;
}
