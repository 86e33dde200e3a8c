/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, y, rows, cols]
*/

/* honest: online
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Maximum and sum in one pass: a new maximum scales down what was added. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c) {
        float bigger = fmax(m, x[c]);
        s = s * exp(m - bigger) + exp(x[c] - bigger);
        m = bigger;
    }
    s = 1.0f / s;
    for (int c = 0; c < cols; ++c)
        y[c] = exp(x[c] - m) * s;
}
