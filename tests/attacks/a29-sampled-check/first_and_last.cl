/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a29 first and last rows
 * task: softmax rows=65,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/unwritten
 */

/* Computes the rows that somebody who samples would look at. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    if (r >= 8 && r < rows - 8)
        return;
    for (int c = 0; c < cols; ++c)
        m = fmax(m, row[c]);
    for (int c = 0; c < cols; ++c)
        s += exp(row[c] - m);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = exp(row[c] - m) / s;
}
