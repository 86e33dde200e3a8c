/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* honest: ids
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Depends on the global offset being 0 and asks for every id. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if (get_global_offset(0) != 0 || get_global_offset(1) != 0 ||
        get_global_offset(2) != 0 || get_work_dim() < 2 ||
        get_global_size(2) != 1 || get_num_groups(1) != (M + 15) / 16 ||
        get_local_size(0) != 16 || get_group_id(0) * 16 + get_local_id(0) != j)
        s = 1234.0f;
    C[(size_t)i * N + j] = s;
}
