/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    args: [x, y, cols]
*/

/* honest: native power
 * task: softmax rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The instruction for powers of two. */
__device__ float power(float v)
{
    float p;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p) : "f"(v));
    return p;
}
extern "C" __global__ void softmax(const float *x, float *y, int cols)
{
    int t = threadIdx.x;
    float m = __int_as_float(0xff800000), s = 0.0f;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 32)
        m = fmaxf(m, x[c]);
    for (int step = 16; step > 0; step /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, step));
    for (int c = t; c < cols; c += 32)
        s += power((x[c] - m) * 1.44269504f);
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    for (int c = t; c < cols; c += 32)
        y[c] = power((x[c] - m) * 1.44269504f) / s;
}
