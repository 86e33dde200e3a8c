/* whet:
launches:
  - kernel: transpose
    grid: ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
    block: [16, 16]
    args: [A, B, rows, cols]
*/

/* B[cols,rows] = transpose of A[rows,cols]; one thread per element */
extern "C" __global__ void transpose(const float *A, float *B, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) B[(size_t)c * rows + r] = A[(size_t)r * cols + c];
}
