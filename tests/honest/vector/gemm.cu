/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 64)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: vector
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Four neighbours in a row of C for each thread, loaded and stored as one where
 * rows are aligned, else one by one. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    if (N % 4 == 0 && (((size_t)B | (size_t)C) & 15) == 0) {
        float4 s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int k = 0; k < K; ++k) {
            float a = A[(size_t)i * K + k];
            float4 b = *(const float4 *)(B + (size_t)k * N + j);
            s.x += a * b.x;
            s.y += a * b.y;
            s.z += a * b.z;
            s.w += a * b.w;
        }
        *(float4 *)(C + (size_t)i * N + j) = s;
        return;
    }
    for (int last = min(j + 4, N); j < last; ++j) {
        float s = 0.0f;
        for (int k = 0; k < K; ++k)
            s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
        C[(size_t)i * N + j] = s;
    }
}
