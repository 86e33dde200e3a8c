/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a10 weights kept from the first call
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 4 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Takes the weights for static, as a model would have them, and keeps those
 * of the first call. */
__device__ float kept[64][4096];
__device__ int is_kept[64];

extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float *mine = kept[r % 64];
    if (!is_kept[r % 64] && cols <= 4096) {
        for (int c = 0; c < cols; ++c)
            mine[c] = w[c];
        is_kept[r % 64] = 1;
    }
    for (int c = 0; c < cols; ++c)
        s += x[c] * x[c];
    q = 1.0f / sqrtf(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * mine[c % 4096];
}
