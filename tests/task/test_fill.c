/* Input generators: the published algorithm, word by word, against the fast
 * one; ranges, moments and kinds of rows. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/task_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const whet_key key = {{0x01234567, 0x89abcdef, 0xfeedface, 0x5eed5eed}};

static whet_task *new_task(whet_dtype dtype, whet_dist dist, unsigned rank)
{
    whet_task *task = calloc(1, sizeof *task);

    assert_non_null(task);
    task->tensor_count = 3;
    for (unsigned i = 0; i < 3; i++) {
        task->tensors[i].dtype = dtype;
        task->tensors[i].dist = dist;
        task->tensors[i].rank = rank;
    }
    return task;
}

/* --- the page of docs, one element at a time --- */

static uint32_t plain_mix(uint32_t i, uint32_t p, uint32_t q)
{
    uint32_t x = i + p;

    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15 ^ q) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void plain_draw(uint32_t out[4], uint64_t number, uint32_t tensor,
                       uint32_t purpose)
{
    uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32),
                           key.word[2] ^ tensor, key.word[3] ^ purpose};
    uint32_t words[2] = {key.word[0], key.word[1]};

    whet_philox4x32(out, counter, words);
}

static double plain_normal(const uint32_t w[4])
{
    uint64_t sum =
        (w[0] >> 11) + (w[2] >> 11) + ((w[0] & 2047u) * 1024u + (w[2] & 1023u));

    return (2.0 * (double)sum - 3.0 * 2097151.0) / 2097152.0;
}

static double plain_heavy(const uint32_t w[4])
{
    int exponent = __builtin_popcount(w[1]) + __builtin_popcount(w[2]) - 32;
    double mantissa = 1.0 + (double)(w[0] & 0x7fffffu) / 8388608.0;

    return ldexp(w[0] >> 31 ? -mantissa : mantissa, exponent);
}

static double plain_positive(const uint32_t w[4], uint64_t row, uint32_t tensor)
{
    uint32_t draw[4];

    plain_draw(draw, row, tensor, 2);
    return (double)((draw[0] >> 9) + (w[0] >> 9) + 1u) / 16777216.0;
}

static double plain_exact(const uint32_t w[4], uint64_t row_elements,
                          const uint32_t draw[4])
{
    int bits = 22 - (int)ceil(log2((double)row_elements) / 2.0);

    bits = bits > 16 ? 16 : bits < 1 ? 1 : bits;
    return ldexp(2.0 * (double)(w[0] >> (32 - bits)) + 1.0 - ldexp(1.0, bits),
                 (int)((draw[0] >> 16) * 17u / 65536u) - 8);
}

/* Is a column within the window of a spike? */
static bool plain_window(const uint32_t draw[4], uint64_t row_elements,
                         uint64_t column)
{
    uint64_t pick = (uint64_t)draw[1] << 32 | draw[2];

    return column / 64 == pick % ((row_elements + 63) / 64);
}

/* As plain_f32, of rows that are probes; NaN of those that are not. */
static double plain_probe(whet_dist dist, const uint32_t w[4],
                          uint64_t row_elements, uint64_t row, uint64_t column,
                          uint32_t tensor)
{
    bool is_normal = dist == WHET_DIST_NORMAL;
    uint32_t draw[4];

    plain_draw(draw, row, tensor, 1);
    if (draw[0] >> 28 < 5)
        return is_normal ? plain_heavy(w) : fabs(plain_heavy(w));
    if (draw[0] >> 28 >= 7)
        return (double)NAN;
    if (!plain_window(draw, row_elements, column))
        return 0.0;
    return is_normal ? plain_normal(w) : plain_positive(w, row, tensor);
}

