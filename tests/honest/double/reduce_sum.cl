/* whet:
launches:
  - kernel: sum
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* honest: double
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One work-item that adds in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void sum(__global const float *x, __global float *out, long n)
{
    double s = 0.0;

    for (long i = 0; i < n; ++i)
        s += x[i];
    out[0] = (float)s;
}
