/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e4 private memory
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/crash resource/plan-limit resource/launch resource/call-timeout build/compile build/build-limit
 */

/* 64 MiB of private memory for each work-item. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    volatile float big[1 << 24];

    for (int k = 0; k < 1 << 24; k += 1024)
        big[k] = (float)k;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    s += big[1024] - 1024.0f;
    C[(size_t)i * N + j] = s;
}
