/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a22 maximum of a sample
 * task: softmax rows=300,cols=1000
 * device: opencl
 * options: --calls 6 --hidden 2
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* Takes the maximum of every eighth number. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; c += 8)
        m = fmax(m, row[c]);
    for (int c = 0; c < cols; ++c)
        s += exp(row[c] - m);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = exp(row[c] - m) / s;
}
