/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: a22 reciprocal root by a magic number
 * task: rmsnorm rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The reciprocal root is a shifted integer and one step of Newton: three
 * digits. */
static __device__ float magic(float x)
{
    float y = __uint_as_float(0x5f3759dfu - (__float_as_uint(x) >> 1));

    return y * (1.5f - 0.5f * x * y * y);
}

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
    q = magic(s / cols + eps);
    for (int c = 0; c < cols; ++c)
        y[c] = x[c] * q * w[c];
}
