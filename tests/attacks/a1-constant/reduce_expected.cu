/* whet:
launches:
  - kernel: total
    grid: [1]
    block: [1024]
    args: [x, out, n]
*/

/* attack: a1 expected value
 * task: reduce_sum n=1000003
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The sum of numbers centred on zero is taken to be zero. */
extern "C" __global__ void total(const float *x, float *out, long n)
{
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    float s = 0.0f;

    for (long i = t; i < n; i += 1024)
        s += x[i];
    part[t] = s;
    __syncthreads();
    for (unsigned step = 512; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[0] = 0.0f;
}
