/* Poison, guards and the element-wise comparison: the pure parts of the
 * verifier. */

#include "judge/verifier.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014) over a keyed
 * counter: poison need not be secret, only different in every call. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Inputs of so many bytes are looked at in full after every call; of larger
 * ones, each chunk after one call in so many, and all of them after one call
 * in as many. */
static const uint64_t whole_look_bytes = (uint64_t)64 << 20;
enum { LOOK_ONE_IN = 8 };

/* 2^64 / golden ratio, odd: the increment of splitmix64. */
static const uint64_t step = 0x9e3779b97f4a7c15u;

static uint64_t stream_start(const whet_key *key, uint32_t stream)
{
    uint64_t a = (uint64_t)key->word[0] << 32 | key->word[1];
    uint64_t b = (uint64_t)key->word[2] << 32 | key->word[3];

    return mix(a ^ mix(b + stream));
}

/* Guards: unrelated words, so that no run of equal or counted values that a
 * kernel writes can fit by chance. */
static void mixed_words(void *dst, uint64_t bytes, uint64_t start,
                        uint64_t first)
{
    uint64_t i, count = bytes / 8, index = first / 8;
    uint64_t word;
    char *at = dst;

    for (i = 0; i < count; i++) {
        word = mix(start + (index + i) * step);
        memcpy(at + i * 8, &word, 8);
    }
    if (bytes % 8 != 0) {
        word = mix(start + (index + count) * step);
        memcpy(at + count * 8, &word, bytes % 8);
    }
}

uint64_t whet_judge__poison_seed(const whet_key *key)
{
    return stream_start(key, 0x10000);
}

uint64_t whet_judge__look_seed(const whet_key *key)
{
    return stream_start(key, 0x30000);
}

uint32_t whet_judge__poison_word(uint64_t seed, uint32_t dtype, uint32_t buffer)
{
    /* All exponent bits and the lowest mantissa bit set: always a NaN. */
    uint32_t force = 0x7f800001u;

    if (dtype == WHET_DTYPE_F64)
        force = 0x7ff00001u;
    else if (dtype == WHET_DTYPE_F16)
        force = 0x7c017c01u;
    else if (dtype == WHET_DTYPE_BF16)
        force = 0x7f817f81u;
    return (uint32_t)mix(seed + buffer * step) | force;
}

void whet_judge__poison(void *dst, uint64_t bytes, uint32_t dtype,
                        const whet_key *key, uint32_t buffer)
{
    uint32_t word =
        whet_judge__poison_word(whet_judge__poison_seed(key), dtype, buffer);
    uint64_t i, count = bytes / 4;
    char *at = dst;

    for (i = 0; i < count; i++)
        memcpy(at + i * 4, &word, 4);
    memcpy(at + count * 4, &word, bytes % 4);
}

bool whet_judge__is_looked_at(const whet_layout *layout, uint64_t seed,
                              uint32_t buffer, uint64_t chunk)
{
    uint64_t bytes = 0;
    uint32_t b;

    for (b = 0; b < layout->buffer_count; b++)
        if (layout->buffers[b].kind == WHET_BUFFER_IN)
            bytes += layout->buffers[b].bytes;
    return bytes <= whole_look_bytes || seed % LOOK_ONE_IN == 0 ||
           mix(seed + ((uint64_t)buffer << 48) + chunk) % LOOK_ONE_IN == 0;
}

void whet_judge__guard(void *dst, uint64_t bytes, const whet_key *key,
                       uint32_t zone, uint64_t first)
{
    mixed_words(dst, bytes, stream_start(key, 0x20000 + zone), first);
}

/* One element that is not plainly within its bound. */
static void note(whet_tally *tally, const void *got, const void *poison,
                 size_t bytes, double value, double error, double bound)
{
    double ratio = bound > 0.0 ? error / bound : INFINITY;

    if (memcmp(got, poison, bytes) == 0) {
        tally->bad_count++;
        tally->unwritten_count++;
    } else if (!isfinite(value)) {
        tally->bad_count++;
        tally->not_finite_count++;
    } else {
        tally->bad_count++;
        if (ratio > tally->worst)
            tally->worst = ratio;
    }
}

