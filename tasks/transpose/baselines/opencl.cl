/* whet:
launches:
  - kernel: transpose
    grid: ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
    block: [16, 16]
    args: [A, B, rows, cols]
*/

/* B[cols,rows] = transpose of A[rows,cols]; one work-item per element; global (cols, rows), local (16, 16) */
__kernel void transpose(__global const float *A, __global float *B, int rows, int cols) {
  int c = get_global_id(0), r = get_global_id(1);
  if (r < rows && c < cols) B[(size_t)c * rows + r] = A[(size_t)r * cols + c];
}
