/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a22 all but the last
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves the last term out. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        if (i != n - 1)
            s += x[i];
    out[0] = s;
}
