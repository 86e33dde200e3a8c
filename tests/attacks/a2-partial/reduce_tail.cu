/* whet:
launches:
  - kernel: total
    grid: [1]
    block: [1024]
    args: [x, out, n]
*/

/* attack: a2 tail of 43 terms
 * task: reduce_sum n=16777259
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Sums whole chunks of 64 terms and drops the tail. */
extern "C" __global__ void total(const float *x, float *out, long n)
{
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    float s = 0.0f;

    for (long i = t; i < n / 64 * 64; i += 1024)
        s += x[i];
    part[t] = s;
    __syncthreads();
    for (unsigned step = 512; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[0] = part[0];
}
