/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    args: [x, y, cols]
*/

/* honest: online
 * task: softmax rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Maximum and sum in one pass: a new maximum scales down what was added. Lanes
 * without a column bring an empty sum. */
extern "C" __global__ void softmax(const float *x, float *y, int cols)
{
    int t = threadIdx.x;
    float m = __int_as_float(0xff800000), s = 0.0f;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 32) {
        float bigger = fmaxf(m, x[c]);
        s = s * expf(m - bigger) + expf(x[c] - bigger);
        m = bigger;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other_m = __shfl_xor_sync(0xffffffffu, m, step);
        float other_s = __shfl_xor_sync(0xffffffffu, s, step);
        float bigger = fmaxf(m, other_m);
        float mine = s > 0.0f ? s * expf(m - bigger) : 0.0f;
        s = mine + (other_s > 0.0f ? other_s * expf(other_m - bigger) : 0.0f);
        m = bigger;
    }
    for (int c = t; c < cols; c += 32)
        y[c] = expf(x[c] - m) / s;
}
