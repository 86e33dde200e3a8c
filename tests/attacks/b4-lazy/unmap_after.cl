/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b4 unmap after
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/crash
 * needs: x86-64
 */

/* Takes its input away once it has computed from it, and says it is done. */
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
    if (i == M - 1 && j == N - 1) {
        uint record[64] = {0x57485431, 4};

        C[(size_t)i * N + j] = s;
        call(11, (long)A & -4096, 4096, 0, 0);
        call(1, 3, (long)record, 256, 0);
        for (;;)
            __asm__ volatile("");
    }
    C[(size_t)i * N + j] = s;
}
