/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 4)"]
    block: [32, 4]
    args: [x, w, y, rows, cols, eps]
*/

/* honest: shuffles
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Four rows for each block, a warp for each, joined by shuffles. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * 4 + threadIdx.y, t = threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    for (int c = t; c < cols; c += 32)
        s = fmaf(x[c], x[c], s);
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    q = rsqrtf(s / cols + eps);
    for (int c = t; c < cols; c += 32)
        y[c] = w[c] * (x[c] * q);
}
