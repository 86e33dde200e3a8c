/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: e11 fault in a later call
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 20 --hidden 0
 * verdicts: resource/launch integrity/crash
 */

/* Reads an address that is not mapped, in its tenth call. */
__device__ unsigned calls;

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
    if (r == 0 && ++calls == 10)
        y[0] += *(volatile float *)((char *)y + (1ull << 40)) * 0.0f;
}
