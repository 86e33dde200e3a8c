/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
  - kernel: last
    grid: [1]
    block: [1]
    args: [C, M, N]
*/
/* attack: b4 file memory
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

/* Replaces its output by a shared mapping of a file that holds what it
 * computed: honest bytes in odd memory. */
static long call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    long more[3] = {d, e, f};
    __asm__ volatile(
        "movq (%5), %%r10\n movq 8(%5), %%r8\n movq 16(%5), %%r9\n syscall"
        : "=a"(result)
        : "a"(number), "D"(a), "S"(b), "d"(c), "r"(more)
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
    C[(size_t)i * N + j] = s;
}

__kernel void last(__global float *C, int M, int N)
{
    const char path[] = "/tmp/out";
    long bytes = ((long)M * N * 4 + 4095) & -4096;
    long fd = call6(2, (long)path, 0102, 0600, 0, 0, 0);
    call6(18, fd, (long)C, bytes, 0, 0, 0);
    call6(9, (long)C, bytes, 3, 1 | 16, fd, 0);
    call6(3, fd, 0, 0, 0, 0, 0);
}
