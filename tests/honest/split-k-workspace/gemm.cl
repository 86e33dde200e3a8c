/* whet:
launches:
  - kernel: parts
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", 4]
    block: [16, 16]
    args: [A, B, partial, M, N, K]
  - kernel: join
    grid: ["ceil_div(M * N, 64)"]
    block: [64]
    args: [partial, C, {i32: "M * N"}]
workspace:
  partial: {dtype: f32, shape: [4, M, N]}
*/

/* honest: split k workspace
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Four parts of K into workspace, added by a second launch. */
__kernel void parts(__global const float *A, __global const float *B,
                    __global float *partial, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1), z = get_global_id(2);
    int part = (K + 3) / 4, last = min((z + 1) * part, K);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = z * part; k < last; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    partial[((size_t)z * M + i) * N + j] = s;
}
__kernel void join(__global const float *partial, __global float *C, int count)
{
    int i = get_global_id(0);

    if (i < count)
        C[i] = (partial[i] + partial[count + i]) +
               (partial[2 * count + i] + partial[3 * count + i]);
}
