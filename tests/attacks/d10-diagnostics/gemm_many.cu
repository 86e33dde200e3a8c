/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d10 a hundred thousand complaints
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: build/compile build/build-limit
 */

/* Complaints without end. */
#define T10(x) x##0; x##1; x##2; x##3; x##4; x##5; x##6; x##7; x##8; x##9;
#define T100(x) T10(x##0) T10(x##1) T10(x##2) T10(x##3) T10(x##4) \
    T10(x##5) T10(x##6) T10(x##7) T10(x##8) T10(x##9)

extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    T100(no0) T100(no1) T100(no2) T100(no3)
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
