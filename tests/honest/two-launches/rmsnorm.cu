/* whet:
launches:
  - kernel: factors
    grid: [rows]
    block: [32]
    args: [x, factor, cols, eps]
  - kernel: multiply
    grid: ["ceil_div(cols, 256)", rows]
    block: [256]
    args: [x, w, factor, y, cols]
workspace:
  factor: {dtype: f32, shape: [rows]}
*/

/* honest: two launches
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One launch finds each row's factor, the other multiplies. */
extern "C" __global__ void factors(const float *x, float *factor, int cols,
                                   float eps)
{
    float s = 0.0f;

    x += (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += 32)
        s += x[c] * x[c];
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    if (threadIdx.x == 0)
        factor[blockIdx.x] = 1.0f / sqrtf(s / cols + eps);
}
extern "C" __global__ void multiply(const float *x, const float *w,
                                    const float *factor, float *y, int cols)
{
    int c = blockIdx.x * 256 + threadIdx.x, r = blockIdx.y;

    if (c < cols)
        y[(size_t)r * cols + c] = x[(size_t)r * cols + c] * factor[r] * w[c];
}
