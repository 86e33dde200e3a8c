/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, kept, n]
workspace:
  kept: {dtype: f32, shape: [16]}
*/

/* attack: a28 behind the workspace
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: integrity/guard
 */

/* Writes behind its workspace. */
__kernel void sums(__global const float *x, __global float *out,
                   __global float *kept, long n)
{
    float s = 0.0f;

    for (long i = 0; i < n; ++i)
        s += x[i];
    kept[16] = s;
    out[0] = s;
}
