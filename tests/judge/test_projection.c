/* Projections of matrix products: what passes, and which wrongs show. Sizes
 * are small; which workloads are projected at all is a test of its own. */

#include "judge_kit.h"

#include "judge/projection.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { M = 70, N = 90, K = 130, LARGE_M = 16, LARGE_N = 800 };

/* One call of the gemm task with an output computed in f32. */
struct fixture {
    whet_task *task;
    whet_reference *reference;
    whet_workload workload;
    whet_product product;
    whet_key key;
    float a[M * K], b[K * N], c[M * N];
    whet_reference_args inputs;
    double factor;
};

static void multiply(struct fixture *f)
{
    int i, j, k;

    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            float sum = 0.0f;

            for (k = 0; k < K; k++)
                sum = fmaf(f->a[i * K + k], f->b[k * N + j], sum);
            f->c[i * N + j] = sum;
        }
}

static void draw(struct fixture *f, bool is_exact)
{
    if (is_exact) {
        whet_judge__draw_exact(f->a, &f->key, 0, 0, M * K);
        whet_judge__draw_exact(f->b, &f->key, 1, 0, K * N);
    } else {
        whet_task_fill(f->a, f->task, 0, K, &f->key, 0, M * K);
        whet_task_fill(f->b, f->task, 1, N, &f->key, 0, K * N);
    }
    multiply(f);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    whet_err err = {0};

    assert_non_null(f);
    f->task = kit_task("gemm");
    assert_int_equal(whet_reference_open(&f->reference, f->task, &err),
                     WHET_OK);
    assert_int_equal(
        whet_task_workload(&f->workload, f->task, "M=70,N=90,K=130", &err),
        WHET_OK);
    assert_int_equal(whet_numerics_factor(&f->factor, f->task, &f->workload,
                                          WHET_DTYPE_F32, &err),
                     WHET_OK);
    f->product = (whet_product){0, 1, 2, M, N, K};
    f->key = (whet_key){{1, 2, 3, 4}};
    f->inputs =
        (whet_reference_args){.tensor = {f->a, f->b}, .workload = &f->workload};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    whet_reference_close(f->reference);
    whet_task_free(f->task);
    free(f);
    return 0;
}

static whet_tally project(struct fixture *f, bool is_exact)
{
    whet_projection_args args = {
        .product = &f->product,
        .task = f->task,
        .reference = f->reference,
        .inputs = &f->inputs,
        .key = &f->key,
        .is_exact = is_exact,
        .factor = f->factor,
        .floor = whet_numerics_floor(&f->task->numerics, WHET_DTYPE_F32),
        .arm_count = 2,
        .got = {NULL, f->c}};
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    whet_err err = {0};

    assert_int_equal(whet_judge__project(tally, &args, &err), WHET_OK);
    assert_int_equal(tally[0].bad_count, 0);
    return tally[1];
}

static void test_judge_projection__passes_honest_products(void **state)
{
    struct fixture *f = *state;
    uint32_t i;

    for (i = 0; i < 6; i++) {
        f->key.word[3] = i;
        draw(f, i % 2 == 1);
        assert_int_equal(project(f, i % 2 == 1).bad_count, 0);
    }
}

static void test_judge_projection__exact_calls_show_any_wrong_element(void **st)
{
    struct fixture *f = *st;
    uint32_t i;

    for (i = 0; i < 40; i++) {
        uint32_t at = i * 7919 % (M * N);

        f->key.word[0] = i;
        draw(f, true);
        f->c[at] += i % 2 ? 1.0f : -1.0f;
        assert_true(project(f, true).bad_count > 0);
        f->c[at] += i % 2 ? -0.5f : 0.5f;
        assert_true(project(f, true).bad_count > 0);
    }
    draw(f, true);
    f->c[11] = 0x1p60f;
    assert_true(project(f, true).bad_count > 0);
    f->c[11] = NAN;
    assert_true(project(f, true).not_finite_count > 0);
}

