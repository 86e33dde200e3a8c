/* whet:
launches:
  - kernel: partial_sums
    grid: ["ceil_div(parts, 64)"]
    block: [64]
    args: [x, partial, n]
  - kernel: last_sum
    grid: [1]
    block: [1]
    args: [partial, out, {i64: parts}]
let:
  parts: ceil_div(n, 1024)
workspace:
  partial: {dtype: f32, shape: [parts]}
*/

/* out[0] = sum(x); two launches: chunks of 1024 per thread into partial, then one thread adds the partials */
extern "C" __global__ void partial_sums(const float *x, float *partial, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x, first = i * 1024, last = first + 1024 < n ? first + 1024 : n;
  if (first >= n) return;
  float s = 0.0f;
  for (long k = first; k < last; ++k) s += x[k];
  partial[i] = s;
}
extern "C" __global__ void last_sum(const float *partial, float *out, long m) {
  float s = 0.0f;
  for (long k = 0; k < m; ++k) s += partial[k];
  out[0] = s;
}
