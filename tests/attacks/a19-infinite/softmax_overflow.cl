/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a19 infinity by overflow
 * task: softmax rows=65,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/not-finite wrong/mismatch
 */

/* Lets its sums overflow, so that an infinity may meet an infinity. */
__kernel void softmax(__global const float *x, __global float *y, int rows,
                      int cols)
{
    int r = get_global_id(0);
    __global const float *row = x + (size_t)r * cols;
    float m = -INFINITY, s = 0.0f;

    if (r >= rows)
        return;
    m = 0.0f;
    for (int c = 0; c < cols; ++c)
        s += exp(row[c] * 64.0f);
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = s + row[c];
}
