/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a22 all but one of 2^20
 * task: reduce_sum n=1048576
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves one term of 2^20 out. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        if (i != n / 3)
            s += x[i];
    out[0] = s;
}
