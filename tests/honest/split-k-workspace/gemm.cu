/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 4]
    block: [16, 16]
    args: [A, B, partial, M, N, K]
  - kernel: join
    grid: ["ceil_div(M * N, 256)"]
    block: [256]
    args: [partial, C, {i32: "M * N"}]
workspace:
  partial: {dtype: f32, shape: [4, M, N]}
*/

/* honest: split k workspace
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Four parts of K into workspace, added by a second launch. */
extern "C" __global__ void gemm(const float *A, const float *B, float *P,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    int z = blockIdx.z, part = (K + 3) / 4, last = min((z + 1) * part, K);
    float s = 0.0f;
    for (int k = z * part; k < last; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    P[((size_t)z * M + i) * N + j] = s;
}
extern "C" __global__ void join(const float *P, float *C, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        C[i] = (P[i] + P[count + i]) + (P[2 * count + i] + P[3 * count + i]);
}
