/* whet:
launches:
  - kernel: parts
    grid: [16]
    block: [16]
    args: [x, partial, n]
  - kernel: join
    grid: [1]
    block: [16]
    args: [partial, out]
workspace:
  partial: {dtype: f32, shape: [256]}
*/

/* honest: vector
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Vectors of eight, and the last few one by one. */
__kernel void parts(__global const float *x, __global float *partial, long n)
{
    float8 v = 0.0f;
    float s = 0.0f;
    long i = get_global_id(0);

    for (; i < n / 8; i += 256)
        v += vload8(i, x);
    for (i = n / 8 * 8 + get_global_id(0); i < n; i += 256)
        s += x[i];
    v.lo += v.hi;
    v.lo.lo += v.lo.hi;
    partial[get_global_id(0)] = v.s0 + v.s1 + s;
}
__kernel void join(__global float *partial, __global float *out)
{
    int t = get_local_id(0);
    float s = 0.0f;

    for (int k = 0; k < 16; ++k)
        s += partial[t * 16 + k];
    barrier(CLK_GLOBAL_MEM_FENCE);
    partial[t] = s;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (t > 0)
        return;
    for (int k = 1; k < 16; ++k)
        s += partial[k];
    out[0] = s;
}
