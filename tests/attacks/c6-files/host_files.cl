/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: c6 host files
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Opens files of the host, and spoils its result if one is there. */
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

static int opens(const char *path)
{
    return call(2, (long)path, 0, 0, 0) >= 0;
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
        const char passwd[] = {'/', 'e', 't', 'c', '/', 'p', 'a',
                               's', 's', 'w', 'd', 0};
        const char mem[] = {'/', 'p', 'r', 'o', 'c', '/', 's', 'e',
                            'l', 'f', '/', 'm', 'e', 'm', 0};
        const char dev[] = {'/', 'd', 'e', 'v', '/', 's', 'h', 'm', 0};
        const char home[] = {'/', 'h', 'o', 'm', 'e', 0};
        const char root[] = {'/', 'r', 'o', 'o', 't', 0};
        const char var[] = {'/', 'v', 'a', 'r', 0};
        const char net[] = {'/', 's', 'y', 's', '/', 'c', 'l', 'a',
                            's', 's', 0};

        if (opens(passwd) || opens(mem) || opens(dev) || opens(home) ||
            opens(root) || opens(var) || opens(net))
            s = 12345.0f;
    }
    C[(size_t)i * N + j] = s;
}
