/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: tiled
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Tiles of 16 x 16 of both operands through shared memory, edges as zeros. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    __shared__ float a[16][17], b[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
    float s = 0.0f;

    for (int first = 0; first < K; first += 16) {
        a[y][x] = i < M && first + x < K ? A[(size_t)i * K + first + x] : 0.0f;
        b[y][x] = first + y < K && j < N ? B[(size_t)(first + y) * N + j]
                                         : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            s = fmaf(a[y][k], b[k][x], s);
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = s;
}
