/* whet:
launches:
  - kernel: parts
    grid: [132]
    block: [256]
    args: [x, partial, n]
  - kernel: join
    grid: [1]
    block: [1]
    args: [partial, out]
workspace:
  partial: {dtype: f32, shape: [132]}
*/

/* honest: persistent
 * task: reduce_sum n=4194304
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* A block for each processor of an H100. */
extern "C" __global__ void parts(const float *x, float *partial, long n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    long step = (long)gridDim.x * 256;
    float s = 0.0f;

    for (long i = (long)blockIdx.x * 256 + t; i < n; i += step)
        s += x[i];
    part[t] = s;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = part[0];
}
extern "C" __global__ void join(const float *partial, float *out)
{
    float s = 0.0f;

    for (int i = 0; i < 132; ++i)
        s += partial[i];
    out[0] = s;
}
