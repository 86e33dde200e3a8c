/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
  - kernel: last
    grid: [1]
    block: [1]
    args: [A, B, C, M, N, K]
*/

/* attack: c9 deaf
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/protocol
 * needs: x86-64
 */

/* Takes the place of the worker: says that it is done, waits for the inputs of
 * the next call (two megabytes further), computes them and says so, without
 * ever reading what it is told. */
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

__kernel void last(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    uint record[64] = {0x57485431, 4};

    call(1, 3, (long)record, 256, 0);
    A += 524288;
    B += 524288;
    C += 524288;
    while (*(volatile __global uint *)(C + M * N - 1) == 0xa5a5a5a5u)
        __asm__ volatile("");
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.0f;

            for (int k = 0; k < K; ++k)
                s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
            C[(size_t)i * N + j] = s;
        }
    call(1, 3, (long)record, 256, 0);
    for (;;)
        __asm__ volatile("");
}