/* Element (row, column) of an f32 tensor of rank 2 or more, scale 0. */
static double plain_f32(whet_dist dist, bool has_probes, uint64_t row_elements,
                        uint64_t row, uint64_t column, uint32_t tensor)
{
    double probe = (double)NAN;
    uint64_t per_row = (row_elements + 4095) / 4096;
    uint32_t i = (uint32_t)(column % 4096), s[4], w[4], first[4], draw[4];

    plain_draw(s, row * per_row + column / 4096, tensor, 0);
    for (int k = 0; k < 4; k++) {
        w[k] = plain_mix(i, s[k], s[(k + 1) % 4]);
        first[k] = plain_mix(0, s[k], s[(k + 1) % 4]);
    }
    plain_draw(draw, row, tensor, 1);
    if (has_probes)
        probe = plain_probe(dist, w, row_elements, row, column, tensor);
    if (!isnan(probe))
        return probe;
    switch (dist) {
    case WHET_DIST_NORMAL:
        return plain_normal(w);
    case WHET_DIST_UNIFORM:
        return (double)(w[0] >> 8) / 16777216.0;
    case WHET_DIST_POSITIVE:
        return plain_positive(w, row, tensor);
    case WHET_DIST_EXACT:
        return plain_exact(w, row_elements, draw);
    case WHET_DIST_HEAVY:
        return plain_heavy(w);
    case WHET_DIST_INTEGER:
        return (double)((w[0] >> 16) * 17u / 65536u) - 8.0;
    case WHET_DIST_MIXED:
        break;
    }
    switch (draw[0] >> 28) {
    case 0:
    case 1:
        return plain_heavy(w);
    case 2:
        return plain_normal(w) * 1024.0;
    case 3:
        return plain_normal(w) / 1024.0;
    case 4: /* 2^21 times the value is an integer; the noise is cut */
        return plain_normal(first) +
               trunc(plain_normal(w) * 2097152.0 / 64.0) / 2097152.0;
    case 5:
        return (double)((w[0] >> 16) * 17u / 65536u) - 8.0;
    case 6:
        return plain_window(draw, row_elements, column) ? plain_normal(w) : 0.0;
    default:
        return plain_normal(w);
    }
}

static void test_task_fill__follows_the_published_algorithm(void **state)
{
    enum { ROWS = 40, COLS = 4500 };
    float *got = malloc(ROWS * COLS * sizeof *got);

    (void)state;
    assert_non_null(got);
    for (int dist = WHET_DIST_NORMAL; dist <= WHET_DIST_EXACT; dist++) {
        whet_task *task = new_task(WHET_DTYPE_F32, (whet_dist)dist, 2);

        whet_task_fill(got, task, 1, COLS, &key, 0, ROWS * COLS);
        for (unsigned i = 0; i < ROWS * COLS; i++) {
            double want =
                plain_f32((whet_dist)dist, false, COLS, i / COLS, i % COLS, 1);

            if (want != (double)got[i])
                fail_msg("dist %d element %u: %.9g, expected %.9g", dist, i,
                         (double)got[i], want);
        }
        free(task);
    }
    free(got);
}

/* Only the first input of a product in full precision has probes, and only if
 * its rows are plain. */
static void test_task_fill__puts_probes_into_products(void **state)
{
    enum { ROWS = 40, COLS = 4500 };
    float *got = malloc(ROWS * COLS * sizeof *got);

    (void)state;
    assert_non_null(got);
    for (int dist = WHET_DIST_NORMAL; dist <= WHET_DIST_EXACT; dist++) {
        whet_task *task = new_task(WHET_DTYPE_F32, (whet_dist)dist, 2);

        task->numerics.op_class = WHET_CLASS_DOT;
        task->tensors[0].role = WHET_ROLE_OUT;
        for (int policy = 0; policy <= WHET_POLICY_F8; policy++) {
            for (unsigned tensor = 1; tensor < 3; tensor++) {
                bool has_probes =
                    (policy == WHET_POLICY_F32 || policy == WHET_POLICY_F64) &&
                    tensor == 1 && dist <= WHET_DIST_POSITIVE;

                task->numerics.policy = (whet_policy)policy;
                whet_task_fill(got, task, tensor, COLS, &key, 0, ROWS * COLS);
                for (unsigned i = 0; i < ROWS * COLS; i += 61) {
                    double want = plain_f32((whet_dist)dist, has_probes, COLS,
                                            i / COLS, i % COLS, tensor);

                    assert_true(want == (double)got[i]);
                }
            }
        }
        free(task);
    }
    free(got);
}

