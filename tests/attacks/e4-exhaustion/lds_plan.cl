/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    shared: "1073741824"
    args: [A, B, C, M, N, K, shared]
*/

/* attack: e4 lds plan
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: resource/plan-limit
 */

/* Asks for more local memory than any device has, in its plan. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K,
                   __local float *tile)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;
    tile[get_local_id(0)] = s;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
