/* whet:
launches:
  - kernel: sum
    grid: [64]
    block: [64]
    args: [x, part, done, out, n]
workspace:
  part: {dtype: f32, shape: [64]}
  done: {dtype: i32, shape: [1]}
*/

/* attack: e13 counter in an uncleared workspace
 * task: reduce_sum n=1000003
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/unwritten
 */

/* The last block to finish writes the sum; the counter that tells which it
 * is was never set to zero. */
extern "C" __global__ void sum(const float *x, float *part, unsigned *done,
                               float *out, long n)
{
    __shared__ float own[64];
    int t = threadIdx.x;
    float s = 0.0f;

    for (long i = blockIdx.x * 64 + t; i < n; i += 64 * 64)
        s += x[i];
    own[t] = s;
    __syncthreads();
    if (t != 0)
        return;
    s = 0.0f;
    for (int e = 0; e < 64; ++e)
        s += own[e];
    part[blockIdx.x] = s;
    __threadfence();
    if (atomicAdd(done, 1) != 63)
        return;
    s = 0.0f;
    for (int e = 0; e < 64; ++e)
        s += ((volatile float *)part)[e];
    out[0] = s;
}
