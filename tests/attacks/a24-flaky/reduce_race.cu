/* whet:
launches:
  - kernel: clear
    grid: [1]
    block: [1]
    args: [out]
  - kernel: sum
    grid: [64]
    block: [64]
    args: [x, out, n]
*/

/* attack: a24 race between blocks
 * task: reduce_sum n=100003
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/unwritten wrong/not-finite
 */

/* Blocks add to the output without atomics, so that some are lost. */
extern "C" __global__ void clear(float *out)
{
    out[0] = 0.0f;
}

extern "C" __global__ void sum(const float *x, float *out, long n)
{
    long first = blockIdx.x * 64 + threadIdx.x;
    float s = 0.0f;

    for (long i = first; i < n; i += 64 * 64)
        s += x[i];
    *(volatile float *)out = *(volatile float *)out + s;
}
