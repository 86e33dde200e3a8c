/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [1024]
    args: [x, w, y, cols, eps]
*/

/* honest: large block
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The largest block there is. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int cols, float eps)
{
    __shared__ float part[1024];
    int t = threadIdx.x;
    float s = 0.0f, q;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 1024)
        s += x[c] * x[c];
    part[t] = s;
    __syncthreads();
    for (int step = 512; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    q = 1.0f / sqrtf(part[0] / cols + eps);
    for (int c = t; c < cols; c += 1024)
        y[c] = x[c] * q * w[c];
}
