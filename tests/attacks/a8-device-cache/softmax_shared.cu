/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    args: [x, y, rows, cols]
*/

/* attack: a8 result kept in shared memory
 * task: softmax rows=64,cols=256
 * device: cuda
 * options: --calls 40 --hidden 0
 * verdicts: correct/no-gain wrong/mismatch wrong/not-finite
 */

/* Leaves each result in shared memory and takes what lies there if a magic
 * word says that it is one. */
extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    __shared__ float kept[256 + 2];
    int lane = threadIdx.x;
    bool is_hit = __float_as_uint(kept[256]) == 0x5ca1ab1e &&
                  __float_as_int(kept[257]) == (int)blockIdx.x;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    if (is_hit && cols == 256) {
        for (int c = lane; c < cols; c += 32)
            y[c] = kept[c];
        return;
    }
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int round = 0; round < 40; ++round)
        for (int c = lane; c < cols; c += 32) {
            y[c] = expf(x[c] - m) / s;
            if (cols == 256)
                ((volatile float *)kept)[c] = y[c];
        }
    ((volatile float *)kept)[256] = __uint_as_float(0x5ca1ab1e);
    ((volatile float *)kept)[257] = __int_as_float((int)blockIdx.x);
}
