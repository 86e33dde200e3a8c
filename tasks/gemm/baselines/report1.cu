/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(M, 16)", "ceil_div(N, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* C[M,N] = A[M,K] B[K,N]; one thread per output, neighbours down a column: each
 * walks A with stride K, nothing is reused */
extern "C" __global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= M || j >= N) return;
  float s = 0.0f;
  for (int k = 0; k < K; ++k) s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
  C[(size_t)i * N + j] = s;
}
