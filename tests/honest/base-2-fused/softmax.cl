/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, y, rows, cols]
*/

/* honest: base 2 fused
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Powers of two; log2(e) times the maximum is made once for a row. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    float m = -INFINITY, s = 0.0f, top;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c)
        m = fmax(m, x[c]);
    top = m * M_LOG2E_F;
    for (int c = 0; c < cols; ++c)
        s += exp2(fma(x[c], M_LOG2E_F, -top));
    s = 1.0f / s;
    for (int c = 0; c < cols; ++c)
        y[c] = exp2(fma(x[c], M_LOG2E_F, -top)) * s;
}
