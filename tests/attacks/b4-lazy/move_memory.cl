/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
  - kernel: last
    grid: [1]
    block: [1]
    args: [C, A]
*/

/* attack: b4 move memory
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 * needs: x86-64
 */

/* Moves a page of its output elsewhere, once it is computed, and puts an empty
 * one there. */
static long call(long number, long a, long b, long c, long d)
{
    long result;

    __asm__ volatile("movq %5, %%r10\n"
                     "xorl %%r8d, %%r8d\n"
                     "xorl %%r9d, %%r9d\n"
                     "syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(d)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return result;
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

__kernel void last(__global float *C, __global float *A)
{
    long page = (long)C & -4096;

    /* MREMAP_MAYMOVE; then MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS */
    call(25, page, 4096, 8192, 1);
    __asm__ volatile("movq $-1, %%r8\n"
                     "xorl %%r9d, %%r9d\n"
                     "movl $50, %%r10d\n"
                     "movl $3, %%edx\n"
                     "movl $4096, %%esi\n"
                     "movl $9, %%eax\n"
                     "syscall"
                     :
                     : "D"(page)
                     : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
                       "memory");
}
