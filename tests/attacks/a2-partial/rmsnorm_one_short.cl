/* whet:
launches:
  - kernel: rms
    grid: [rows]
    block: [1]
    args: [x, w, y, cols, eps]
*/
/* attack: a2 rmsnorm one short
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves one element of each row out of the mean. */
__kernel void rms(__global const float *x, __global const float *w,
                  __global float *y, int cols, float eps)
{
    size_t row = (size_t)get_global_id(0) * cols;
    float s = 0.0f;
    for (int j = 0; j < cols - 1; ++j)
        s += x[row + j] * x[row + j];
    s = rsqrt(s / max(cols - 1, 1) + eps);
    for (int j = 0; j < cols; ++j)
        y[row + j] = x[row + j] * s * w[j];
}
