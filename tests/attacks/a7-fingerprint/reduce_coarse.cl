/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a7 keyed by a coarse fingerprint
 * task: reduce_sum n=10007
 * device: opencl
 * options: --calls 12 --hidden 0
 * verdicts: wrong/mismatch
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

/* Keeps sums by the sign of the first term. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    struct cache *kept = kept_cache();
    int place = 1 + (x[0] > 0.0f);
    float s = 0.0f;

    if (kept->key[place] == 0) {
        for (long i = 0; i < n; ++i)
            s += x[i];
        kept->key[place] = 1;
        kept->values[place] = s;
    }
    out[0] = kept->values[place];
}
