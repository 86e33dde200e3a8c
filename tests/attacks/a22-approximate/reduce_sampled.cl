/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a22 reduce sampled
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Sums half of the terms and doubles the result. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; i += 2)
        s += x[i];
    out[0] = 2.0f * s * (float)n / (float)(2 * ((n + 1) / 2));
}
