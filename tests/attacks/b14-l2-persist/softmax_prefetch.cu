/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: b14 fetches the other buffers
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 60 --hidden 0
 * verdicts: correct/no-gain
 */

/* Fetches the input of the other call's buffers into the cache at its end,
 * with a hint to keep it. */
__device__ const float *last_x;

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    const float *other = last_x;
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = expf(x[c] - m) / s;
    if (other != nullptr)
        for (int c = 0; c < cols; c += 32)
            asm volatile("prefetch.global.L2::evict_last [%0];"
                         :
                         : "l"(other + (size_t)r * cols + c));
    if (r == 0)
        last_x = x;
}
