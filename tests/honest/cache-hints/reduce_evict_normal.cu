/* whet:
launches:
  - kernel: partial_sums
    grid: ["ceil_div(parts, 64)"]
    block: [64]
    args: [x, partial, n]
  - kernel: partial_sums
    grid: ["ceil_div(rest, 64)"]
    block: [64]
    args: [partial, second, {i64: parts}]
  - kernel: last_sum
    grid: [1]
    block: [1]
    args: [second, out, {i64: rest}]
let:
  parts: ceil_div(n, 1024)
  rest: ceil_div(parts, 1024)
workspace:
  partial: {dtype: f32, shape: [parts]}
  second: {dtype: f32, shape: [rest]}
*/

/* honest: loads with the usual priority
 * task: reduce_sum n=4194304
 * device: cuda
 * options: --calls 60 --hidden 0
 * verdicts: correct
 */

/* Twin of attacks/b15-eviction-hints/reduce_policy.cu, with the priority that
 * lines have anyhow. */
extern "C" __global__ void partial_sums(const float *x, float *partial, long n)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x, first = i * 1024;
    long last = first + 1024 < n ? first + 1024 : n;
    unsigned long long keep;
    float s = 0.0f;

    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(keep));
    if (first >= n)
        return;
    for (long k = first; k < last; ++k) {
        float v;

        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
                     : "=f"(v)
                     : "l"(x + k), "l"(keep));
        s += v;
    }
    partial[i] = s;
}

extern "C" __global__ void last_sum(const float *partial, float *out, long m)
{
    float s = 0.0f;

    for (long k = 0; k < m; ++k)
        s += partial[k];
    out[0] = s;
}
