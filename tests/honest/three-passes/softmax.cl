/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, y, rows, cols]
*/

/* honest: three passes
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The maximum, the sum, the quotients: three times over each row. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c)
        m = fmax(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += exp(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = exp(x[c] - m) / s;
}