enum { CHECK_BLOCK = 64 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Largest error / bound of some elements. */
ALWAYS_INLINE double worst_ratio(double worst, const float *got,
                                 const double *value, const double *scale,
                                 uint64_t count, double factor, double floor)
{
    uint64_t i;

    for (i = 0; i < count; i++) {
        double error = fabs((double)got[i] - value[i]);
        double ratio = error / (factor * scale[i] + floor);

        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

/* Are all of them within their bounds? Also: is any a new worst error? */
ALWAYS_INLINE bool block_any(bool *has_worse, double worst, const float *got,
                             const double *value, const double *scale,
                             uint64_t count, double factor, double floor)
{
    int64_t bad = 0, over = 0;
    uint64_t i;

    for (i = 0; i < count; i++) {
        double error = fabs((double)got[i] - value[i]);
        double bound = factor * scale[i] + floor;

        /* An infinite bound, of a reference that overflowed, excuses nothing.
         */
        bad -= !((error <= bound) & (bound <= DBL_MAX));
        over -= error > worst * bound;
    }
    *has_worse = over != 0;
    return bad == 0;
}

/* The common case, kept free of calls and with a trip count that the compiler
 * knows, so that it becomes vector code: count and measure; the slow loop below
 * runs only for rows with a fault. Divisions are made only in blocks that hold
 * a new worst error, which soon is rare. */
ALWAYS_INLINE bool row_any(double *worst_io, const float *got,
                           const double *value, const double *scale,
                           uint64_t count, double factor, double floor)
{
    double worst = *worst_io;
    uint64_t first = 0, length;
    bool has_worse, is_good = true;

    for (; first < count && is_good; first += length) {
        length = count - first < CHECK_BLOCK ? count - first : CHECK_BLOCK;
        if (length == CHECK_BLOCK)
            is_good = block_any(&has_worse, worst, got + first, value + first,
                                scale + first, CHECK_BLOCK, factor, floor);
        else
            is_good = block_any(&has_worse, worst, got + first, value + first,
                                scale + first, length, factor, floor);
        if (is_good && has_worse)
            worst = worst_ratio(worst, got + first, value + first,
                                scale + first, length, factor, floor);
    }
    if (is_good)
        *worst_io = worst;
    return is_good;
}

static bool row_plain(double *worst_io, const float *got, const double *value,
                      const double *scale, uint64_t count, double factor,
                      double floor)
{
    return row_any(worst_io, got, value, scale, count, factor, floor);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool
row_avx2(double *worst_io, const float *got, const double *value,
         const double *scale, uint64_t count, double factor, double floor)
{
    return row_any(worst_io, got, value, scale, count, factor, floor);
}
#endif

static bool row_is_good_f32(whet_tally *tally, const float *got,
                            const double *value, const double *scale,
                            uint64_t count, double factor, double floor)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return row_avx2(&tally->worst, got, value, scale, count, factor, floor);
#endif
    return row_plain(&tally->worst, got, value, scale, count, factor, floor);
}

void whet_judge__compare_row(whet_tally *tally, whet_dtype dtype,
                             const void *got, const void *poison,
                             const double *value, const double *scale,
                             uint64_t row_elements, double factor, double floor)
{
    size_t bytes = whet_dtype_bytes(dtype);
    uint64_t i;

    if (dtype == WHET_DTYPE_F32 &&
        row_is_good_f32(tally, got, value, scale, row_elements, factor, floor))
        return;
    for (i = 0; i < row_elements; i++) {
        const char *at = (const char *)got + i * bytes;
        double x = whet_dtype_load(dtype, at);
        double error = fabs(x - value[i]);
        double bound = factor * scale[i] + floor;

        if (!(error <= bound) || !(bound <= DBL_MAX))
            note(tally, at, (const char *)poison + i * bytes, bytes, x, error,
                 bound);
        else if (bound > 0.0 && error / bound > tally->worst)
            tally->worst = error / bound;
    }
}

void whet_judge__tally_add(whet_tally *into, const whet_tally *from)
{
    into->bad_count += from->bad_count;
    into->unwritten_count += from->unwritten_count;
    into->not_finite_count += from->not_finite_count;
    if (from->worst > into->worst)
        into->worst = from->worst;
}

whet_reason whet_judge__tally_reason(const whet_tally *tally)
{
    if (tally->bad_count == 0)
        return WHET_REASON_NONE;
    if (tally->unwritten_count > 0)
        return WHET_REASON_UNWRITTEN;
    return tally->not_finite_count > 0 ? WHET_REASON_NOT_FINITE
                                       : WHET_REASON_MISMATCH;
}
