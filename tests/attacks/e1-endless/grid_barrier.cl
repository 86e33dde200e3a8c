/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [arrived]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, arrived, M, N, K]
workspace:
  arrived: {dtype: i32, shape: [4]}
*/

/* attack: e1 barrier of all groups
 * task: gemm M=512,N=512,K=8
 * device: opencl
 * options: --calls 2 --hidden 0 --call-timeout 1s
 * verdicts: resource/call-timeout
 */

/* All groups wait for one another, more than can run at a time. */
__kernel void clear(__global int *arrived)
{
    arrived[0] = 0;
}

__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, __global volatile int *arrived, int M,
                   int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (get_local_id(0) == 0 && get_local_id(1) == 0) {
        atomic_inc(arrived);
        while (arrived[0] < (int)(get_num_groups(0) * get_num_groups(1)))
            __asm__ volatile("");
    }
    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
