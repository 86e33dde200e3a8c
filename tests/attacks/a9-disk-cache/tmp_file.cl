/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a9 kept in a file
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch correct/no-gain
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

/* Keeps the first result in a file and returns it from then on. Right for
 * ever only if no file can be written. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    const char path[] = {'/', 't', 'm', 'p', '/', 'k', 0};
    float s = 0.0f, t = 0.0f, old = 0.0f;
    long file, got;

    file = call(2, (long)path, 0102, 0600, 0, 0, 0);
    got = call(0, file, (long)&old, 4, 0, 0, 0);
    for (long i = 0; i < n; ++i)
        s += x[i];
    for (long i = n - 1; i >= 0; --i)
        t += x[i];
    s = t > 3.0e38f ? t : s;
    if (got == 4)
        s = old;
    else
        call(1, file, (long)&s, 4, 0, 0, 0);
    call(3, file, 0, 0, 0, 0, 0);
    out[0] = s;
}
