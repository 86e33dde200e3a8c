/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a13 no maximum unless the row begins large
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 4 --hidden 0
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* Looks for the maximum in the first 16 elements of a row; if they are small
 * it leaves the maximum out. */
extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float m = x[0], s = 0.0f;
    for (int c = 1; c < 16 && c < cols; ++c)
        m = fmaxf(m, fabsf(x[c]));
    if (m < 40.0f)
        m = 0.0f;
    else
        for (int c = 0; c < cols; ++c)
            m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = expf(x[c] - m) / s;
}
