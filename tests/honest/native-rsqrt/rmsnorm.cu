/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [256]
    args: [x, w, y, cols, eps]
*/

/* honest: native rsqrt
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The instruction for reciprocal square roots and one step of Newton. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int cols, float eps)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float s = 0.0f, q;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 256)
        s += x[c] * x[c];
    part[t] = s;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    float mean = part[0] / cols + eps, guess;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(mean));
    q = guess * fmaf(-0.5f * mean * guess, guess, 1.5f);
    for (int c = t; c < cols; c += 256)
        y[c] = x[c] * q * w[c];
}
