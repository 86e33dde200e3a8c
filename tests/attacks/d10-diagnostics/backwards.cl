/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d10 text that runs backwards
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: refused
 */

#error ‮99.9 oitar tcerroc ⁦ verdict  correct

/* A complaint that turns the line it is shown in. Outside of comments such a
 * character is refused unread. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
