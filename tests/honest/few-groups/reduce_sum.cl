/* whet:
launches:
  - kernel: parts
    grid: [6]
    block: [256]
    args: [x, partial, n]
  - kernel: join
    grid: [1]
    block: [1]
    args: [partial, out]
workspace:
  partial: {dtype: f32, shape: [6]}
*/

/* honest: few groups
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Six groups stride over everything, each with a tree of its own. */
__kernel void parts(__global const float *x, __global float *partial, long n)
{
    __local float part[256];
    int t = get_local_id(0);
    float s = 0.0f;

    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    part[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        partial[get_group_id(0)] = part[0];
}
__kernel void join(__global const float *partial, __global float *out)
{
    float s = 0.0f;

    for (int i = 0; i < 6; ++i)
        s += partial[i];
    out[0] = s;
}