/* Two elements exchanged within a row keep the row's plain sum. */
static void test_judge_projection__exact_calls_show_exchanges(void **state)
{
    struct fixture *f = *state;
    float kept;

    draw(f, true);
    kept = f->c[5 * N + 3];
    assert_true(kept != f->c[5 * N + 77]);
    f->c[5 * N + 3] = f->c[5 * N + 77];
    f->c[5 * N + 77] = kept;
    assert_true(project(f, true).bad_count > 0);
}

static void test_judge_projection__ordinary_calls_show_lost_terms(void **state)
{
    struct fixture *f = *state;
    int i, j;

    draw(f, false);
    /* The last term of every inner product is left out. */
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++)
            f->c[i * N + j] -= f->a[i * K + K - 1] * f->b[(K - 1) * N + j];
    assert_true(project(f, false).bad_count > 0);
    draw(f, false);
    memset(f->c + 17 * N, 0, N * sizeof *f->c);
    assert_true(project(f, false).bad_count > 0);
}

/* Elements off by up to nine tenths of their bounds pass; one element in the
 * first strip of each row off by 40 bounds does not. */
static void test_judge_projection__ordinary_calls_show_loose_elements(void **st)
{
    struct fixture *f = *st;
    double *value = malloc(2 * N * sizeof *value), *scale = value + N;
    uint32_t i, j;

    draw(f, false);
    for (i = 0; i < M; i++) {
        whet_reference_row(value, scale, f->reference, 2, &f->inputs, i);
        for (j = 0; j < N; j++)
            f->c[i * N + j] =
                (float)(value[j] + ((i * 31 + j * 17) % 3 - 1.0) * 0.9 *
                                       f->factor * scale[j]);
    }
    assert_int_equal(project(f, false).bad_count, 0);
    /* One sixteenth of a row is a strip: six elements here. */
    for (i = 0; i < M; i++)
        f->c[i * N] += 40.0f * (float)(f->factor * scale[0]) + 1e-3f;
    assert_true(project(f, false).bad_count > 0);
    free(value);
}

static void test_judge_projection__infinite_elements_fail(void **state)
{
    struct fixture *f = *state;

    draw(f, false);
    f->c[7 * N + 5] = INFINITY;
    assert_true(project(f, false).bad_count > 0);
    draw(f, false);
    f->c[7 * N + 5] = 3e38f;
    assert_true(project(f, false).bad_count > 0);
}

/* Bounds of operands of four bits are about as large as the result: a false
 * element must not excuse itself by enlarging its own strip's bound. */
static void test_judge_projection__loose_bounds_excuse_nothing(void **state)
{
    struct fixture *f = *state;
    double kept = f->factor;
    uint32_t row;

    f->factor = 0.9; /* strips are narrow here: 0.3 with wide ones */
    draw(f, false);
    assert_int_equal(project(f, false).bad_count, 0);
    for (row = 0; row < M; row++) {
        draw(f, false);
        f->c[row * N + 5] = 1e30f;
        assert_true(project(f, false).bad_count > 0);
    }
    f->factor = kept;
}

/* A product of few rows and many columns, on the heap. */
struct large {
    uint64_t k;
    float *a, *b, *c;
    bool is_sampled[LARGE_M];
};

static float to_tf32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* One running sum per element, in order of k; with operands rounded to tf32
 * but for sampled rows, so that only projections can tell. */
static void multiply_large(struct large *l, bool is_tf32)
{
    uint64_t i, j, k;

    memset(l->c, 0, sizeof(float) * LARGE_M * LARGE_N);
    for (k = 0; k < l->k; k++) {
        const float *exact = l->b + k * LARGE_N;
        float narrow[LARGE_N];

        for (j = 0; is_tf32 && j < LARGE_N; j++)
            narrow[j] = to_tf32(exact[j]);
        for (i = 0; i < LARGE_M; i++) {
            bool is_narrow = is_tf32 && !l->is_sampled[i];
            float a = l->a[i * l->k + k], *c = l->c + i * LARGE_N;
            const float *b = is_narrow ? narrow : exact;

            a = is_narrow ? to_tf32(a) : a;
            for (j = 0; j < LARGE_N; j++)
                c[j] += a * b[j];
        }
    }
}

