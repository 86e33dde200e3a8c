/* whet:
launches:
  - kernel: clear
    grid: ["ceil_div(M * N, 64)"]
    block: [64]
    args: [C, {i32: "M * N"}]
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)", SPLIT]
    block: [16, 16]
    args: [A, B, C, M, N, K, SPLIT]
tunables: {SPLIT: [4, 2, 3]}
*/

/* honest: split k atomics
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 2
 * points: SPLIT=4; SPLIT=3
 * verdicts: correct
 */

/* Parts of K added into C by compare and swap, in whatever order they come; a
 * launch before clears it. */
__kernel void clear(__global float *C, int count)
{
    int i = get_global_id(0);

    if (i < count)
        C[i] = 0.0f;
}
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K, int split)
{
    int j = get_global_id(0), i = get_global_id(1), z = get_global_id(2);
    int part = (K + split - 1) / split, last = min((z + 1) * part, K);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = z * part; k < last; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    volatile __global int *at = (volatile __global int *)C + (size_t)i * N + j;
    int old = *at, seen;
    while ((seen = atomic_cmpxchg(at, old, as_int(as_float(old) + s))) != old)
        old = seen;
}
