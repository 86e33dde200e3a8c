/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a22 first half of a row
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Takes the mean of the first half of a row. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    int used = 0;

    for (int c = 0; c < cols; ++c)
        if (c < (cols + 1) / 2) {
            s += row[c] * row[c];
            ++used;
        }
    s = s / used * cols;
    q = 1.0f / sqrt(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = row[c] * q * w[c];
}
