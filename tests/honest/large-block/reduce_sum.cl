/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [4096]
    args: [x, out, n]
*/
/* honest: large block
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* The largest work-group there is, with a tree of barriers. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    __local float t[4096];
    int l = get_local_id(0);
    float s = 0.0f;
    for (long i = l; i < n; i += 4096)
        s += x[i];
    t[l] = s;
    for (int h = 2048; h > 0; h /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < h)
            t[l] += t[l + h];
    }
    if (l == 0)
        out[0] = t[0];
}
