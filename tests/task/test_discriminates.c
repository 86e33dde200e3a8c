/* What the bounds tell apart. Of products, honest orders of summation and the
 * split of operands in two pass, narrow operands do not, whatever the data
 * looks like, and although a kernel looks at it first. Of sums, nothing may be
 * lost.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/schema_priv.h"
#include "task_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 32, TILE = 16, LENGTH_MAX = 16384, KEYS = 2 };

/** Inputs of one call, what it should give, and room for what a kernel does. */
struct call {
    int length;
    float *a, *b; /* SIZE x length, length x SIZE */
    float *a_high, *a_low, *b_high, *b_low;
    double value[SIZE][SIZE], bound[SIZE][SIZE];
    float got[SIZE][SIZE];
};

static const whet_dist dists[] = {WHET_DIST_NORMAL, WHET_DIST_UNIFORM,
                                  WHET_DIST_HEAVY};

/* To `bits` significant bits, nearest even: 11 is tf32, 8 is bf16. */
static float rounded(float x, int bits)
{
    uint32_t word, drop = 24u - (uint32_t)bits;

    memcpy(&word, &x, sizeof word);
    word += (1u << (drop - 1)) - 1 + (word >> drop & 1);
    word &= ~((1u << drop) - 1);
    memcpy(&x, &word, sizeof x);
    return x;
}

static int set_up(void **state)
{
    struct call *call = calloc(1, sizeof *call);
    float **parts[] = {&call->a,     &call->b,      &call->a_high,
                       &call->a_low, &call->b_high, &call->b_low};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i] = malloc(SIZE * LENGTH_MAX * sizeof(float));
        assert_non_null(*parts[i]);
    }
    *state = call;
    return 0;
}

static int tear_down(void **state)
{
    struct call *call = *state;

    free(call->a);
    free(call->b);
    free(call->a_high);
    free(call->a_low);
    free(call->b_high);
    free(call->b_low);
    free(call);
    return 0;
}

static void draw(struct call *call, whet_dist dist, whet_policy policy,
                 int length, uint32_t number)
{
    char *text =
        task_kit_edit(task_kit_yaml, "class: map", "class: dot, length: cols");
    whet_task *task = task_kit_parse(text);
    whet_workload workload = {.dim = {1, length}};
    whet_key key = {{number, 7, (uint32_t)length, (uint32_t)dist}};
    uint64_t count = (uint64_t)SIZE * (uint64_t)length;
    double factor;

    task->numerics.policy = policy;
    task->tensors[0].dist = task->tensors[1].dist = dist;
    task->tensors[0].rank = task->tensors[1].rank = 2;
    whet_task_fill(call->a, task, 0, (uint64_t)length, &key, 0, count);
    whet_task_fill(call->b, task, 1, SIZE, &key, 0, count);
    task->tensors[1].rank = 1;
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, NULL),
        WHET_OK);
    whet_task_free(task);
    free(text);
    call->length = length;
    for (int i = 0; i < SIZE; i++) {
        double sum[SIZE] = {0.0}, square[SIZE] = {0.0};

        for (int k = 0; k < length; k++) {
            for (int j = 0; j < SIZE; j++) {
                double p = (double)call->a[i * length + k] *
                           (double)call->b[k * SIZE + j];

                sum[j] += p;
                square[j] += p * p;
            }
        }
        for (int j = 0; j < SIZE; j++) {
            call->value[i][j] = sum[j];
            call->bound[i][j] =
                factor * sqrt(square[j] / 2.0 + sum[j] * sum[j] / 3.0);
        }
    }
}

/* Round both operands, and keep what is lost, rounded too. */
static void split(struct call *call, int bits)
{
    for (int i = 0; i < SIZE * call->length; i++) {
        call->a_high[i] = rounded(call->a[i], bits);
        call->a_low[i] = rounded(call->a[i] - call->a_high[i], bits);
        call->b_high[i] = rounded(call->b[i], bits);
        call->b_low[i] = rounded(call->b[i] - call->b_high[i], bits);
    }
}

