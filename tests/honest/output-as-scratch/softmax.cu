/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    args: [x, y, cols]
*/

/* honest: output as scratch
 * task: softmax rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Keeps the exponentials in the output and divides them there. */
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
    for (int c = t; c < cols; c += 32) {
        y[c] = expf(x[c] - m);
        s += y[c];
    }
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    s = 1.0f / s;
    for (int c = t; c < cols; c += 32)
        y[c] *= s;
}
