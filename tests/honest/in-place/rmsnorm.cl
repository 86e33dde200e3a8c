/* whet:
launches:
  - kernel: copy
    grid: [rows]
    block: [1]
    args: [x, t, cols]
  - kernel: square
    grid: [rows]
    block: [1]
    args: [t, cols]
  - kernel: scale
    grid: [rows]
    block: [1]
    args: [x, w, t, y, cols, eps]
workspace:
  t: {dtype: f32, shape: [rows, cols]}
*/
/* honest: in place
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Works in its workspace in place. */
__kernel void copy(__global const float *x, __global float *t, int cols)
{
    size_t r = (size_t)get_global_id(0) * cols;
    for (int j = 0; j < cols; ++j)
        t[r + j] = x[r + j];
}
__kernel void square(__global float *t, int cols)
{
    size_t r = (size_t)get_global_id(0) * cols;
    float s = 0;
    for (int j = 0; j < cols; ++j) {
        t[r + j] *= t[r + j];
        s += t[r + j];
    }
    t[r] = s;
}
__kernel void scale(__global const float *x, __global const float *w,
                    __global float *t, __global float *y, int cols, float eps)
{
    size_t r = (size_t)get_global_id(0) * cols;
    float f = rsqrt(t[r] / cols + eps);
    for (int j = 0; j < cols; ++j)
        y[r + j] = x[r + j] * f * w[j];
}
