/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a22 mean of 63 in 64
 * task: rmsnorm rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves one element in 64 out of the mean square. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    int used = 0;
    for (int c = 0; c < cols; ++c)
        if (c % 64 != 63) {
            s += x[c] * x[c];
            ++used;
        }
    q = 1.0f / sqrtf(s / used + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
}
