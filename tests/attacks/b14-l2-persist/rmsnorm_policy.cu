/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: b14 asks the cache to keep its data
 * task: rmsnorm rows=1024,cols=1024
 * device: cuda
 * options: --calls 60 --hidden 0
 * verdicts: correct/no-gain
 */

/* Reads with a policy that keeps lines in the last cache beyond the call.
 * The addresses come again, their contents do not. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, q;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    unsigned long long keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    for (int c = 0; c < cols; ++c) {
        float v;

        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
                     : "=f"(v)
                     : "l"(x + c), "l"(keep));
        s += v * v;
    }
    q = 1.0f / sqrtf(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
}
