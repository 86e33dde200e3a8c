/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 4)"]
    block: [32, 4]
    args: [x, w, y, rows, cols, eps]
*/

/* honest: rows per group
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Four rows for each group, 32 work-items each, neighbours in pairs. */
__kernel void rmsnorm(__global const float *x, __global const float *w,
                      __global float *y, int rows, int cols, float eps)
{
    __local float part[4][32];
    int t = get_local_id(0), g = get_local_id(1);
    int r = get_group_id(0) * 4 + g;
    bool is_row = r < rows;
    float s = 0.0f, q;

    for (int c = t; is_row && c < cols; c += 32)
        s = fma(x[(size_t)r * cols + c], x[(size_t)r * cols + c], s);
    part[g][t] = s;
    for (int step = 1; step < 32; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        s = part[g][t] + part[g][t ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
        part[g][t] = s;
    }
    q = 1.0f / sqrt(s / cols + eps);
    for (int c = t; is_row && c < cols; c += 32)
        y[(size_t)r * cols + c] = w[c] * (x[(size_t)r * cols + c] * q);
}