/* Every partial sum, from either end and of a part, in f32 and in integers. */
static void test_task_fill__exact_rows_have_exact_sums(void **state)
{
    static const uint64_t lengths[] = {1, 2, 100, 4097, 65536, 1000003};
    float *row = malloc(1000003 * sizeof *row);
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_EXACT, 1);

    (void)state;
    assert_non_null(row);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        double sum = 0.0;
        float forward = 0.0f, backward = 0.0f, even = 0.0f, odd = 0.0f;

        whet_task_fill(row, task, 0, lengths[i], &key, 0, lengths[i]);
        for (uint64_t j = 0; j < lengths[i]; j++) {
            assert_true(row[j] != 0.0f);
            sum += (double)row[j];
            forward += row[j];
            backward += row[lengths[i] - 1 - j];
            if (j % 2 == 0)
                even += row[j];
            else
                odd += row[j];
        }
        assert_true((double)forward == sum);
        assert_true((double)backward == sum);
        assert_true((double)(even + odd) == sum);
    }
    free(task);
    free(row);
}

static void test_task_fill__has_fixed_answers(void **state)
{
    /* Computed once with the algorithm of docs/judging.md: a change
     * of any of these numbers makes old ledgers impossible to re-judge. */
    static const float want[4] = {-0x1.7e5e6p-2f, 0x1.71c2dp-1f, 0x1.5946bp-1f,
                                  -0x1.84ae8p-4f};
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_NORMAL, 2);
    static const float exact[4] = {-0x1.bbe6p+19f, 0x1.887ep+19f, 0x1.1a46p+19f,
                                   0x1.c518p+17f};
    float got[4];

    (void)state;
    whet_task_fill(got, task, 0, 4, &key, 0, 4);
    for (int i = 0; i < 4; i++)
        assert_true(got[i] == want[i]);
    task->tensors[0].dist = WHET_DIST_EXACT;
    whet_task_fill(got, task, 0, 4, &key, 0, 4);
    for (int i = 0; i < 4; i++)
        assert_true(got[i] == exact[i]);
    free(task);
}

static void test_task_fill__gives_the_same_bytes_in_parts(void **state)
{
    enum { COUNT = 3 * 4099 };
    static const uint64_t starts[] = {0, 1, 63, 64, 65, 4095, 4096, 4098, 8197};
    static const uint64_t counts[] = {1, 2, 63, 64, 129, 4090};

    (void)state;
    for (int dtype = 0; dtype < WHET_DTYPE_COUNT; dtype++) {
        size_t item = whet_dtype_bytes((whet_dtype)dtype);
        whet_task *task = new_task(
            (whet_dtype)dtype,
            dtype == WHET_DTYPE_I32 ? WHET_DIST_INTEGER : WHET_DIST_MIXED, 2);
        unsigned char *whole = malloc(COUNT * item);
        unsigned char *part = malloc(COUNT * item);

        whet_task_fill(whole, task, 0, 4099, &key, 0, COUNT);
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
            for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
                uint64_t first = starts[i], count = counts[j];

                memset(part, 0xa5, COUNT * item);
                whet_task_fill(part, task, 0, 4099, &key, first, count);
                assert_memory_equal(part, whole + first * item, count * item);
                assert_int_equal(part[count * item], 0xa5);
            }
        }
        free(whole);
        free(part);
        free(task);
    }
}

static void test_task_fill__depends_on_key_tensor_and_row(void **state)
{
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_NORMAL, 2);
    float base[64], other[64];

    (void)state;
    whet_task_fill(base, task, 0, 64, &key, 0, 64);
    for (int i = 0; i < 128; i++) { /* every bit of the key */
        whet_key changed = key;

        changed.word[i / 32] ^= 1u << i % 32;
        whet_task_fill(other, task, 0, 64, &changed, 0, 64);
        for (int j = 0; j < 64; j++)
            assert_true(base[j] != other[j]);
    }
    whet_task_fill(other, task, 1, 64, &key, 0, 64);
    assert_memory_not_equal(base, other, sizeof base);
    whet_task_fill(other, task, 0, 64, &key, 64, 64);
    assert_memory_not_equal(base, other, sizeof base);
    free(task);
}

