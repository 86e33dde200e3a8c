/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: async copies
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* The next tiles come by asynchronous copies while these are multiplied. */
__device__ void fetch(float *to, const float *from, bool is_inside)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at),
                 "l"(from), "r"(is_inside ? 4 : 0)
                 : "memory");
}
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    __shared__ float a[2][16][17], b[2][16][17];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
    int j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
    float s = 0.0f;

    for (int first = -16; first < K; first += 16, now ^= 1) {
        int next = first + 16;
        bool has_a = i < M && next + x < K, has_b = j < N && next + y < K;
        if (next < K) {
            fetch(&a[now ^ 1][y][x], has_a ? A + (size_t)i * K + next + x : A,
                  has_a);
            fetch(&b[now ^ 1][y][x],
                  has_b ? B + (size_t)(next + y) * N + j : B, has_b);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (first >= 0)
            for (int k = 0; k < 16; ++k)
                s = fmaf(a[now][y][k], b[now][k][x], s);
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = s;
}
