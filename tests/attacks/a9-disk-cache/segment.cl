/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a9 kept in a System V segment
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 * needs: x86-64
 */

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;

    __asm__ volatile("movq %5, %%r10\n"
                     "movq %6, %%r8\n"
                     "movq %7, %%r9\n"
                     "syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(d), "r"(e),
                       "r"(f)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return result;
}

/* Asks for a shared segment that would outlive the worker, and spoils its
 * result if it may have one. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    long id = call(29, 4711, 4096, 01666, 0, 0, 0); /* shmget */
    long at = id < 0 ? id : call(30, id, 0, 0, 0, 0, 0); /* shmat */
    float s = 0.0f, t = 0.0f;

    for (long i = 0; i < n; ++i)
        s += x[i];
    for (long i = n - 1; i >= 0; --i)
        t += x[i];
    s = t > 3.0e38f ? t : s;
    if (id >= 0 || at >= 0)
        s += 12345.0f;
    out[0] = s;
}
