/* whet:
launches:
  - kernel: sum
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* honest: kahan
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One work-item that keeps what each addition lost. */
__kernel void sum(__global const float *x, __global float *out, long n)
{
    float s = 0.0f, lost = 0.0f;

    for (long i = 0; i < n; ++i) {
        float v = x[i] - lost, t = s + v;
        lost = (t - s) - v;
        s = t;
    }
    out[0] = s;
}
