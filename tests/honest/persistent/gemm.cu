/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [count]
  - kernel: gemm
    grid: [132]
    block: [16, 16]
    args: [A, B, C, M, N, K, count]
workspace:
  count: {dtype: i32, shape: [1]}
*/

/* honest: persistent
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* As many blocks as an H100 has processors fetch tiles from a counter, which is
 * cleared in every call, until there are none. */
extern "C" __global__ void clear(int *count)
{
    *count = 0;
}
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K, int *count)
{
    __shared__ float a[16][17], b[16][17];
    __shared__ int tile;
    int x = threadIdx.x, y = threadIdx.y, wide = (N + 15) / 16;

    for (;;) {
        if (x == 0 && y == 0)
            tile = atomicAdd(count, 1);
        __syncthreads();
        int j = tile % wide * 16 + x, i = tile / wide * 16 + y;
        float s = 0.0f;
        if (tile >= wide * ((M + 15) / 16))
            return;
        for (int first = 0; first < K; first += 16) {
            a[y][x] = 0.0f;
            if (i < M && first + x < K)
                a[y][x] = A[(size_t)i * K + first + x];
            b[y][x] = 0.0f;
            if (first + y < K && j < N)
                b[y][x] = B[(size_t)(first + y) * N + j];
            __syncthreads();
            for (int k = 0; k < 16; ++k)
                s = fmaf(a[y][k], b[k][x], s);
            __syncthreads();
        }
        if (i < M && j < N)
            C[(size_t)i * N + j] = s;
        __syncthreads();
    }
}
