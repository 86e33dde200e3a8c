/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, BX * TX)", "ceil_div(M, BY)"]
    block: [BX, BY]
    args: [A, B, C, M, N, K]
tunables:
  BX: [32, 16, 8, 64, 128]
  BY: [8, 1, 2, 4, 16]
  TX: [2, 1, 4, 8]
  UNROLL: [4, 1, 2, 8, 16]
  ORDER: [0, 1]
constraints: ["BX * BY <= 1024"]
*/

/* honest: tunables
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * points: BX=32; BX=128,BY=1,TX=8,UNROLL=16; BX=8,BY=16,ORDER=1
 * verdicts: correct
 */

/* 1000 points. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * BX * TX + threadIdx.x;
    int i = blockIdx.y * BY + threadIdx.y;
    enum { TIMES = UNROLL }; // a pragma reads no macros
    float s[TX] = {};

    if (i >= M)
        return;
#pragma unroll TIMES
    for (int at = 0; at < K; ++at) {
        int k = ORDER ? K - 1 - at : at;
        for (int t = 0; t < TX; ++t)
            if (j + t * BX < N)
                s[t] += A[(size_t)i * K + k] * B[(size_t)k * N + j + t * BX];
    }
    for (int t = 0; t < TX; ++t)
        if (j + t * BX < N)
            C[(size_t)i * N + j + t * BX] = s[t];
}
