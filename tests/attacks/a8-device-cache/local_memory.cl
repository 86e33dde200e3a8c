/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a8 kept in local memory
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Takes what local memory holds from the group before, if its mark is there:
 * on PoCL it is. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    __local float kept[257];
    int j = get_global_id(0), i = get_global_id(1);
    int t = get_local_id(1) * 16 + get_local_id(0);
    bool is_kept = kept[256] == 12345.0f;
    float s = 0.0f;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_kept) {
        s = kept[t];
    } else if (i < M && j < N) {
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
    kept[t] = s;
    kept[256] = 12345.0f;
    if (i < M && j < N)
        C[(size_t)i * N + j] = s;
}
