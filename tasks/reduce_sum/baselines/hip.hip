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

/* out[0] = sum(x): chunks of 1024 per thread, their sums likewise, then one thread adds what is left. With two
 * launches one thread would add 262144 numbers of one size at n = 2^28, and the task's bound refuses that error. */
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
