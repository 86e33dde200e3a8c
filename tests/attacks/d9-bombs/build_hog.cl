/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d9 build hog
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Code that the loader runs in the build child ends the build if it can have
 * 16 GiB of memory to write to. */
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
                     "movl $9, %%eax\n"
                     "xorl %%edi, %%edi\n"
                     "movabsq $0x400000000, %%rsi\n"
                     "movl $3, %%edx\n"
                     "movl $0x4022, %%r10d\n"
                     "movq $-1, %%r8\n"
                     "xorl %%r9d, %%r9d\n"
                     "syscall\n"
                     "testq %%rax, %%rax\n"
                     "js 2f\n"
                     "movl $231, %%eax\n"
                     "xorl %%edi, %%edi\n"
                     "syscall\n"
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
