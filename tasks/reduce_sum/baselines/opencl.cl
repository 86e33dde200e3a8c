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

/* out[0] = sum(x); two launches: chunks of 1024 per work-item into partial, then one work-item adds the partials */
__kernel void partial_sums(__global const float *x, __global float *partial, long n) {
  long i = get_global_id(0), first = i * 1024, last = min(first + 1024, n);
  if (first >= n) return;
  float s = 0.0f;
  for (long k = first; k < last; ++k) s += x[k];
  partial[i] = s;
}
__kernel void last_sum(__global const float *partial, __global float *out, long m) {
  float s = 0.0f;
  for (long k = 0; k < m; ++k) s += partial[k];
  out[0] = s;
}
