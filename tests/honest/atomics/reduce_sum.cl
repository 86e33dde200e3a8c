/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [count, out]
  - kernel: sums
    grid: [64]
    block: [16]
    args: [x, count, out, n]
workspace:
  count: {dtype: i32, shape: [1]}
*/
/* honest: atomics
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Adds into its output by compare and swap, after it has cleared it. */
__kernel void clear(__global int *count, __global float *out)
{
    count[0] = 0;
    out[0] = 0.0f;
}
__kernel void sums(__global const float *x, __global int *count,
                   __global float *out, long n)
{
    float s = 0.0f;
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    volatile __global int *at = (volatile __global int *)out;
    int old = *at, seen;
    while ((seen = atomic_cmpxchg(at, old, as_int(as_float(old) + s))) != old)
        old = seen;
    atomic_inc(count);
}
