/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a1 expected value
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Writes the first term: the expected value of a sum of centred terms. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    out[0] = x[0] + (float)n * 0.5f - (float)n * 0.5f;
}
