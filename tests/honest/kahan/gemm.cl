/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: kahan
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Keeps what each addition lost and adds it to the next product. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i >= M || j >= N)
        return;
    float s = 0.0f, lost = 0.0f;
    for (int k = 0; k < K; ++k) {
        float v = A[(size_t)i * K + k] * B[(size_t)k * N + j] - lost;
        float t = s + v;
        lost = (t - s) - v;
        s = t;
    }
    C[(size_t)i * N + j] = s;
}