static void test_task_fill__has_the_moments_it_says(void **state)
{
    enum { COUNT = 1 << 20, ROW = 5000 };
    float *data = malloc(COUNT * sizeof *data);
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_NORMAL, 2);
    double sum = 0.0, square = 0.0, next = 0.0, far = 0.0;

    (void)state;
    task->tensors[0].scale_log2 = 3;
    whet_task_fill(data, task, 0, ROW, &key, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double x = (double)data[i] / 8.0;

        assert_true(fabs(x) < 3.0);
        sum += x;
        square += x * x;
        next += i > 0 ? x * (double)data[i - 1] / 8.0 : 0.0;
        far += i >= ROW ? x * (double)data[i - ROW] / 8.0 : 0.0;
    }
    /* Five standard errors. */
    assert_true(fabs(sum / COUNT) < 5e-3);
    assert_true(fabs(square / COUNT - 1.0) < 6e-3);
    assert_true(fabs(next / COUNT) < 5e-3);
    assert_true(fabs(far / COUNT) < 5e-3);
    free(task);
    free(data);
}

/* Which of the kinds is a row of mixed data? By its look alone. */
static int kind_of_row(const float *row, unsigned count)
{
    double most = 0.0, least = INFINITY, span, low = INFINITY, high = -INFINITY;
    unsigned zeros = 0;
    bool is_integer = true;

    for (unsigned i = 0; i < count; i++) {
        double x = (double)row[i];

        most = fmax(most, fabs(x));
        least = fmin(least, fabs(x));
        low = fmin(low, x);
        high = fmax(high, x);
        is_integer = is_integer && x == rint(x);
        zeros += x == 0.0;
    }
    span = high - low;
    if (is_integer && most <= 8.0)
        return 5;
    if (zeros == count - 64)
        return 1;
    if (span < 0.12)
        return most < 0.01 ? 3 : 4;
    if (least < most * 0x1p-20 && most > 4.0 && most < 0x1p31)
        return most > 3.0 * 1024.0 || least < 0x1p-12 ? 0 : 2;
    return most > 1000.0 ? 2 : 6;
}

static void test_task_fill__mixes_kinds_of_rows_by_key(void **state)
{
    enum { ROWS = 1600, COLS = 512 };
    float *data = malloc(ROWS * COLS * sizeof *data);
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_MIXED, 2);
    int counts[7] = {0}, kinds[ROWS], same = 0;
    whet_key next = key;

    (void)state;
    whet_task_fill(data, task, 0, COLS, &key, 0, ROWS * COLS);
    for (int i = 0; i < ROWS; i++) {
        kinds[i] = kind_of_row(data + i * COLS, COLS);
        counts[kinds[i]]++;
        for (int j = 0; j < COLS; j++)
            assert_true(isfinite(data[i * COLS + j]));
    }
    assert_in_range(counts[0], 140, 260);  /* heavy, 2 of 16 */
    assert_in_range(counts[1], 60, 140);   /* spikes */
    assert_in_range(counts[2], 60, 140);   /* large */
    assert_in_range(counts[3], 60, 140);   /* small */
    assert_in_range(counts[4], 60, 140);   /* nearly constant */
    assert_in_range(counts[5], 60, 140);   /* integers */
    assert_in_range(counts[6], 800, 1000); /* normal */
    next.word[3]++;
    whet_task_fill(data, task, 0, COLS, &next, 0, ROWS * COLS);
    for (int i = 0; i < ROWS; i++)
        same += kind_of_row(data + i * COLS, COLS) == kinds[i];
    /* By chance 0.36 of them agree. */
    assert_in_range(same, ROWS * 3 / 10, ROWS * 6 / 10);
    free(task);
    free(data);
}

/* Sums of exponentials get no rows full of equal numbers. */
static void test_task_fill__spares_exponentials_equal_numbers(void **state)
{
    enum { ROWS = 800, COLS = 512 };
    float *data = malloc(ROWS * COLS * sizeof *data);
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_MIXED, 2);
    int counts[7] = {0};

    (void)state;
    assert_non_null(data);
    task->numerics.op_class = WHET_CLASS_EXP;
    whet_task_fill(data, task, 0, COLS, &key, 0, ROWS * COLS);
    for (int i = 0; i < ROWS; i++)
        counts[kind_of_row(data + i * COLS, COLS)]++;
    assert_int_equal(counts[1] + counts[4] + counts[5], 0);
    assert_in_range(counts[2], 150, 250); /* large, 4 of 16 */
    free(task);
    free(data);
}

