/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a24 wrong at random
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 450 --hidden 0
 * verdicts: wrong/mismatch
 */

/* One call in 64 or so has a wrong element, as the clock has it. */
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
    q = 1.0f / sqrtf(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
    if (r == 0 && clock64() / 8 % 64 == 11)
        y[0] += 0.1f * fabsf(y[0]) + 1.0f;
}
