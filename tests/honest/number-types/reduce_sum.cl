/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n, {i32: "n % 7"}]
*/
/* honest: number types
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Takes a long as ulong, an int as uint, and floats as float4. */
__kernel void sums(__global const float4 *x4, __global float *out, ulong n,
                   uint r)
{
    const __global float *x = (const __global float *)x4;
    float s = 0.0f;
    float4 v = 0.0f;
    for (ulong i = 0; i < n / 4; ++i)
        v += x4[i];
    s = v.x + v.y + v.z + v.w;
    for (ulong i = n / 4 * 4; i < n; ++i)
        s += x[i];
    out[0] = s + (r > 7 ? 1.0f : 0.0f);
}
