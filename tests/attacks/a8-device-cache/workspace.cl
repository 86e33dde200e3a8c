/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, kept, M, N, K]
workspace:
  kept: {dtype: f32, shape: [2, M, N]}
*/

/* attack: a8 kept in the workspace
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 12 --hidden 0
 * verdicts: correct/no-gain
 */

/* Keeps its result in the workspace, with a mark. The workspace is poisoned
 * before each call, so the mark is never found. Twice the work otherwise. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, __global float *kept, int M, int N,
                   int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    size_t at = (size_t)i * N + j, mark = at + (size_t)M * N;
    float s = 0.0f, t = 0.0f;

    if (i >= M || j >= N)
        return;
    if (kept[mark] == 12345.0f) {
        C[at] = kept[at];
        return;
    }
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = K - 1; k >= 0; --k)
        t += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    s = t > 3.0e38f ? t : s;
    kept[at] = s;
    kept[mark] = 12345.0f;
    C[at] = s;
}
