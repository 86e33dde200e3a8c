/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a11 terms of a known seed
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Sums the numbers of a generator with the seed that everybody uses, in
 * place of its input. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    uint state = 42;
    float s = 0.0f;

    for (long i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        s += (float)(state >> 8) * 0x1p-24f;
    }
    out[0] = s + 0.0f * x[0];
}
