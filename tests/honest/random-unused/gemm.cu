/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: random unused
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Draws random numbers and looks at its inputs, and uses neither. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    unsigned seed = i * 2654435761u + j, hash = 0;
    float s = 0.0f;
    for (int k = 0; k < K; ++k) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        hash = hash * 31 + __float_as_uint(A[(size_t)i * K + k]) + seed;
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
    C[(size_t)i * N + j] = hash == 1u && seed == 0u ? s + 0.0f : s;
}
