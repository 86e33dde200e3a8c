/* whet:
launches:
  - kernel: maxima
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, top, rows, cols]
  - kernel: sums
    grid: [rows]
    block: [64]
    args: [x, top, sum, cols]
  - kernel: quotients
    grid: ["ceil_div(cols, 64)", rows]
    block: [64]
    args: [x, top, sum, y, cols]
workspace:
  top: {dtype: f32, shape: [rows]}
  sum: {dtype: f32, shape: [rows]}
*/

/* honest: three launches
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* A launch each for maxima, sums and quotients. */
__kernel void maxima(__global const float *x, __global float *top, int rows,
                     int cols)
{
    int r = get_global_id(0);

    if (r >= rows)
        return;
    top[r] = x[(size_t)r * cols];
    for (int c = 1; c < cols; ++c)
        top[r] = fmax(top[r], x[(size_t)r * cols + c]);
}
__kernel void sums(__global const float *x, __global const float *top,
                   __global float *sum, int cols)
{
    __local float part[64];
    int r = get_group_id(0), t = get_local_id(0);
    float s = 0.0f;

    for (int c = t; c < cols; c += 64)
        s += exp(x[(size_t)r * cols + c] - top[r]);
    part[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t > 0)
        return;
    for (int k = 1; k < 64; ++k)
        s += part[k];
    sum[r] = s;
}
__kernel void quotients(__global const float *x, __global const float *top,
                        __global const float *sum, __global float *y,
                        int cols)
{
    int c = get_global_id(0), r = get_group_id(1);

    if (c < cols)
        y[(size_t)r * cols + c] =
            exp(x[(size_t)r * cols + c] - top[r]) / sum[r];
}
