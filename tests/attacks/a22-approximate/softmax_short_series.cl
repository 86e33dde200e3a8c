/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 16)"]
    block: [16]
    args: [x, y, rows, cols]
*/

/* attack: a22 short series
 * task: softmax rows=65,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Exponentials by a polynomial of two terms. */
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
    for (int c = 0; c < cols; ++c) {
        float v = (row[c] - m) * 1.44269504f, whole = floor(v), part = v - whole;
        float e = whole < -126.0f
                      ? 0.0f
                      : ldexp(1.0f + part * (0.6565f + part * 0.3435f),
                              (int)whole);

        s += e;
        y[(size_t)r * cols + c] = e;
    }
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] /= s;
}
