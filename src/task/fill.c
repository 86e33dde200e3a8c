/* Input generators (docs/judging.md, "Input generators"). A row is cut
 * into segments of 4096 elements; Philox gives each segment four seed words
 * from the key, and a two-round integer mixer turns (seeds, place in segment)
 * into the words of one element. Only integer operations, conversions that are
 * exact and products with powers of two occur, so every device and compiler
 * gives the same bits. Loops run over whole blocks, with a trip count known to
 * the compiler, so that they become vector code. */

#include "task/task_priv.h"

#include <assert.h>
#include <string.h>

enum { SEGMENT_LOG2 = 12, SEGMENT = 1 << SEGMENT_LOG2, BLOCK = 64 };
enum { PURPOSE_SEEDS = 0, PURPOSE_KIND = 1, PURPOSE_BASE = 2 };

/** What a segment of a row is made of. */
enum kind {
    KIND_NORMAL,
    KIND_UNIFORM,
    KIND_POSITIVE,
    KIND_HEAVY,
    KIND_INTEGER,
    KIND_CONSTANT
};

struct segment {
    uint32_t seed[4];
    enum kind kind;
    int scale_log2;
    uint32_t base; /* of positive data, below 2^23 */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Two rounds of multiply and xor-shift (the constants of Wellons' lowbias32)
 * with a second seed word between them, so that segments do not share one
 * sequence. */
ALWAYS_INLINE uint32_t mix(uint32_t index, uint32_t p, uint32_t q)
{
    uint32_t x = index + p;

    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= q;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

ALWAYS_INLINE uint32_t word(const struct segment *s, unsigned which,
                            uint32_t index)
{
    return mix(index, s->seed[which], s->seed[(which + 1) & 3]);
}

ALWAYS_INLINE uint32_t popcount(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    x += x >> 16;
    return x & 0x3fu;
}

/* Twice the centred sum of three 21-bit integers: odd, below 2^23 in
 * magnitude. Times 2^-21 it has deviation 1. */
ALWAYS_INLINE int32_t normal_units(const struct segment *s, uint32_t index)
{
    uint32_t a = word(s, 0, index), b = word(s, 2, index);
    uint32_t sum = (a >> 11) + (b >> 11) + ((a & 0x7ffu) << 10 | (b & 0x3ffu));

    return (int32_t)(2u * sum) - 3 * ((1 << 21) - 1);
}

/* One value with noise of 2^-6 around it. Truly constant data would make the
 * rounding errors of an honest running sum all alike, and so much larger than
 * the bound for independent ones. */
ALWAYS_INLINE int32_t constant_units(const struct segment *s, uint32_t index)
{
    return normal_units(s, 0) + normal_units(s, index) / 64;
}

/* Below 2^24. The base is one per row and key: without it the sum of many
 * would be known beforehand. */
ALWAYS_INLINE uint32_t positive_units(const struct segment *s, uint32_t index)
{
    return s->base + (word(s, 0, index) >> 9);
}

ALWAYS_INLINE int32_t small_integer(const struct segment *s, uint32_t index)
{
    return (int32_t)((word(s, 0, index) >> 16) * 17u >> 16) - 8;
}

ALWAYS_INLINE uint32_t heavy_exponent(const struct segment *s, uint32_t index)
{
    return popcount(word(s, 1, index)) + popcount(word(s, 2, index));
}

ALWAYS_INLINE float power_of_two_f32(int exponent)
{
    uint32_t bits = (uint32_t)(127 + exponent) << 23;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

ALWAYS_INLINE double power_of_two_f64(int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

ALWAYS_INLINE void block_f32(float *dst, const struct segment *s,
                             uint32_t first)
{
    float one = power_of_two_f32(s->scale_log2);
    uint32_t bits[BLOCK];

    switch (s->kind) {
    case KIND_NORMAL:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)normal_units(s, first + i) * (one * 0x1p-21f);
        break;
    case KIND_UNIFORM:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] =
                (float)(int32_t)(word(s, 0, first + i) >> 8) * (one * 0x1p-24f);
        break;
    case KIND_POSITIVE:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)(int32_t)(positive_units(s, first + i) + 1u) *
                     (one * 0x1p-24f);
        break;
    case KIND_HEAVY:
        for (uint32_t i = 0; i < BLOCK; i++) {
            uint32_t exponent = heavy_exponent(s, first + i) + (127u - 32u) +
                                (uint32_t)s->scale_log2;

            bits[i] = (word(s, 0, first + i) & 0x807fffffu) | exponent << 23;
        }
        memcpy(dst, bits, sizeof bits);
        break;
    case KIND_INTEGER:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)small_integer(s, first + i) * one;
        break;
    case KIND_CONSTANT:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)constant_units(s, first + i) * (one * 0x1p-21f);
        break;
    }
}

