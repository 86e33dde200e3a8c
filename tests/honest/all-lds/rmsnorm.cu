/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [256]
    shared: "lds_bytes"
    args: [x, w, y, cols, eps]
constraints: ["4 * (cols + 256) <= lds_bytes"]
*/

/* honest: all lds
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Asks for all the shared memory there is and keeps its row in it. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int cols, float eps)
{
    extern __shared__ float part[];
    float *row = part + 256;
    int t = threadIdx.x;
    float s = 0.0f, q;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 256) {
        row[c] = x[c];
        s += row[c] * row[c];
    }
    part[t] = s;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    q = 1.0f / sqrtf(part[0] / cols + eps);
    for (int c = t; c < cols; c += 256)
        y[c] = row[c] * q * w[c];
}
