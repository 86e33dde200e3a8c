/* Kernels of the HIP device's tests. The fake runtime knows them by name and
 * runs C functions in their place; what the judge reads of them (arguments,
 * registers, group size) is real: kernels.hsaco is this file, compiled. */

#define KERNEL(name, items)                                                    \
  extern "C" __global__ void __launch_bounds__(items)                          \
      name(const float *A, const float *B, float *C, int M, int N, int K) {    \
    int j = blockIdx.x * blockDim.x + threadIdx.x;                             \
    int i = blockIdx.y * blockDim.y + threadIdx.y;                             \
    if (i >= M || j >= N) return;                                              \
    float s = 0.0f;                                                            \
    for (int k = 0; k < K; ++k) s += A[(size_t)i * K + k] * B[(size_t)k * N + j]; \
    C[(size_t)i * N + j] = s;                                                  \
  }

KERNEL(gemm, 1024)
KERNEL(gemm_fast, 256)
KERNEL(gemm_wrong, 256)
KERNEL(gemm_refused, 256)
KERNEL(gemm_fault, 256)
KERNEL(gemm_endless, 256)

extern "C" __global__ void __launch_bounds__(64)
    rmsnorm(const float *x, const float *w, float *y, int rows, int cols, float eps) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c) s += x[(size_t)r * cols + c] * x[(size_t)r * cols + c];
  float q = 1.0f / sqrtf(s / cols + eps);
  for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = x[(size_t)r * cols + c] * q * w[c];
}
