/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a21 short exponentials
 * task: softmax rows=65,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Cuts exponentials to seven bits of mantissa in the sum only. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; ++c)
        m = fmax(m, row[c]);
    for (int c = 0; c < cols; ++c)
        s += as_float(as_uint(exp(row[c] - m)) & 0xffff0000u);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = exp(row[c] - m) / s;
}
