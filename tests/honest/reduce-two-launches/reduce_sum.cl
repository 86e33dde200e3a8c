/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [64]
    args: [partial]
  - kernel: sums
    grid: [1]
    block: [64]
    args: [x, partial, n]
  - kernel: total
    grid: [1]
    block: [1]
    args: [partial, out]
workspace:
  partial: {dtype: f32, shape: [64]}
*/

/* honest: reduce two launches
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Sums of 64 strides into a workspace that it clears itself, then their sum. */
__kernel void clear(__global float *partial)
{
    partial[get_global_id(0)] = 0.0f;
}

__kernel void sums(__global const float *x, __global float *partial, long n)
{
    int t = get_global_id(0);

    for (long i = t; i < n; i += 64)
        partial[t] += x[i];
}

__kernel void total(__global const float *partial, __global float *out)
{
    float s = 0.0f;

    for (int t = 0; t < 64; ++t)
        s += partial[t];
    out[0] = s;
}
