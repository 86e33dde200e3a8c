/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* Sums half of the terms and doubles the result. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; i += 2)
        s += x[i];
    out[0] = 2.0f * s * (float)n / (float)(2 * ((n + 1) / 2));
}
