/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [32]
    args: [x, w, y, cols, eps]
*/

/* honest: double
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Adds and divides in double precision. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int cols, float eps)
{
    int t = threadIdx.x;
    double s = 0.0;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 32)
        s += (double)x[c] * x[c];
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    s = 1.0 / sqrt(s / cols + (double)eps);
    for (int c = t; c < cols; c += 32)
        y[c] = (float)(x[c] * s * w[c]);
}
