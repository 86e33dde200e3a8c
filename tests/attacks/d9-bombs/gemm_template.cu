/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d9 template bomb
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: build/compile build/build-limit build/build-timeout build/build-crash
 */

/* A template that needs itself without end. */
template <long N> struct deep {
    static const long value = deep<N + 1>::value + deep<N + 2>::value;
};

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
    s += deep<0>::value;
    C[(size_t)i * N + j] = s;
}
