/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [256]
    args: [x, w, y, cols, eps]
*/

/* honest: vector
 * task: rmsnorm rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Rows as vectors of four where they are aligned, else one by one. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int cols, float eps)
{
    __shared__ float part[256];
    int t = threadIdx.x, quads = cols % 4 == 0 ? cols / 4 : 0;
    float s = 0.0f, q;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    if ((((size_t)x | (size_t)y | (size_t)w) & 15) != 0)
        quads = 0;
    for (int c = t; c < quads; c += 256) {
        float4 v = ((const float4 *)x)[c];
        s += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    for (int c = 4 * quads + t; c < cols; c += 256)
        s += x[c] * x[c];
    part[t] = s;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    q = 1.0f / sqrtf(part[0] / cols + eps);
    for (int c = t; c < quads; c += 256) {
        float4 v = ((const float4 *)x)[c], u = ((const float4 *)w)[c];
        v.x *= q * u.x;
        v.y *= q * u.y;
        v.z *= q * u.z;
        v.w *= q * u.w;
        ((float4 *)y)[c] = v;
    }
    for (int c = 4 * quads + t; c < cols; c += 256)
        y[c] = x[c] * q * w[c];
}
