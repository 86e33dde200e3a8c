/* Kernels of the CUDA device's end-to-end tests. The fake driver knows them by
 * name and runs C functions in their place; what the judge reads of them
 * (arguments, registers, group size) is real: kernels.cubin is this file,
 * compiled. */

#define KERNEL(name, items)                                                    \
  extern "C" __global__ void __launch_bounds__(items)                          \
      name(const float *A, const float *B, float *C, int M, int N, int K) {    \
    int j = blockIdx.x * blockDim.x + threadIdx.x;                             \
    int i = blockIdx.y * blockDim.y + threadIdx.y;                             \
    if (i >= M || j >= N) return;                                              \
    float s = 0.0f;                                                            \
    _Pragma("unroll 1")                                                        \
    for (int k = 0; k < K; ++k) s += A[(size_t)i * K + k] * B[(size_t)k * N + j]; \
    C[(size_t)i * N + j] = s;                                                  \
  }

KERNEL(gemm, 1024)
KERNEL(gemm_fast, 256)
KERNEL(gemm_wrong, 256)
KERNEL(gemm_fault, 256)
