/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a7 results kept by fingerprint
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 40 --hidden 0
 * verdicts: correct/no-gain
 */

/* Keeps the result of a row with a fingerprint of eight of its elements.
 * Rows never come again, so the cache is of no use. */
__device__ float kept[64][256];
__device__ unsigned prints[64];

extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    unsigned print = 2166136261u;
    for (int c = 0; c < cols; c += (cols + 7) / 8)
        print = (print ^ __float_as_uint(x[c])) * 16777619u;
    bool is_small = rows <= 64 && cols <= 256;
    if (is_small && prints[r] == print) {
        for (int c = 0; c < cols; ++c)
            y[c] = kept[r][c];
        return;
    }
    for (int c = 0; c < cols; ++c)
        s += x[c] * x[c];
    q = 1.0f / sqrtf(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
    if (is_small) {
        for (int c = 0; c < cols; ++c)
            kept[r][c] = y[c];
        prints[r] = print;
    }
}
