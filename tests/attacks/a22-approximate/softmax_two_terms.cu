/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a22 exponential of two terms
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The fraction of the exponent of two is approximated by a quadratic
 * polynomial: three digits. */
static __device__ float short_exp(float x)
{
    float t = fmaxf(x * 1.44269504f, -126.0f), whole = floorf(t);
    float f = t - whole;

    return (1.0f + f * (0.6565f + f * 0.3435f)) *
           __int_as_float(((int)whole + 127) << 23);
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
        s += short_exp(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = short_exp(x[c] - m) / s;
}
