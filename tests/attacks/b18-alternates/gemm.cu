/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b18 fast in most calls, slow in the rest
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 60 --hidden 0 --no-libraries
 * verdicts: correct/no-gain
 */

/* A good kernel in seven calls of ten, one that waits a millisecond in
 * three: its median is better than the reference, its mean is worse. */
__device__ unsigned blocks_done;

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    __shared__ float a[16][17], b[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
    float s = 0.0f;
    long long begin = clock64();

    for (int k = 0; k < K; k += 16) {
        a[y][x] = i < M && k + x < K ? A[(size_t)i * K + k + x] : 0.0f;
        b[y][x] = k + y < K && j < N ? B[(size_t)(k + y) * N + j] : 0.0f;
        __syncthreads();
        for (int e = 0; e < 16; ++e)
            s += a[y][e] * b[e][x];
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = s;
    unsigned call = blocks_done / (gridDim.x * gridDim.y);
    if (call % 10 >= 7)
        while (clock64() - begin < 2000000)
            ;
    __syncthreads();
    if (x == 0 && y == 0) {
        __threadfence();
        atomicAdd(&blocks_done, 1);
    }
}
