/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a22 exponential in f16
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The exponential is taken by the half-precision unit. */
static __device__ float half_exp(float x)
{
    float t = x * 1.44269504f, back;
    unsigned short half;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(t));
    asm("ex2.approx.f16 %0, %0;" : "+h"(half));
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(half));
    return back;
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
        s += half_exp(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = half_exp(x[c] - m) / s;
}