/* Rows [first, last): runs of `run` terms are summed up by themselves. */
static void multiply(struct call *call, const float *a, const float *b, int run,
                     int first, int last)
{
    for (int i = first; i < last; i++) {
        for (int k = 0; k < call->length;) {
            int end = k + run < call->length ? k + run : call->length;
            float sum[SIZE] = {0.0f};

            for (; k < end; k++) {
                for (int j = 0; j < SIZE; j++)
                    sum[j] += a[i * call->length + k] * b[k * SIZE + j];
            }
            for (int j = 0; j < SIZE; j++)
                call->got[i][j] += sum[j];
        }
    }
}

/* Worst error of what was computed, in units of the bound. */
static double worst(struct call *call)
{
    double most = 0.0;

    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double error = fabs((double)call->got[i][j] - call->value[i][j]);

            most = fmax(most, error / call->bound[i][j]);
        }
    }
    memset(call->got, 0, sizeof call->got);
    return most;
}

static void assert_passes(struct call *call, const char *kernel, int dist)
{
    double error = worst(call);

    if (!(error < 0.6))
        fail_msg("%s, K = %d, dist %d: %g", kernel, call->length, dist, error);
}

static void assert_above(struct call *call, const char *kernel, int dist,
                         double least)
{
    double error = worst(call);

    if (!(error > least))
        fail_msg("%s, K = %d, dist %d: %g", kernel, call->length, dist, error);
}

static void assert_refused(struct call *call, const char *kernel, int dist)
{
    assert_above(call, kernel, dist, 2.0);
}

static void play_all(struct call *call, int dist)
{
    int all = call->length;

    multiply(call, call->a, call->b, all, 0, SIZE);
    assert_passes(call, "serial f32", dist);
    multiply(call, call->a, call->b, 64, 0, SIZE);
    assert_passes(call, "f32 in blocks", dist);
    split(call, 11);
    multiply(call, call->a_low, call->b_high, all, 0, SIZE);
    multiply(call, call->a_high, call->b_low, all, 0, SIZE);
    multiply(call, call->a_high, call->b_high, all, 0, SIZE);
    assert_passes(call, "tf32 split, three terms", dist);
    multiply(call, call->a_low, call->b_high, all, 0, SIZE);
    multiply(call, call->a_high, call->b_high, all, 0, SIZE);
    assert_refused(call, "tf32, one operand split", dist);
    multiply(call, call->a_high, call->b_high, all, 0, SIZE);
    assert_refused(call, "tf32", dist);
    split(call, 8);
    multiply(call, call->a_high, call->b_high, all, 0, SIZE);
    assert_refused(call, "bf16", dist);
}

static void test_task_discriminates__narrow_operands_from_f32(void **state)
{
    static const int lengths[] = {512, 4096, 16384};
    struct call *call = *state;

    for (size_t d = 0; d < WHET_COUNT_OF(dists); d++) {
        for (size_t k = 0; k < WHET_COUNT_OF(lengths); k++) {
            for (uint32_t key = 0; key < KEYS; key++) {
                draw(call, dists[d], WHET_POLICY_F32, lengths[k], key);
                play_all(call, (int)dists[d]);
            }
        }
    }
}

/* In short products the terms that the split leaves out weigh most. */
static void test_task_discriminates__short_products_alike(void **state)
{
    struct call *call = *state;

    for (size_t d = 0; d < WHET_COUNT_OF(dists); d++) {
        for (int length = 1; length <= 9; length += 2) {
            for (uint32_t key = 0; key < 20; key++) {
                draw(call, dists[d], WHET_POLICY_F32, length, key);
                play_all(call, (int)dists[d]);
            }
        }
    }
}

/* Operands of the format that a policy names pass, those of the next do not. */
static void
test_task_discriminates__reduced_policies_from_the_next(void **state)
{
    static const struct {
        whet_policy policy;
        int bits, next;
    } policies[] = {{WHET_POLICY_TF32, 11, 8},
                    {WHET_POLICY_F16, 11, 8},
                    {WHET_POLICY_BF16, 8, 4},
                    {WHET_POLICY_F8, 4, 0}};
    static const int lengths[] = {1, 5, 64, 512, 4096};
    struct call *call = *state;

    for (size_t p = 0; p < WHET_COUNT_OF(policies); p++) {
        for (size_t k = 0; k < WHET_COUNT_OF(lengths); k++) {
            for (uint32_t key = 0; key < 3; key++) {
                draw(call, WHET_DIST_NORMAL, policies[p].policy, lengths[k],
                     key);
                split(call, policies[p].bits);
                multiply(call, call->a_high, call->b_high, 64, 0, SIZE);
                assert_passes(call, "operands of the policy", (int)p);
                if (policies[p].next == 0) /* 2 bits are too near to 4 */
                    continue;
                split(call, policies[p].next);
                multiply(call, call->a_high, call->b_high, 64, 0, SIZE);
                assert_above(call, "operands of the next", (int)p, 1.3);
            }
        }
    }
}

