/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a12 right for 1024 columns alone
 * task: rmsnorm rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 6
 * verdicts: wrong/mismatch
 */

/* Divides by 1024, whatever the number of columns. */
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
    q = 1.0f / sqrtf(s * 0.0009765625f + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
}
