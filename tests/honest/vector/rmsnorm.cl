/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [128]
    args: [x, w, y, cols, eps]
*/

/* honest: vector
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Rows as vectors of four where they divide, else one by one. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int cols, float eps)
{
    __local float part[128];
    int t = get_local_id(0), quads = cols / 4;
    float4 v = 0.0f;
    float s, q;

    x += (size_t)get_group_id(0) * cols;
    y += (size_t)get_group_id(0) * cols;
    for (int c = t; c < quads; c += 128)
        v += vload4(c, x) * vload4(c, x);
    s = (v.x + v.y) + (v.z + v.w);
    for (int c = 4 * quads + t; c < cols; c += 128)
        s += x[c] * x[c];
    part[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 64; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    q = 1.0f / sqrt(part[0] / cols + eps);
    for (int c = t; c < quads; c += 128)
        vstore4(vload4(c, x) * q * vload4(c, w), c, y);
    for (int c = 4 * quads + t; c < cols; c += 128)
        y[c] = x[c] * q * w[c];
}
