/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: e13 output taken as zero
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/not-finite wrong/unwritten
 */

/* Adds to an output that it does not clear. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    for (long i = 0; i < n; ++i)
        out[0] += x[i];
}
