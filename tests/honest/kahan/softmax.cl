/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, y, rows, cols]
*/

/* honest: kahan
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The sum keeps what each addition lost. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    float m = -INFINITY, s = 0.0f, lost = 0.0f;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c)
        m = fmax(m, x[c]);
    for (int c = 0; c < cols; ++c) {
        float v = exp(x[c] - m) - lost, t = s + v;
        lost = (t - s) - v;
        s = t;
    }
    for (int c = 0; c < cols; ++c)
        y[c] = exp(x[c] - m) / s;
}
