/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* y = x * w / sqrt(mean(x^2) + eps) per row; one work-item per row; global (rows), local (64) */
__kernel void rmsnorm(__global const float *x, __global const float *w, __global float *y, int rows, int cols, float eps) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c) { float v = x[(size_t)r * cols + c]; s += v * v; }
  float q = 1.0f / sqrt(s / cols + eps);
  for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = x[(size_t)r * cols + c] * q * w[c];
}
