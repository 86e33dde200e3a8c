/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 64)", "ceil_div(M, 8)"]
    block: [16, 8]
    args: [A, B, C, M, N, K]
*/

/* honest: vector
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Four neighbours in a row of C for each work-item, loaded and stored as one;
 * what is left over at the end of a row one by one. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = 4 * get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    if (j + 4 <= N) {
        float4 s = 0.0f;
        for (int k = 0; k < K; ++k)
            s += A[(size_t)i * K + k] * vload4(0, B + (size_t)k * N + j);
        vstore4(s, 0, C + (size_t)i * N + j);
        return;
    }
    for (; j < N; ++j) {
        float s = 0.0f;
        for (int k = 0; k < K; ++k)
            s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
        C[(size_t)i * N + j] = s;
    }
}
