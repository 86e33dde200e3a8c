/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: b27 burns power after its work
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 20 --hidden 0 --no-libraries
 * verdicts: correct/no-gain
 */

/* Works on for 200 microseconds to heat the card, which slows both arms. */
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
    long long begin = clock64();
    float heat = s;
    while (clock64() - begin < 300000)
        for (int e = 0; e < 64; ++e)
            heat = fmaf(heat, 1.0001f, 0.5f);
    if (heat == 12345.678f)
        s += heat;
    C[(size_t)i * N + j] = s;
}
