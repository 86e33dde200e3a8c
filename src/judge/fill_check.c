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

static uint64_t stream_start(const whet_key *key, uint32_t stream)
{
    uint64_t a = (uint64_t)key->word[0] << 32 | key->word[1];
    uint64_t b = (uint64_t)key->word[2] << 32 | key->word[3];

    return mix(a ^ mix(b + stream));
}

static void words(void *dst, uint64_t bytes, uint64_t start, uint64_t first,
                  uint64_t force)
{
    uint64_t i, count = bytes / 8, index = first / 8;
    char *at = dst;

    for (i = 0; i < count; i++) {
        uint64_t word = mix(start + (index + i) * 0x9e3779b97f4a7c15u) | force;

        memcpy(at + i * 8, &word, 8);
    }
    if (bytes % 8 != 0) {
        uint64_t word =
            mix(start + (index + count) * 0x9e3779b97f4a7c15u) | force;

        memcpy(at + count * 8, &word, bytes % 8);
    }
}

void whet_judge__poison(void *dst, uint64_t bytes, uint32_t dtype,
                        const whet_key *key, uint32_t buffer, uint64_t first)
{
    /* All exponent bits and the lowest mantissa bit set: always a NaN. */
    uint64_t force = 0x7f8000017f800001u;

    if (dtype == WHET_DTYPE_F64)
        force = 0x7ff0000000000001u;
    else if (dtype == WHET_DTYPE_F16)
        force = 0x7c017c017c017c01u;
    else if (dtype == WHET_DTYPE_BF16)
        force = 0x7f817f817f817f81u;
    words(dst, bytes, stream_start(key, 0x10000 + buffer), first, force);
}

void whet_judge__guard(void *dst, uint64_t bytes, const whet_key *key,
                       uint32_t zone, uint64_t first)
{
    words(dst, bytes, stream_start(key, 0x20000 + zone), first, 0);
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

/* The common case, kept free of calls so that it vectorises: count and
 * measure; the slow loop below runs only for rows with a fault. */
static bool row_is_good_f32(whet_tally *tally, const float *got,
                            const double *value, const double *scale,
                            uint64_t count, double factor, double floor)
{
    double worst = 0.0;
    uint64_t i, good = 0;

    for (i = 0; i < count; i++) {
        double error = fabs((double)got[i] - value[i]);
        double bound = factor * scale[i] + floor;
        double ratio = error / bound;

        /* An infinite bound, of a reference that overflowed, excuses nothing.
         */
        good += (error <= bound) & (bound <= DBL_MAX);
        worst = ratio > worst ? ratio : worst;
    }
    if (good != count)
        return false;
    if (worst > tally->worst)
        tally->worst = worst;
    return true;
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
