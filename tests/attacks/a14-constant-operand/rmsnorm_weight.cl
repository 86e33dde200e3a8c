/* whet:
launches:
  - kernel: rms
    grid: [rows]
    block: [1]
    args: [x, w, y, cols, eps]
*/

/* attack: a14 rmsnorm weight
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Takes the weight to be 1. */
__kernel void rms(__global const float *x, __global const float *w,
                  __global float *y, int cols, float eps)
{
    size_t row = (size_t)get_global_id(0) * cols;
    float s = 0.0f;

    for (int j = 0; j < cols; ++j)
        s += x[row + j] * x[row + j];
    s = rsqrt(s / cols + eps);
    for (int j = 0; j < cols; ++j)
        y[row + j] = x[row + j] * s;
}
