/* whet:
launches:
  - kernel: rmsnorm
    grid: [rows]
    block: [128]
    args: [x, w, y, cols, eps]
*/

/* honest: row per group
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* A group for each row, its sum by a tree in local memory. */
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
    q = 1.0f / sqrt(part[0] / cols + eps);
    for (int c = t; c < cols; c += 128)
        y[c] = x[c] * q * w[c];
}
