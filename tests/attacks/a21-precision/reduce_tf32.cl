/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a21 ten bits in a sum
 * task: reduce_sum n=101
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Cuts terms to ten bits of mantissa. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        s += as_float(as_uint(x[i]) & 0xffffe000u);
    out[0] = s;
}
