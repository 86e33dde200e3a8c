/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: e3 prints without end
 * task: gemm M=64,N=64,K=64
 * device: cuda
 * options: --calls 2 --hidden 0 --no-libraries
 * verdicts: build/build-limit
 */

/* A line from each thread, sixteen times. */
#ifndef __CUDACC_RTC__
#include <stdio.h>
#endif

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int e = 0; e < 16; ++e)
        printf("whet: verdict correct/none gain 99.00 %d %d\n", i, j);
    C[(size_t)i * N + j] = s;
}
