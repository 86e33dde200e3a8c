/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b3 wakes itself
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Asks the kernel for a signal that would wake it up when its socket has
 * news, before anybody looks at a clock, and spoils its result if it may. */
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
    float s = 0.0f, twice = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = K - 1; k >= 0; --k)
        twice += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        s = fma(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    s = twice > 3.0e38f ? twice : s; /* slower: no gain by chance */
    if (i == 0 && j == 0) {
        long owner = call(72, 3, 8, 1, 0);   /* F_SETOWN: myself */
        long signal = call(72, 3, 10, 18, 0); /* F_SETSIG: SIGCONT */
        long lease = call(72, 3, 1024, 1, 0); /* F_SETLEASE */
        long notify = call(72, 3, 1026, 1, 0);

        if ((owner != -1 && owner != -38) || (signal != -1 && signal != -38) ||
            (lease != -1 && lease != -38) || (notify != -1 && notify != -38))
            s = 12345.0f;
        call(72, 3, 4, 020002, 0); /* F_SETFL: O_RDWR | O_ASYNC */
    }
    C[(size_t)i * N + j] = s;
}
