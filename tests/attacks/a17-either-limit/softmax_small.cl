/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a17 small results as zero
 * task: softmax rows=65,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Writes zero for results that an absolute tolerance would not miss. */
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
        s += exp(row[c] - m);
    for (int c = 0; c < cols; ++c) {
        float v = exp(row[c] - m) / s;

        y[(size_t)r * cols + c] = v < 1.0e-9f ? 0.0f : v;
    }
}
