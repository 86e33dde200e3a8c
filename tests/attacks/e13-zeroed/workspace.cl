/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, kept, n]
workspace:
  kept: {dtype: f32, shape: [16]}
*/

/* attack: e13 workspace taken as zeros
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/not-finite wrong/unwritten
 */

/* Adds to a workspace that it does not clear. */
__kernel void sums(__global const float *x, __global float *out,
                   __global float *kept, long n)
{
    for (long i = 0; i < n; ++i)
        kept[i % 16] += x[i];
    out[0] = 0.0f;
    for (int i = 0; i < 16; ++i)
        out[0] += kept[i];
}
