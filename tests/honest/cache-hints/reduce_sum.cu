/* whet:
launches:
  - kernel: parts
    grid: [264]
    block: [256]
    args: [x, partial, n]
  - kernel: join
    grid: [1]
    block: [1]
    args: [partial, out]
workspace:
  partial: {dtype: f32, shape: [264]}
*/

/* honest: cache hints
 * task: reduce_sum n=4194304
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Prefetches, and asks that what it loads stay in the last cache. */
__device__ float load(const float *from, const float *next,
                      unsigned long long policy)
{
    float v;

    asm volatile("prefetch.global.L2 [%0];" ::"l"(next));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
                 : "=f"(v)
                 : "l"(from), "l"(policy));
    return v;
}
extern "C" __global__ void parts(const float *x, float *partial, long n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    long step = (long)gridDim.x * 256;
    float s = 0.0f;

    unsigned long long policy;

    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
                 : "=l"(policy));
    for (long i = (long)blockIdx.x * 256 + t; i < n; i += step)
        s += load(x + i, x + (i + step < n ? i + step : i), policy);
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

    for (int i = 0; i < 264; ++i)
        s += partial[i];
    out[0] = s;
}
