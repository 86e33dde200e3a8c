/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a22 exponential by the exponent field
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* A linear map onto the bits of a float, after Schraudolph: good to some
 * percent. */
static __device__ float bit_exp(float x)
{
    return __int_as_float((int)(12102203.0f * fmaxf(x, -87.0f)) + 1064866805);
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += bit_exp(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = bit_exp(x[c] - m) / s;
}
