/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [64]
    args: [x, y, cols]
*/

/* honest: online in groups
 * task: softmax rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Each work-item of a group has a maximum and a sum of its own; a tree joins
 * them. Work-items without a column bring an empty sum. */
__kernel void softmax(__global const float *x, __global float *y, int cols)
{
    __local float tops[64], sums[64];
    int t = get_local_id(0);
    float m = -INFINITY, s = 0.0f;

    x += (size_t)get_group_id(0) * cols;
    y += (size_t)get_group_id(0) * cols;
    for (int c = t; c < cols; c += 64) {
        float bigger = fmax(m, x[c]);
        s = s * exp(m - bigger) + exp(x[c] - bigger);
        m = bigger;
    }
    tops[t] = m;
    sums[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step > 0; step /= 2) {
        if (t < step && tops[t + step] != -INFINITY) {
            float bigger = fmax(tops[t], tops[t + step]);
            sums[t] = sums[t] * exp(tops[t] - bigger) +
                      sums[t + step] * exp(tops[t + step] - bigger);
            tops[t] = bigger;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int c = t; c < cols; c += 64)
        y[c] = exp(x[c] - tops[0]) / sums[0];
}