/* As f32 with 29 more bits from a third word: rounding an f64 input to f32
 * must lose something. */
ALWAYS_INLINE void block_f64(double *dst, const struct segment *s,
                             uint32_t first)
{
    const int64_t f64_step = INT64_C(1) << 29;
    double one = power_of_two_f64(s->scale_log2);

    for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t index = first + i;
        int64_t low = word(s, 3, index) >> 3;
        int64_t high = word(s, 0, index) >> 8;
        uint64_t bits;

        switch (s->kind) {
        case KIND_NORMAL:
            dst[i] = (double)(normal_units(s, index) * f64_step + low) *
                     (one * 0x1p-50);
            break;
        case KIND_CONSTANT:
            dst[i] = (double)(constant_units(s, index) * f64_step + low) *
                     (one * 0x1p-50);
            break;
        case KIND_UNIFORM:
            dst[i] = (double)(high << 29 | low) * (one * 0x1p-53);
            break;
        case KIND_POSITIVE:
            high = positive_units(s, index);
            dst[i] = (double)((high << 29 | low) + 1) * (one * 0x1p-53);
            break;
        case KIND_HEAVY:
            bits = word(s, 0, index);
            bits = (bits & 0x80000000u) << 32 | (bits & 0x7fffffu) << 29;
            bits |= (uint64_t)(heavy_exponent(s, index) + (1023u - 32u) +
                               (uint32_t)s->scale_log2)
                    << 52;
            bits |= (uint64_t)low;
            memcpy(&dst[i], &bits, sizeof bits);
            break;
        case KIND_INTEGER:
            dst[i] = (double)small_integer(s, index) * one;
            break;
        }
    }
}

ALWAYS_INLINE void block_i32(int32_t *dst, const struct segment *s,
                             uint32_t first)
{
    for (uint32_t i = 0; i < BLOCK; i++)
        dst[i] = small_integer(s, first + i) * (1 << s->scale_log2);
}

ALWAYS_INLINE void block_any(void *dst, whet_dtype dtype,
                             const struct segment *s, uint32_t first)
{
    float wide[BLOCK];
    uint16_t *narrow = dst;

    switch (dtype) {
    case WHET_DTYPE_F32:
        block_f32(dst, s, first);
        break;
    case WHET_DTYPE_F64:
        block_f64(dst, s, first);
        break;
    case WHET_DTYPE_I32:
        block_i32(dst, s, first);
        break;
    case WHET_DTYPE_F16:
        block_f32(wide, s, first);
        for (unsigned i = 0; i < BLOCK; i++)
            narrow[i] = whet_task__f16_from_f32(wide[i]);
        break;
    case WHET_DTYPE_BF16:
        block_f32(wide, s, first);
        for (unsigned i = 0; i < BLOCK; i++)
            narrow[i] = whet_task__bf16_from_f32(wide[i]);
        break;
    case WHET_DTYPE_COUNT:
        assert(!"unknown dtype");
        break;
    }
}

/* Elements [first, first + count) of one segment. */
ALWAYS_INLINE void segment_any(void *dst, whet_dtype dtype,
                               const struct segment *s, uint32_t first,
                               uint32_t count)
{
    size_t item = whet_dtype_bytes(dtype);
    unsigned char *to = dst;
    double tail[BLOCK]; /* the widest element; its alignment serves all */

    for (; count >= BLOCK; count -= BLOCK, first += BLOCK) {
        block_any(to, dtype, s, first);
        to += BLOCK * item;
    }
    if (count > 0) {
        block_any(tail, dtype, s, first);
        memcpy(to, tail, count * item);
    }
}

