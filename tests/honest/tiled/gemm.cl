/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: tiled
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Tiles of 16 x 16 of both operands through local memory, edges as zeros. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    __local float a[16][17], b[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    for (int first = 0; first < K; first += 16) {
        a[y][x] = i < M && first + x < K ? A[(size_t)i * K + first + x] : 0.0f;
        b[y][x] = first + y < K && j < N ? B[(size_t)(first + y) * N + j]
                                         : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            s = fma(a[y][k], b[k][x], s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = s;
}
