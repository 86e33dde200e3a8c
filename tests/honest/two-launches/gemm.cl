/* whet:
launches:
  - kernel: clear
    grid: ["ceil_div(M * N, 64)"]
    block: [64]
    args: [partial, {i32: "M * N"}]
  - kernel: half_sums
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 2]
    block: [16, 16]
    args: [A, B, halves, M, N, K]
  - kernel: add
    grid: ["ceil_div(M * N, 64)"]
    block: [64]
    args: [halves, partial, C, {i32: "M * N"}]
workspace:
  partial: {dtype: f32, shape: [M, N]}
  halves: {dtype: f32, shape: [2, M, N]}
*/

/* honest: two launches
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Three launches over two workspaces, one of which it clears itself. */
__kernel void clear(__global float *partial, int count)
{
    int i = get_global_id(0);

    if (i < count)
        partial[i] = 0.0f;
}

__kernel void half_sums(__global const float *A, __global const float *B,
                        __global float *halves, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1), half_of = get_global_id(2);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = half_of; k < K; k += 2)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    halves[((size_t)half_of * M + i) * N + j] = s;
}

__kernel void add(__global const float *halves, __global float *partial,
                  __global float *C, int count)
{
    int i = get_global_id(0);

    if (i >= count)
        return;
    partial[i] += halves[i];
    partial[i] += halves[(size_t)count + i];
    C[i] = partial[i];
}
