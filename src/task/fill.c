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
    KIND_CONSTANT,
    KIND_SPIKE,          /* normal, all but one window by a factor less */
    KIND_POSITIVE_SPIKE, /* positive in one window, zero elsewhere */
    KIND_EXACT
};

struct segment {
    uint32_t seed[4];
    enum kind kind;
    int scale_log2;
    uint32_t base;      /* of positive data, below 2^23 */
    uint32_t sign;      /* of heavy data: the sign bit, or 0 for sizes alone */
    uint32_t window;    /* of a spike: which BLOCK of the segment, or beyond */
    float rest;         /* of a normal spike: that factor, 0 or 2^-10 */
    uint32_t exact_cut; /* of exact data: 32 less the bits of a number */
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

/* All ones in the window of a spike, else 0: what is masked is exactly 0. */
ALWAYS_INLINE int32_t in_window(const struct segment *s, uint32_t index)
{
    return -(int32_t)(index / BLOCK == s->window);
}

ALWAYS_INLINE float spike_units(const struct segment *s, uint32_t index)
{
    int32_t units = normal_units(s, index), inside = in_window(s, index);

    return (float)(units & inside) + (float)(units & ~inside) * s->rest;
}

/* Odd, so that none is 0: each that is left out changes the sum. */
ALWAYS_INLINE int32_t exact_units(const struct segment *s, uint32_t index)
{
    int32_t top = INT32_C(1) << (32 - s->exact_cut);

    return 2 * (int32_t)(word(s, 0, index) >> s->exact_cut) + 1 - top;
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

            bits[i] = (word(s, 0, first + i) & (s->sign | 0x7fffffu)) |
                      exponent << 23;
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
    case KIND_SPIKE:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = spike_units(s, first + i) * (one * 0x1p-21f);
        break;
    case KIND_POSITIVE_SPIKE:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)((int32_t)(positive_units(s, first + i) + 1u) &
                             in_window(s, first + i)) *
                     (one * 0x1p-24f);
        break;
    case KIND_EXACT:
        for (uint32_t i = 0; i < BLOCK; i++)
            dst[i] = (float)exact_units(s, first + i) * one;
        break;
    }
}

/* As f32 with 29 more bits from a third word: rounding an f64 input to f32
 * must lose something. */
ALWAYS_INLINE double one_f64(const struct segment *s, uint32_t index,
                             double one)
{
    const int64_t f64_step = INT64_C(1) << 29;
    int64_t low = word(s, 3, index) >> 3, high;
    double value;
    uint64_t bits;

    switch (s->kind) {
    case KIND_NORMAL:
    case KIND_SPIKE:
        high = normal_units(s, index) * f64_step + low;
        if (s->kind == KIND_SPIKE && !in_window(s, index))
            one *= (double)s->rest;
        return (double)high * (one * 0x1p-50) + 0.0; /* never -0 */
    case KIND_CONSTANT:
        high = constant_units(s, index) * f64_step + low;
        return (double)high * (one * 0x1p-50);
    case KIND_UNIFORM:
        high = word(s, 0, index) >> 8;
        return (double)(high << 29 | low) * (one * 0x1p-53);
    case KIND_POSITIVE:
    case KIND_POSITIVE_SPIKE:
        high = ((int64_t)positive_units(s, index) << 29 | low) + 1;
        if (s->kind == KIND_POSITIVE_SPIKE)
            high &= in_window(s, index);
        return (double)high * (one * 0x1p-53);
    case KIND_HEAVY:
        bits = word(s, 0, index);
        bits = (bits & s->sign) << 32 | (bits & 0x7fffffu) << 29;
        bits |= (uint64_t)(heavy_exponent(s, index) + (1023u - 32u) +
                           (uint32_t)s->scale_log2)
                << 52;
        bits |= (uint64_t)low;
        memcpy(&value, &bits, sizeof value);
        return value;
    case KIND_INTEGER:
        return (double)small_integer(s, index) * one;
    case KIND_EXACT:
        return (double)exact_units(s, index) * one;
    }
    return 0.0;
}