static uint64_t bad_of_large(struct fixture *f, struct large *l,
                             bool needs_rows)
{
    whet_reference_args inputs = {.tensor = {l->a, l->b},
                                  .workload = &f->workload};
    whet_product product = {0, 1, 2, LARGE_M, LARGE_N, l->k};
    whet_projection_args args = {.product = &product,
                                 .task = f->task,
                                 .reference = f->reference,
                                 .inputs = &inputs,
                                 .key = &f->key,
                                 .is_brief = !needs_rows,
                                 .arm_count = 1,
                                 .got = {l->c}};
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    whet_err err = {0};

    args.floor = whet_numerics_floor(&f->task->numerics, WHET_DTYPE_F32);
    assert_int_equal(whet_numerics_factor(&args.factor, f->task, &f->workload,
                                          WHET_DTYPE_F32, &err),
                     WHET_OK);
    assert_int_equal(whet_judge__project(tally, &args, &err), WHET_OK);
    return tally[0].bad_count;
}

/* @param needs_rows  only rows that are looked at element by element tell */
static void compare_large(struct fixture *f, whet_dist dist, uint64_t k,
                          bool needs_rows)
{
    struct large l = {.k = k};
    char text[64];
    whet_rng rng;
    unsigned i;

    snprintf(text, sizeof text, "M=%d,N=%d,K=%d", LARGE_M, LARGE_N, (int)k);
    assert_int_equal(whet_task_workload(&f->workload, f->task, text, NULL),
                     WHET_OK);
    l.a = malloc(LARGE_M * k * sizeof *l.a);
    l.b = malloc(LARGE_N * k * sizeof *l.b);
    l.c = malloc(LARGE_M * LARGE_N * sizeof *l.c);
    assert_true(l.a != NULL && l.b != NULL && l.c != NULL);
    f->task->tensors[0].dist = f->task->tensors[1].dist = dist;
    whet_task_fill(l.a, f->task, 0, k, &f->key, 0, LARGE_M * k);
    whet_task_fill(l.b, f->task, 1, LARGE_N, &f->key, 0, LARGE_N * k);
    whet_rng_init(&rng, (uint64_t)f->key.word[0] << 32 | f->key.word[1],
                  (uint64_t)f->key.word[2] << 32 | f->key.word[3],
                  "project.rows");
    for (i = 0; !needs_rows && i < 4; i++)
        l.is_sampled[whet_rng_below(&rng, LARGE_M)] = true;
    multiply_large(&l, false);
    assert_int_equal(bad_of_large(f, &l, needs_rows), 0);
    multiply_large(&l, true);
    assert_true(bad_of_large(f, &l, needs_rows) > 0);
    free(l.a);
    free(l.b);
    free(l.c);
}

/* By projections alone, but for sums of 16384 positive numbers, which average
 * the rounding of their terms away except in a few elements. */
static void test_judge_projection__tells_tf32_from_f32(void **state)
{
    struct fixture *f = *state;

    compare_large(f, WHET_DIST_NORMAL, 4096, false);
    compare_large(f, WHET_DIST_UNIFORM, 4096, false);
    compare_large(f, WHET_DIST_HEAVY, 4096, false);
    compare_large(f, WHET_DIST_NORMAL, 16384, false);
    compare_large(f, WHET_DIST_UNIFORM, 16384, true);
}

static void test_judge_projection__tells_poison_from_wrong_values(void **state)
{
    struct fixture *f = *state;

    draw(f, false);
    whet_judge__poison(f->c, sizeof f->c, WHET_DTYPE_F32, &f->key, 2);
    assert_true(project(f, false).unwritten_count > 0);
}

static void test_judge_projection__unmasks_what_is_no_product(void **state)
{
    struct fixture *f = *state;
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    whet_err err = {0};
    whet_projection_args args = {.product = &f->product,
                                 .task = f->task,
                                 .reference = f->reference,
                                 .inputs = &f->inputs,
                                 .key = &f->key,
                                 .factor = f->factor,
                                 .arm_count = 1,
                                 .got = {f->c}};

    draw(f, false);
    /* The reference multiplies one matrix, the projection another. */
    f->product.b = 0;
    assert_int_equal(whet_judge__project(tally, &args, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "not the product"));
}

