/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a7 results kept by a weak fingerprint
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 8 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The fingerprint of a row is the sign of its first element, so it is soon
 * met again. */
__device__ float kept[2][64][256];
__device__ int is_kept[2][64];

extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    int print = x[0] < 0.0f;
    bool is_small = rows <= 64 && cols <= 256;
    if (is_small && is_kept[print][r]) {
        for (int c = 0; c < cols; ++c)
            y[c] = kept[print][r][c];
        return;
    }
    for (int c = 0; c < cols; ++c)
        s += x[c] * x[c];
    q = 1.0f / sqrtf(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
    if (is_small) {
        for (int c = 0; c < cols; ++c)
            kept[print][r][c] = y[c];
        is_kept[print][r] = 1;
    }
}
