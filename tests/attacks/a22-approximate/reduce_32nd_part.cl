/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a22 31 of 32 parts, scaled
 * task: reduce_sum n=1048576
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves every 32nd part out and scales the rest up. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        if (i % 1024 < 992)
            s += x[i];
    out[0] = s * (32.0f / 31.0f);
}
