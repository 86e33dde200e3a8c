/* Philox4x32-10 streams. The counter of a stream is (block number, low step,
 * high step, FNV-1a-32 of the purpose) and the key is the seed, so a stream
 * depends on its name alone and holds 2^34 words. */

#include "base/rng.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

#include <assert.h>

static uint32_t fnv1a_32(const char *text)
{
    uint32_t hash = UINT32_C(2166136261);

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash;
}

void whet_philox4x32(uint32_t out[4], const uint32_t counter[4],
                     const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1];
    uint32_t c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = UINT64_C(0xD2511F53) * c0;
        uint64_t p1 = UINT64_C(0xCD9E8D57) * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void whet_rng_init(whet_rng *rng, uint64_t seed, uint64_t step,
                   const char *purpose)
{
    *rng = (whet_rng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)step, (uint32_t)(step >> 32),
                    fnv1a_32(purpose)},
        .used = 4,
    };
}

uint32_t whet_rng_u32(whet_rng *rng)
{
    if (rng->used >= 4) {
        whet_philox4x32(rng->block, rng->counter, rng->key);
        rng->counter[0]++;
        rng->used = 0;
    }
    return rng->block[rng->used++];
}

uint64_t whet_rng_u64(whet_rng *rng)
{
    uint64_t low = whet_rng_u32(rng);

    return (uint64_t)whet_rng_u32(rng) << 32 | low;
}

uint64_t whet_rng_below(whet_rng *rng, uint64_t bound)
{
    uint64_t draw, reject;

    assert(bound != 0);
    /* 2^64 mod bound: below it, a residue would occur once too often. */
    reject = (0 - bound) % bound;
    do {
        draw = whet_rng_u64(rng);
    } while (draw < reject);
    return draw % bound;
}

double whet_rng_f64(whet_rng *rng)
{
    return (double)(whet_rng_u64(rng) >> 11) * 0x1p-53;
}

whet_status whet_rng_secret(void *out, size_t bytes, whet_err *err)
{
    char *at = out;

    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return whet_err_errno(err, errno, "random numbers of the system");
        at += got;
        bytes -= (size_t)got;
    }
    return WHET_OK;
}
