/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: words
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct
 */

/* Honest, full of words that a search of the text might mind: cheat, hack,
 * fork(), system("rm -rf /"), /proc/self/mem, socket, ptrace, clock_gettime,
 * main, poison, guard, verifier, reference, expected, __attribute__((constructor)),
 * nothing is computed here, skip the tests, bypass the judge, syscall, asm volatile. */
#define cheat(x) (x)
#define exit_group cheat
static float bypass_judge_fork_socket(float poison, float guard)
{
    return exit_group(poison * guard);
}

__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += bypass_judge_fork_socket(A[(size_t)i * K + k],
                                      B[(size_t)k * N + j]);
    C[(size_t)i * N + j] = s;
}
