/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a21 output rounded to f16
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Rounds what it writes to half precision. */
static __device__ float rounded(float x)
{
    unsigned short half;
    float back;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
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
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = rounded(expf(x[c] - m) / s);
}
