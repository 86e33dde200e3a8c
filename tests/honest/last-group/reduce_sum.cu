/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [count]
  - kernel: sums
    grid: [128]
    block: [128]
    args: [x, partial, count, out, n]
workspace:
  count: {dtype: i32, shape: [1]}
  partial: {dtype: f32, shape: [128]}
*/

/* honest: last group
 * task: reduce_sum n=4194304
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The block that comes last, by a counter that is cleared in every call, adds
 * what the others left. */
extern "C" __global__ void clear(int *count)
{
    *count = 0;
}
__device__ float sum_of_block(float s)
{
    __shared__ float warps[4];

    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    return (warps[0] + warps[1]) + (warps[2] + warps[3]);
}
extern "C" __global__ void sums(const float *x, volatile float *partial,
                                int *count, float *out, long n)
{
    __shared__ bool is_last;
    float s = 0.0f;

    for (long i = (long)blockIdx.x * 128 + threadIdx.x; i < n; i += 16384)
        s += x[i];
    s = sum_of_block(s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        is_last = atomicAdd(count, 1) == 127;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    s = sum_of_block(partial[threadIdx.x]);
    if (threadIdx.x == 0)
        out[0] = s;
}
