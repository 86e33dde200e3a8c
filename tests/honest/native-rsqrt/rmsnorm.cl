/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [128]
    args: [x, w, y, cols, eps]
*/

/* honest: native rsqrt
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The quick reciprocal square root and one step of Newton. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int cols, float eps)
{
    __local float part[128];
    int t = get_local_id(0);
    float s = 0.0f, q;

    x += (size_t)get_group_id(0) * cols;
    y += (size_t)get_group_id(0) * cols;
    for (int c = t; c < cols; c += 128)
        s += x[c] * x[c];
    part[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 64; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    q = part[0] / cols + eps;
    float guess = native_rsqrt(q);
    q = guess * fma(-0.5f * q * guess, guess, 1.5f);
    for (int c = t; c < cols; c += 128)
        y[c] = x[c] * q * w[c];
}
