/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* softmax over the last axis; one work-item per row, three passes; global (rows), local (64) */
__kernel void softmax(__global const float *x, __global float *y, int rows, int cols) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float m = -INFINITY, s = 0.0f;
  for (int c = 0; c < cols; ++c) m = fmax(m, x[(size_t)r * cols + c]);
  for (int c = 0; c < cols; ++c) s += exp(x[(size_t)r * cols + c] - m);
  for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = exp(x[(size_t)r * cols + c] - m) / s;
}
