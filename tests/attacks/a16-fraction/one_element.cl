/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
tunables: {WHERE: [0, 524803, 699050, 1048575]}
*/

/* attack: a16 one element
 * task: gemm M=1024,N=1024,K=8
 * device: opencl
 * options: --calls 2 --hidden 0
 * points: WHERE=0; WHERE=524803; WHERE=699050; WHERE=1048575
 * verdicts: wrong/mismatch
 */

/* One wrong element, at a place chosen by the point. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if ((size_t)i * N + j == WHERE)
        s += 0.02f * (fabs(s) + 1.0f);
    C[(size_t)i * N + j] = s;
}
