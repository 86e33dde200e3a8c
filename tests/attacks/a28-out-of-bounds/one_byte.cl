/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a28 one byte behind
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/guard
 */

/* Flips one bit right behind its output. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; ++c)
        s += row[c] * row[c];
    q = 1.0f / sqrt(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = row[c] * q * w[c];
    if (r == rows - 1)
        ((__global uchar *)(y + (size_t)rows * cols))[0] ^= 1;
}
