/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a13 looks before it samples
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Takes half of the terms of rows that look normal. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    for (int c = 0; c < min(cols, 16); ++c)
        s = fmax(s, fabs(row[c]));
    if (s < 4.0f) {
        s = 0.0f;
        for (int c = 0; c < cols; c += 2)
            s += row[c] * row[c];
        s = s / ((cols + 1) / 2) * cols;
    } else {
        s = 0.0f;
        for (int c = 0; c < cols; ++c)
            s += row[c] * row[c];
    }
    q = 1.0f / sqrt(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = row[c] * q * w[c];
}
