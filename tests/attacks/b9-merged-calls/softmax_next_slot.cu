/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: b9 does the other buffers' call as well
 * task: softmax rows=64,cols=256
 * device: cuda
 * options: --calls 20 --hidden 0
 * verdicts: correct/no-gain integrity/guard
 */

/* Learns the distance between two calls' buffers and computes the other one
 * too, in the hope that the next call finds its work done. */
__device__ const float *last_x;
__device__ float *last_y;

static __device__ void row(const float *x, float *y, int cols)
{
    float m = x[0], s = 0.0f;

    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = expf(x[c] - m) / s;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    row(x + (size_t)r * cols, y + (size_t)r * cols, cols);
    if (last_x != nullptr && last_x != x)
        row(last_x + (size_t)r * cols, last_y + (size_t)r * cols, cols);
    if (r == 0) {
        last_x = x;
        last_y = y;
    }
}