/* What a kernel can see of some elements at little cost. */
static bool looks_plain(const float *data, int count)
{
    double most = 0.0, sum = 0.0;

    for (int i = 0; i < count; i++) {
        if (data[i] == 0.0f)
            return false;
        most = fmax(most, fabs((double)data[i]));
        sum += fabs((double)data[i]);
    }
    return most * count <= 100.0 * sum;
}

static void test_task_discriminates__kernels_that_look_first(void **state)
{
    static const int lengths[] = {512, 4096};
    struct call *call = *state;
    int dared = 0;

    for (size_t d = 0; d < 2; d++) {
        for (size_t k = 0; k < WHET_COUNT_OF(lengths); k++) {
            for (uint32_t key = 10; key < 14; key++) {
                draw(call, dists[d], WHET_POLICY_F32, lengths[k], key);
                if (!looks_plain(call->a, 64))
                    continue;
                dared++;
                split(call, 11);
                multiply(call, call->a_high, call->b_high, lengths[k], 0, SIZE);
                assert_refused(call, "tf32 after a look", (int)dists[d]);
            }
        }
    }
    assert_true(dared > 2);
}

/* Tiles of rows that look plain all over are too rare to gain by. */
static void test_task_discriminates__kernels_that_look_at_tiles(void **state)
{
    struct call *call = *state;
    int tiles = 0, plain = 0;

    for (size_t d = 0; d < WHET_COUNT_OF(dists); d++) {
        for (uint32_t key = 0; key < 64; key++) {
            draw(call, dists[d], WHET_POLICY_F32, 512, 100 + key);
            for (int i = 0; i < SIZE; i += TILE) {
                bool is_plain = true;

                for (int row = i; row < i + TILE; row++)
                    is_plain =
                        is_plain && looks_plain(call->a + row * 512, 512);
                tiles++;
                plain += is_plain;
            }
        }
    }
    assert_int_equal(tiles, 384);
    assert_true(plain * 20 < tiles);
}

/* The shipped sum: nothing may be lost, and terms left out show. */
static void test_task_discriminates__sums_with_terms_left_out(void **state)
{
    enum { COUNT = 1 << 24 };
    whet_task *task = task_kit_load("reduce_sum");
    whet_workload workload = {.dim = {COUNT}};
    whet_key key = {{1, 2, 3, 4}};
    float *x = malloc(COUNT * sizeof *x);
    double sum = 0.0, factor;
    float all = 0.0f, most = 0.0f, parts = 0.0f, scaled = 0.0f, part = 0.0f;

    (void)state;
    assert_non_null(x);
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, NULL),
        WHET_OK);
    assert_true(factor == 0.0);
    whet_task_fill(x, task, 0, COUNT, &key, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        sum += (double)x[i];
        all += x[i];
        most += i % 1000 == 999 ? 0.0f : x[i];
        scaled += i / 4096 % 32 == 31 ? 0.0f : x[i];
        part += x[i];
        if (i % 4096 == 4095) {
            parts += part;
            part = 0.0f;
        }
    }
    assert_true((double)all == sum);
    assert_true((double)parts == sum);
    for (int i = 0; i < COUNT; i += 65537)
        assert_true((double)(all - x[i]) != sum);
    assert_true((double)most != sum);
    assert_true((double)(scaled * (32.0f / 31.0f)) != sum);
    free(x);
    whet_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_discriminates__narrow_operands_from_f32),
        cmocka_unit_test(test_task_discriminates__short_products_alike),
        cmocka_unit_test(
            test_task_discriminates__reduced_policies_from_the_next),
        cmocka_unit_test(test_task_discriminates__kernels_that_look_first),
        cmocka_unit_test(test_task_discriminates__kernels_that_look_at_tiles),
        cmocka_unit_test(test_task_discriminates__sums_with_terms_left_out),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
