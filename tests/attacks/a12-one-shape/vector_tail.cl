/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a12 whole vectors only
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 6
 * verdicts: wrong/mismatch wrong/unwritten
 */

/* Reads whole vectors of four; hidden shapes have a rest. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    cols = cols / 4 * 4;
    if (cols == 0)
        return;
    for (int c = 0; c < cols; ++c)
        s += row[c] * row[c];
    q = 1.0f / sqrt(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[(row - x) + c] = row[c] * q * w[c];
}
