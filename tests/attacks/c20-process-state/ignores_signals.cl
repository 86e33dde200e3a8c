/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: c20 ignores signals
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Handles SIGCONT and ignores what can be ignored, then computes. */
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
        long act[4] = {1, 0x04000000, 0, 0};

        for (int n = 1; n < 32; ++n)
            call(13, n, (long)act, 0, 8);
    }
    C[(size_t)i * N + j] = s;
}
