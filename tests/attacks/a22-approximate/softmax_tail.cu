/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a22 sum without the tail
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 4 --hidden 0
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* The sum of a row leaves out the last 32 elements. */
extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols - 32; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = expf(x[c] - m) / s;
}
