/* whet:
launches:
  - kernel: factors
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, factor, rows, cols, eps]
  - kernel: multiply
    grid: ["ceil_div(cols, 64)", rows]
    block: [64]
    args: [x, w, factor, y, cols]
workspace:
  factor: {dtype: f32, shape: [rows]}
*/

/* honest: two launches
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One launch finds each row's factor, the other multiplies. */
__kernel void factors(__global const float *x, __global float *factor,
                      int rows, int cols, float eps)
{
    int r = get_global_id(0);
    float s = 0.0f;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; ++c)
        s += x[(size_t)r * cols + c] * x[(size_t)r * cols + c];
    factor[r] = 1.0f / sqrt(s / cols + eps);
}
__kernel void multiply(__global const float *x, __global const float *w,
                       __global const float *factor, __global float *y,
                       int cols)
{
    int c = get_global_id(0), r = get_group_id(1);

    if (c < cols)
        y[(size_t)r * cols + c] = x[(size_t)r * cols + c] * factor[r] * w[c];
}