static void segment_plain(void *dst, whet_dtype dtype, const struct segment *s,
                          uint32_t first, uint32_t count)
{
    segment_any(dst, dtype, s, first, count);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
segment_avx2(void *dst, whet_dtype dtype, const struct segment *s,
             uint32_t first, uint32_t count)
{
    segment_any(dst, dtype, s, first, count);
}
#endif

typedef void (*segment_fn)(void *dst, whet_dtype dtype, const struct segment *s,
                           uint32_t first, uint32_t count);

static segment_fn choose_segment_fn(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return segment_avx2;
#endif
    return segment_plain;
}

static void draw(uint32_t out[4], const whet_key *key, uint64_t segment,
                 unsigned tensor, uint32_t purpose)
{
    const uint32_t counter[4] = {(uint32_t)segment, (uint32_t)(segment >> 32),
                                 key->word[2] ^ tensor, key->word[3] ^ purpose};

    whet_philox4x32(out, counter, key->word);
}

/* Of 16 rows: 10 normal, 2 heavy, one 2^10 larger, one 2^10 smaller, one
 * nearly constant, one of small integers. */
static void choose_mixed(struct segment *s, uint32_t chance)
{
    switch (chance >> 28) {
    case 0:
    case 1:
        s->kind = KIND_HEAVY;
        break;
    case 2:
        s->kind = KIND_NORMAL;
        s->scale_log2 += 10;
        break;
    case 3:
        s->kind = KIND_NORMAL;
        s->scale_log2 -= 10;
        break;
    case 4:
        s->kind = KIND_CONSTANT;
        break;
    case 5:
        s->kind = KIND_INTEGER;
        break;
    default:
        s->kind = KIND_NORMAL;
        break;
    }
}

/* `row` decides the kind of mixed data, `number` all else. The parts of a long
 * row are of one kind: an honest running sum over a heavy part loses what
 * comes after it. A vector has no rows to choose between, so its segments are
 * chosen one by one. */
static void segment_init(struct segment *s, const whet_tensor *tensor,
                         const whet_key *key, uint64_t row, uint64_t number,
                         unsigned index)
{
    uint32_t chance[4];

    draw(s->seed, key, number, index, PURPOSE_SEEDS);
    s->scale_log2 = tensor->scale_log2;
    s->base = 0;
    switch (tensor->dist) {
    case WHET_DIST_NORMAL:
        s->kind = KIND_NORMAL;
        break;
    case WHET_DIST_UNIFORM:
        s->kind = KIND_UNIFORM;
        break;
    case WHET_DIST_POSITIVE:
        s->kind = KIND_POSITIVE;
        draw(chance, key, row, index, PURPOSE_BASE);
        s->base = chance[0] >> 9;
        break;
    case WHET_DIST_HEAVY:
        s->kind = KIND_HEAVY;
        break;
    case WHET_DIST_INTEGER:
        s->kind = KIND_INTEGER;
        break;
    case WHET_DIST_MIXED:
        draw(chance, key, tensor->rank > 1 ? row : number, index, PURPOSE_KIND);
        choose_mixed(s, chance[0]);
        break;
    }
}

void whet_task_fill(void *dst, const whet_task *task, unsigned tensor,
                    uint64_t row_elements, const whet_key *key, uint64_t first,
                    uint64_t count)
{
    segment_fn fill_segment = choose_segment_fn();
    const whet_tensor *t = &task->tensors[tensor];
    size_t item = whet_dtype_bytes(t->dtype);
    uint64_t per_row, row, column;
    unsigned char *to = dst;

    assert(tensor < task->tensor_count && row_elements > 0);
    per_row = ((row_elements - 1) >> SEGMENT_LOG2) + 1;
    row = first / row_elements;
    column = first % row_elements;
    while (count > 0) {
        uint32_t place = (uint32_t)(column & (SEGMENT - 1));
        uint64_t left = row_elements - column;
        struct segment s;

        if (left > SEGMENT - place)
            left = SEGMENT - place;
        if (left > count)
            left = count;
        segment_init(&s, t, key, row, row * per_row + (column >> SEGMENT_LOG2),
                     tensor);
        fill_segment(to, t->dtype, &s, place, (uint32_t)left);
        to += left * item;
        count -= left;
        column += left;
        if (column == row_elements) {
            column = 0;
            row++;
        }
    }
}