ALWAYS_INLINE void block_f64(double *dst, const struct segment *s,
                             uint32_t first)
{
    double one = power_of_two_f64(s->scale_log2);

    for (uint32_t i = 0; i < BLOCK; i++)
        dst[i] = one_f64(s, first + i, one);
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

/** Where a segment lies, and in what. */
struct place {
    const whet_task *task;
    unsigned tensor;
    const whet_key *key;
    uint64_t row_elements;
    uint64_t row;    /* of the tensor */
    uint64_t part;   /* segment of the row */
    uint64_t number; /* segment of the tensor */
};

/* All of a row but one window is zero, so few terms make each product, and a
 * kernel that samples a row is likely to see nothing. The window is one of the
 * row's, or of the segment's in a vector. */
static void choose_spike(struct segment *s, const struct place *at,
                         const uint32_t chance[4], bool is_positive)
{
    uint64_t pick = (uint64_t)chance[1] << 32 | chance[2], window;

    if (at->task->tensors[at->tensor].rank > 1)
        window = pick % ((at->row_elements - 1) / BLOCK + 1);
    else
        window = at->part * (SEGMENT / BLOCK) + pick % (SEGMENT / BLOCK);
    s->kind = is_positive ? KIND_POSITIVE_SPIKE : KIND_SPIKE;
    if (window / (SEGMENT / BLOCK) == at->part)
        s->window = (uint32_t)(window % (SEGMENT / BLOCK));
}

/* Of 16 rows: 9 normal, 2 heavy, one 2^10 larger, one 2^10 smaller, one
 * nearly constant, one of small integers, one a spike. Where exponentials are
 * summed, the next to last two are larger ones instead: they are full of
 * numbers that are equal, and the rounding errors of an honest running sum over
 * such are all alike. There a spike is a normal row 2^10 larger in its window:
 * a kernel that looks at part of a row cannot know whether it needs the
 * maximum, and what vanishes beside it does so entirely. */
static void choose_mixed(struct segment *s, const struct place *at)
{
    bool is_exp = at->task->numerics.op_class == WHET_CLASS_EXP;
    uint32_t chance[4], c;

    draw(chance, at->key,
         at->task->tensors[at->tensor].rank > 1 ? at->row : at->number,
         at->tensor, PURPOSE_KIND);
    s->kind = KIND_NORMAL;
    c = chance[0] >> 28;
    if (is_exp && (c == 4 || c == 5))
        c = 2;
    switch (c) {
    case 0:
    case 1:
        s->kind = KIND_HEAVY;
        break;
    case 2:
        s->scale_log2 += 10;
        break;
    case 3:
        s->scale_log2 -= 10;
        break;
    case 4:
        s->kind = KIND_CONSTANT;
        break;
    case 5:
        s->kind = KIND_INTEGER;
        break;
    case 6:
        choose_spike(s, at, chance, false);
        if (is_exp) {
            s->scale_log2 += 10;
            s->rest = 0x1p-10f;
        }
        break;
    default:
        break;
    }
}

/* The first input of a product in full precision gets rows among its own in
 * which narrow operands show however long the product is. So many that hardly
 * a tile of rows is without one, so that looking at the data first saves a
 * kernel little. Other inputs stay as they are: their rows may run across the
 * products, and one heavy row would then hide all others. */
static bool has_probes(const whet_task *task, unsigned tensor)
{
    unsigned first = 0;

    if (task->numerics.op_class != WHET_CLASS_DOT ||
        (task->numerics.policy != WHET_POLICY_F32 &&
         task->numerics.policy != WHET_POLICY_F64))
        return false;
    while (task->tensors[first].role != WHET_ROLE_IN)
        first++;
    return first == tensor;
}

/* Of 16 rows: 5 heavy, 2 spikes, 9 as declared. */
static void choose_probe(struct segment *s, const struct place *at)
{
    bool is_positive = s->kind != KIND_NORMAL;
    uint32_t chance[4];

    draw(chance, at->key, at->row, at->tensor, PURPOSE_KIND);
    if (chance[0] >> 28 < 5) {
        s->kind = KIND_HEAVY;
        s->sign = is_positive ? 0 : s->sign;
    } else if (chance[0] >> 28 < 7) {
        choose_spike(s, at, chance, is_positive);
    }
}

/* Bits of the numbers of exact data, so few that no partial sum of a row
 * leaves 2^24: the sum of n odd numbers below 2^b has deviation
 * sqrt(n / 3) 2^b, at most 2^22 / sqrt(3), of which 2^24 is 6.9. A random walk
 * goes that far, anywhere on its way, with a chance below 10^-11. */
static uint32_t exact_bits(uint64_t row_elements)
{
    uint32_t log2 = 0;

    while (log2 < 63 && row_elements > UINT64_C(1) << log2)
        log2++;
    log2 = (log2 + 1) / 2;
    return log2 > 20 ? 1 : log2 < 6 ? 16 : 22 - log2;
}

static void choose_exact(struct segment *s, const struct place *at)
{
    uint32_t chance[4];

    draw(chance, at->key, at->row, at->tensor, PURPOSE_KIND);
    s->kind = KIND_EXACT;
    s->scale_log2 += (int)((chance[0] >> 16) * 17u >> 16) - 8;
    s->exact_cut = 32 - exact_bits(at->row_elements);
}

/* `row` decides the kind of mixed data, `number` all else. The parts of a long
 * row are of one kind: an honest running sum over a heavy part loses what
 * comes after it. A vector has no rows to choose between, so its segments are
 * chosen one by one. */
static void segment_init(struct segment *s, const struct place *at)
{
    static const enum kind kinds[] = {[WHET_DIST_NORMAL] = KIND_NORMAL,
                                      [WHET_DIST_UNIFORM] = KIND_UNIFORM,
                                      [WHET_DIST_POSITIVE] = KIND_POSITIVE,
                                      [WHET_DIST_HEAVY] = KIND_HEAVY,
                                      [WHET_DIST_MIXED] = KIND_NORMAL,
                                      [WHET_DIST_INTEGER] = KIND_INTEGER,
                                      [WHET_DIST_EXACT] = KIND_EXACT};
    const whet_tensor *tensor = &at->task->tensors[at->tensor];
    uint32_t chance[4];

    draw(s->seed, at->key, at->number, at->tensor, PURPOSE_SEEDS);
    s->kind = kinds[tensor->dist];
    s->scale_log2 = tensor->scale_log2;
    s->base = 0;
    s->sign = 0x80000000u;
    s->window = UINT32_MAX;
    s->rest = 0.0f;
    s->exact_cut = 31;
    if (tensor->dist == WHET_DIST_MIXED)
        choose_mixed(s, at);
    if (tensor->dist == WHET_DIST_EXACT)
        choose_exact(s, at);
    if (tensor->dist <= WHET_DIST_POSITIVE && has_probes(at->task, at->tensor))
        choose_probe(s, at);
    if (s->kind == KIND_POSITIVE || s->kind == KIND_POSITIVE_SPIKE) {
        draw(chance, at->key, at->row, at->tensor, PURPOSE_BASE);
        s->base = chance[0] >> 9;
    }
}

void whet_task_fill(void *dst, const whet_task *task, unsigned tensor,
                    uint64_t row_elements, const whet_key *key, uint64_t first,
                    uint64_t count)
{
    segment_fn fill_segment = choose_segment_fn();
    const whet_tensor *t = &task->tensors[tensor];
    size_t item = whet_dtype_bytes(t->dtype);
    struct place at = {task, tensor, key, row_elements, 0, 0, 0};
    uint64_t per_row, column;
    unsigned char *to = dst;

    assert(tensor < task->tensor_count && row_elements > 0);
    per_row = ((row_elements - 1) >> SEGMENT_LOG2) + 1;
    at.row = first / row_elements;
    column = first % row_elements;
    while (count > 0) {
        uint32_t place = (uint32_t)(column & (SEGMENT - 1));
        uint64_t left = row_elements - column;
        struct segment s;

        if (left > SEGMENT - place)
            left = SEGMENT - place;
        if (left > count)
            left = count;
        at.part = column >> SEGMENT_LOG2;
        at.number = at.row * per_row + at.part;
        segment_init(&s, &at);
        fill_segment(to, t->dtype, &s, place, (uint32_t)left);
        to += left * item;
        count -= left;
        column += left;
        if (column == row_elements) {
            column = 0;
            at.row++;
        }
    }
}
