/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a22 999 terms of 1000, scaled
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves one term in 1000 out and scales the rest up. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        if (i % 1000 != 999)
            s += x[i];
    out[0] = s * (float)n / (float)(n - n / 1000);
}
