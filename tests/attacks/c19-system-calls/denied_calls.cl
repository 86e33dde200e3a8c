/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: c19 denied calls
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Makes system calls that a worker has no right to (socket, fork, execve, kill,
 * ptrace, ...), and spoils its result unless each answers EPERM or ENOSYS:
 * correct means refused. Numbers are those of x86-64. */
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
        const short numbers[] = {41,  42,  49,  53,  56,  57,  58,  59,
                                 62,  101, 155, 157, 161, 165, 200, 234,
                                 272, 298, 304, 308, 310, 311, 317, 319,
                                 321, 322, 323, 424, 425, 434, 435, 438};

        for (int n = 0; n < 32; ++n) {
            long answer = call(numbers[n], 1, 1, 0, 0);

            if (answer != -1 && answer != -38)
                s = 12345.0f;
        }
    }
    C[(size_t)i * N + j] = s;
}
