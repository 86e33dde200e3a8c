/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* y = x * w / sqrt(mean(x^2) + eps) per row; one thread per row */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y, int rows, int cols, float eps) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c) { float v = x[(size_t)r * cols + c]; s += v * v; }
  float q = 1.0f / sqrtf(s / cols + eps);
  for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = x[(size_t)r * cols + c] * q * w[c];
}
