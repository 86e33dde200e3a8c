/* Projections of matrix products: what passes, and which wrongs show. Sizes
 * are small; which workloads are projected at all is a test of its own. */

#include "judge_kit.h"

#include "judge/projection.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { M = 70, N = 90, K = 130 };

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
    whet_task_fill(f->a, f->task, 0, K, &f->key, 0, M * K);
    whet_task_fill(f->b, f->task, 1, N, &f->key, 0, K * N);
    if (is_exact) {
        whet_judge__make_exact(f->a, M * K);
        whet_judge__make_exact(f->b, K * N);
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

/* Every element off by a little more than its bound, with signs of its own:
 * independent errors add up to far less than their sizes do. */
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
        ROW(tells_poison_from_wrong_values),
        ROW(unmasks_what_is_no_product),
        ROW(takes_large_products_alone),
        ROW(exact_values_are_even),
    };
#undef ROW

    return cmocka_run_group_tests(tests, NULL, NULL);
}
