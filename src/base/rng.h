#ifndef WHET_RNG_H
#define WHET_RNG_H

/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the test vectors of
 * the Random123 distribution are in tests/base/test_rng.c).
 *
 * A stream is named by (seed, step, purpose), so that adding a draw in one
 * place never shifts the numbers drawn in another. */

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One stream. Copy freely; one thread at a time. */
typedef struct whet_rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    uint32_t used; /**< Words of `block` already handed out. */
} whet_rng;

/** One Philox4x32-10 block: `out` from `counter` and `key`. */
void whet_philox4x32(uint32_t out[4], const uint32_t counter[4],
                     const uint32_t key[2]);

/**
 * Start the stream (seed, step, purpose).
 *
 * @param purpose  short word, hashed with FNV-1a: "tune.sample", "abba.order"
 */
void whet_rng_init(whet_rng *rng, uint64_t seed, uint64_t step,
                   const char *purpose);

/** Fresh secret bytes from the operating system, for keys. */
whet_status whet_rng_secret(void *out, size_t bytes, whet_err *err);

/** Next 32 bits. */
uint32_t whet_rng_u32(whet_rng *rng);

/** Next 64 bits. */
uint64_t whet_rng_u64(whet_rng *rng);

/** Uniform in [0, bound), without modulo bias. `bound` must not be 0. */
uint64_t whet_rng_below(whet_rng *rng, uint64_t bound);

/** Uniform in [0, 1) with 53 bits. */
double whet_rng_f64(whet_rng *rng);

#ifdef __cplusplus
}
#endif

#endif /* WHET_RNG_H */
