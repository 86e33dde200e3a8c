/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [count]
  - kernel: sums
    grid: [32]
    block: [64]
    args: [x, partial, count, out, n]
workspace:
  count: {dtype: i32, shape: [1]}
  partial: {dtype: f32, shape: [32]}
*/

/* honest: last group
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The group that comes last, by a counter that is cleared in every call, adds
 * what the others left. */
__kernel void clear(__global int *count)
{
    count[0] = 0;
}
__kernel void sums(__global const float *x, volatile __global float *partial,
                   volatile __global int *count, __global float *out, long n)
{
    __local float part[64];
    __local int is_last;
    int t = get_local_id(0);
    float s = 0.0f;

    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    part[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        for (int k = 1; k < 64; ++k)
            s += part[k];
        partial[get_group_id(0)] = s;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(count) == 31;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && t == 0) {
        s = 0.0f;
        for (int k = 0; k < 32; ++k)
            s += partial[k];
        out[0] = s;
    }
}
