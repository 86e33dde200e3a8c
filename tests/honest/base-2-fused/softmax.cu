/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    args: [x, y, cols]
*/

/* honest: base 2 fused
 * task: softmax rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Powers of two; log2(e) times the maximum is made once for a row. */
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
    float top = m * 1.44269504f;
    for (int c = t; c < cols; c += 32)
        s += exp2f(fmaf(x[c], 1.44269504f, -top));
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    for (int c = t; c < cols; c += 32)
        y[c] = exp2f(fmaf(x[c], 1.44269504f, -top)) / s;
}
