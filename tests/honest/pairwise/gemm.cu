/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: pairwise
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 2 --no-libraries
 * verdicts: correct
 */

/* Sums of 16 products each, these added in pairs like the carries of a binary
 * counter. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= M || j >= N)
        return;
    float level[28], s = 0.0f;
    unsigned count = 0;
    for (int first = 0; first < K; first += 16) {
        float part = 0.0f;
        int last = min(first + 16, K), at = 0;
        for (int k = first; k < last; ++k)
            part += A[(size_t)i * K + k] * B[(size_t)k * N + j];
        for (; count >> at & 1; ++at)
            part += level[at];
        level[at] = part;
        ++count;
    }
    for (int at = 0; at < 28; ++at)
        if (count >> at & 1)
            s += level[at];
    C[(size_t)i * N + j] = s;
}
