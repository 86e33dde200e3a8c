/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, BX * TX)", "ceil_div(M, BY)"]
    block: [BX, BY]
    args: [A, B, C, M, N, K]
tunables:
  BX: [8, 16, 32, 64]
  BY: [4, 1, 2, 8]
  TX: [2, 1, 4, 8]
  UNROLL: [4, 1, 2, 8, 16]
  ORDER: [0, 1]
constraints: ["BX * BY <= 256"]
*/

/* honest: tunables
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * points: BX=8; BX=64,BY=1,TX=8,UNROLL=16; BX=16,BY=8,ORDER=1
 * verdicts: correct
 */

/* 640 points. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_group_id(0) * BX * TX + get_local_id(0), i = get_global_id(1);
    float s[TX];

    if (i >= M)
        return;
    for (int t = 0; t < TX; ++t)
        s[t] = 0.0f;
    for (int first = 0; first < K; first += UNROLL)
        for (int u = 0; u < UNROLL; ++u) {
            int k = ORDER ? K - 1 - first - u : first + u;
            if (k < 0 || k >= K)
                continue;
            for (int t = 0; t < TX; ++t)
                if (j + t * BX < N)
                    s[t] += A[(size_t)i * K + k] *
                            B[(size_t)k * N + j + t * BX];
        }
    for (int t = 0; t < TX; ++t)
        if (j + t * BX < N)
            C[(size_t)i * N + j + t * BX] = s[t];
}
