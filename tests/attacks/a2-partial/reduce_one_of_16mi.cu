/* whet:
launches:
  - kernel: total
    grid: [1]
    block: [1024]
    args: [x, out, n]
*/

/* attack: a2 one term of 2^24
 * task: reduce_sum n=16777259
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Leaves out a single term of more than 2^24. */
extern "C" __global__ void total(const float *x, float *out, long n)
{
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    float s = 0.0f;

    for (long i = t; i < n; i += 1024)
        s += i == 12345678 ? 0.0f : x[i];
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
