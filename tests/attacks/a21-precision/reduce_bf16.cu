/* whet:
launches:
  - kernel: total
    grid: [1]
    block: [1024]
    args: [x, out, n]
*/

/* attack: a21 operands rounded to bf16
 * task: reduce_sum n=1000003
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Rounds each term to BF16 before it is added. */
static __device__ float rounded(float x)
{
    unsigned short word;
    float back;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(word) : "f"(x));
    asm("cvt.f32.bf16 %0, %1;" : "=f"(back) : "h"(word));
    return back;
}

extern "C" __global__ void total(const float *x, float *out, long n)
{
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    float s = 0.0f;

    for (long i = t; i < n; i += 1024)
        s += rounded(x[i]);
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
