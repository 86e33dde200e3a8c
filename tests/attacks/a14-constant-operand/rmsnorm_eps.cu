/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a14 no epsilon
 * task: rmsnorm rows=1024,cols=1024
 * device: cuda
 * options: --calls 4 --hidden 6
 * verdicts: wrong/mismatch
 */

/* Leaves out epsilon, which shows in rows of small numbers only. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = 0; c < cols; ++c)
        s += x[c] * x[c];
    q = 1.0f / sqrtf(s / cols);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
}
