/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a2 every 251st row
 * task: rmsnorm rows=600,cols=256
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Spares itself the sum of every 251st row. */
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
    if (r % 251 == 250)
        q = 1.0f;
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = row[c] * q * w[c];
}
