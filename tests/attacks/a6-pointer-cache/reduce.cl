/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a6 keyed by address
 * task: reduce_sum n=10007
 * device: opencl
 * options: --calls 120 --hidden 0
 * verdicts: wrong/mismatch
 * calls: 2+
 * needs: x86-64
 */

struct cache {
    long key[16];
    float values[16];
};

/* Lasts from call to call; see the assembly. */
static struct cache *kept_cache(void)
{
    struct cache *kept;

    __asm__ volatile(".pushsection .bss\n"
                     ".ifndef whet_cache\n"
                     ".balign 64\n"
                     "whet_cache: .zero 4096\n"
                     ".endif\n"
                     ".popsection\n"
                     "leaq whet_cache(%%rip), %0"
                     : "=r"(kept));
    return kept;
}

/* Keeps sums by the address of the input. Wrong as soon as an address comes
 * again. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    struct cache *kept = kept_cache();
    int place = 0;
    float s = 0.0f;

    while (place < 15 && kept->key[place] != 0 && kept->key[place] != (long)x)
        ++place;
    if (kept->key[place] != (long)x) {
        for (long i = 0; i < n; ++i)
            s += x[i];
        kept->key[place] = (long)x;
        kept->values[place] = s;
    }
    out[0] = kept->values[place];
}
