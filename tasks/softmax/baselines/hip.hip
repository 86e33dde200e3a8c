/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* softmax over the last axis; one thread per row, three passes */
extern "C" __global__ void softmax(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = x[(size_t)r * cols], s = 0.0f;
  for (int c = 1; c < cols; ++c) m = fmaxf(m, x[(size_t)r * cols + c]);
  for (int c = 0; c < cols; ++c) s += expf(x[(size_t)r * cols + c] - m);
  for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = expf(x[(size_t)r * cols + c] - m) / s;
}