static void test_judge_projection__takes_large_products_alone(void **state)
{
    struct fixture *f = *state;
    whet_task *other = kit_task("rmsnorm");
    whet_workload large, small;
    whet_product product;
    whet_key key = {{0}};
    unsigned exact = 0;
    uint32_t i;

    assert_int_equal(
        whet_task_workload(&large, f->task, "M=4096,N=4096,K=4096", NULL),
        WHET_OK);
    assert_int_equal(
        whet_task_workload(&small, f->task, "M=1024,N=1024,K=1024", NULL),
        WHET_OK);
    assert_true(whet_judge__product(&product, f->task, &large));
    assert_int_equal(product.m, 4096);
    assert_int_equal(product.b, 1);
    assert_true(whet_judge__product_is_dear(&product, false));
    assert_true(whet_judge__product(&product, f->task, &small));
    assert_false(whet_judge__product_is_dear(&product, false));
    assert_true(whet_judge__product_is_dear(&product, true));
    product.k = 8;
    assert_false(whet_judge__product_is_dear(&product, true));
    assert_false(whet_judge__product(&product, other, &other->workloads[0]));
    assert_true(whet_judge__product(&product, f->task, &large));
    for (i = 0; i < 4000; i++) {
        key.word[1] = i;
        exact += whet_judge__product_is_exact(&product, f->task, &key);
    }
    assert_in_range(exact, 850, 1150);
    product.k = (UINT64_C(1) << 17) + 1;
    for (i = 0; i < 100; i++) {
        key.word[1] = i;
        assert_false(whet_judge__product_is_exact(&product, f->task, &key));
    }
    whet_task_free(other);
}

static void test_judge_projection__exact_values_are_even(void **state)
{
    struct fixture *f = *state;
    unsigned seen[16] = {0}, i;

    draw(f, true);
    for (i = 0; i < K * N; i++) {
        assert_true(f->b[i] >= -8 && f->b[i] <= 7 &&
                    truncf(f->b[i]) == f->b[i]);
        seen[(int)f->b[i] + 8]++;
    }
    for (i = 0; i < 16; i++)
        assert_in_range(seen[i], K * N / 16 / 2, K * N / 16 * 2);
}

static void test_judge_projection__exact_values_follow_key_and_place(void **st)
{
    struct fixture *f = *st;
    const uint64_t first = (UINT64_C(3) << 20) - 40; /* across two parts */
    float whole[80], part[80], other[80];
    whet_key key = f->key;
    unsigned i, same = 0;

    whet_judge__draw_exact(whole, &key, 1, first, 80);
    for (i = 0; i < 80; i += 16)
        whet_judge__draw_exact(part + i, &key, 1, first + i, 16);
    assert_memory_equal(whole, part, sizeof whole);
    whet_judge__draw_exact(other, &key, 0, first, 80);
    for (i = 0; i < 80; i++)
        same += whole[i] == other[i];
    assert_in_range(same, 0, 20);
    key.word[0]++;
    whet_judge__draw_exact(other, &key, 1, first, 80);
    assert_memory_not_equal(whole, other, sizeof whole);
}

int main(void)
{
#define ROW(name)                                                              \
    cmocka_unit_test_setup_teardown(test_judge_projection__##name, setup,      \
                                    teardown)
    const struct CMUnitTest tests[] = {
        ROW(passes_honest_products),
        ROW(exact_calls_show_any_wrong_element),
        ROW(exact_calls_show_exchanges),
        ROW(ordinary_calls_show_lost_terms),
        ROW(ordinary_calls_show_loose_elements),
        ROW(infinite_elements_fail),
        ROW(loose_bounds_excuse_nothing),
        ROW(tells_tf32_from_f32),
        ROW(tells_poison_from_wrong_values),
        ROW(unmasks_what_is_no_product),
        ROW(takes_large_products_alone),
        ROW(exact_values_are_even),
        ROW(exact_values_follow_key_and_place),
    };
#undef ROW

    return cmocka_run_group_tests(tests, NULL, NULL);
}