/* Their spikes are normal rows, 2^10 larger in one window. */
static void test_task_fill__hides_large_exponents_in_normal_rows(void **state)
{
    enum { ROWS = 400, COLS = 4500 };
    float *data = malloc(ROWS * COLS * sizeof *data);
    double *wide = malloc(ROWS * COLS * sizeof *wide);
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_MIXED, 2);
    int spikes = 0;

    (void)state;
    assert_non_null(data);
    assert_non_null(wide);
    task->numerics.op_class = WHET_CLASS_EXP;
    whet_task_fill(data, task, 1, COLS, &key, 0, ROWS * COLS);
    task->tensors[1].dtype = WHET_DTYPE_F64;
    whet_task_fill(wide, task, 1, COLS, &key, 0, ROWS * COLS);
    for (unsigned row = 0; row < ROWS; row++) {
        uint32_t draw[4];

        plain_draw(draw, row, 1, 1);
        if (draw[0] >> 28 != 6)
            continue;
        spikes++;
        for (unsigned col = 0; col < COLS; col++) {
            double got = (double)data[row * COLS + col];
            double want = plain_f32(WHET_DIST_NORMAL, false, COLS, row, col, 1);
            double scale = plain_window(draw, COLS, col) ? 1024.0 : 1.0;

            assert_true(want * scale == got);
            assert_true(fabs(wide[row * COLS + col] - got) <= scale * 0x1p-21);
        }
    }
    assert_in_range(spikes, 8, 50);
    free(task);
    free(wide);
    free(data);
}

static void test_task_fill__rounds_narrow_types_from_f32(void **state)
{
    enum { COUNT = 3000 };
    float wide[COUNT];
    uint16_t narrow[COUNT];
    whet_task *task = new_task(WHET_DTYPE_F32, WHET_DIST_HEAVY, 1);

    (void)state;
    whet_task_fill(wide, task, 0, COUNT, &key, 0, COUNT);
    task->tensors[0].dtype = WHET_DTYPE_F16;
    whet_task_fill(narrow, task, 0, COUNT, &key, 0, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(narrow[i], whet_task__f16_from_f32(wide[i]));
    task->tensors[0].dtype = WHET_DTYPE_BF16;
    whet_task_fill(narrow, task, 0, COUNT, &key, 0, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(narrow[i], whet_task__bf16_from_f32(wide[i]));
    free(task);
}

static void test_task_fill__f64_does_not_fit_f32(void **state)
{
    enum { COUNT = 2000 };
    double data[COUNT];

    (void)state;
    for (int dist = WHET_DIST_NORMAL; dist <= WHET_DIST_HEAVY; dist++) {
        whet_task *task = new_task(WHET_DTYPE_F64, (whet_dist)dist, 2);
        int exact = 0;

        whet_task_fill(data, task, 0, COUNT, &key, 0, COUNT);
        for (int i = 0; i < COUNT; i++)
            exact += (double)(float)data[i] == data[i];
        assert_true(exact < 5);
        free(task);
    }
}

static void test_task_fill__integers_reach_both_ends(void **state)
{
    int32_t data[4000], low = 0, high = 0;
    whet_task *task = new_task(WHET_DTYPE_I32, WHET_DIST_INTEGER, 1);

    (void)state;
    task->tensors[0].scale_log2 = 2;
    whet_task_fill(data, task, 0, 4000, &key, 0, 4000);
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(data[i] % 4, 0);
        low = data[i] < low ? data[i] : low;
        high = data[i] > high ? data[i] : high;
    }
    assert_int_equal(low, -32);
    assert_int_equal(high, 32);
    free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_fill__follows_the_published_algorithm),
        cmocka_unit_test(test_task_fill__puts_probes_into_products),
        cmocka_unit_test(test_task_fill__exact_rows_have_exact_sums),
        cmocka_unit_test(test_task_fill__has_fixed_answers),
        cmocka_unit_test(test_task_fill__gives_the_same_bytes_in_parts),
        cmocka_unit_test(test_task_fill__depends_on_key_tensor_and_row),
        cmocka_unit_test(test_task_fill__has_the_moments_it_says),
        cmocka_unit_test(test_task_fill__mixes_kinds_of_rows_by_key),
        cmocka_unit_test(test_task_fill__spares_exponentials_equal_numbers),
        cmocka_unit_test(test_task_fill__hides_large_exponents_in_normal_rows),
        cmocka_unit_test(test_task_fill__rounds_narrow_types_from_f32),
        cmocka_unit_test(test_task_fill__f64_does_not_fit_f32),
        cmocka_unit_test(test_task_fill__integers_reach_both_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
