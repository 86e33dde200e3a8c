/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, w, y, rows, cols, eps]
*/

/* honest: double
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Adds and divides in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    int r = get_global_id(0);
    double s = 0.0;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c)
        s += (double)x[c] * x[c];
    s = 1.0 / sqrt(s / cols + (double)eps);
    for (int c = 0; c < cols; ++c)
        y[c] = (float)(x[c] * s * w[c]);
}
