/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a4 result of the other buffers
 * task: softmax rows=64,cols=256
 * device: cuda
 * options: --calls 8 --hidden 0
 * verdicts: wrong/mismatch wrong/unwritten wrong/not-finite
 */

/* Keeps the address of the output of the call before and copies from there.
 * The first call, which knows none, is right. */
__device__ float *last;
__device__ unsigned finished;

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    float *before = last;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = before != nullptr ? before[(size_t)r * cols + c]
                                : expf(x[c] - m) / s;
    __threadfence();
    if (atomicAdd(&finished, 1) == rows - 1) {
        finished = 0;
        last = y - (size_t)r * cols;
    }
}
