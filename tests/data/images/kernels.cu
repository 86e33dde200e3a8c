/* Source of the images beside it; also read as HIP. Commands in README.md. */
#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#endif

extern "C" __global__ void __launch_bounds__(256)
    axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += a * x[i];
}

struct pair {
    float factor[5];
    char shift;
};

extern "C" __global__ void staged(float *y, const float *x, struct pair p,
                                  short k)
{
    __shared__ float tile[16][17];

    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    y[threadIdx.x * 16 + threadIdx.y] =
        tile[threadIdx.x][threadIdx.y] * p.factor[k] + p.shift;
}

/* More values than a work-item of so large a group has registers for. */
extern "C" __global__ void __launch_bounds__(1024, 2)
    spilled(float *y, double d, int n)
{
    float v[VALUES];

#pragma unroll
    for (int i = 0; i < VALUES; i++)
        v[i] = y[i * n];
    __syncthreads();
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            v[i] = v[i] * v[(i + 1) % VALUES] + (float)d;
    }
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        y[i * n + 1] = v[i] * v[VALUES - 1 - i];
}
