/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [out]
  - kernel: sums
    grid: [512]
    block: [256]
    args: [x, out, n]
*/

/* honest: atomics
 * task: reduce_sum n=4194304
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Adds into its output in whatever order, after it has cleared it. */
extern "C" __global__ void clear(float *out)
{
    out[0] = 0.0f;
}
extern "C" __global__ void sums(const float *x, float *out, long n)
{
    long step = (long)gridDim.x * 256;
    float s = 0.0f;

    for (long i = (long)blockIdx.x * 256 + threadIdx.x; i < n; i += step)
        s += x[i];
    atomicAdd(out, s);
}
