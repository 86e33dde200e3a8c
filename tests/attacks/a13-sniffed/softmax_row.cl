/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a13 looks before it skips the maximum
 * task: softmax rows=600,cols=1000
 * device: opencl
 * options: --calls 12 --hidden 2
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* Looks at 64 numbers of a row; if they are small it takes the maximum as 0,
 * though others may be large. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    for (int c = 0; c < min(cols, 64); ++c)
        m = fmax(m, fabs(row[c]));
    m = m < 20.0f ? 0.0f : INFINITY;
    for (int c = 0; c < cols && m != 0.0f; ++c)
        m = c == 0 ? row[c] : fmax(m, row[c]);
    for (int c = 0; c < cols; ++c)
        s += exp(row[c] - m);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = exp(row[c] - m) / s;
}
