/* Error bounds: hand-computed factors, and that honest f32 sums pass with room
 * while narrower operands do not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_kit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double u32 = 0x1p-24;

static double factor_of(whet_policy policy, whet_op_class op_class,
                        int64_t length, whet_dtype out)
{
    char *text =
        task_kit_edit(task_kit_yaml, "class: map", "class: dot, length: cols");
    whet_task *task = task_kit_parse(text);
    whet_workload workload = {.dim = {1, length}};
    double factor;

    task->numerics.policy = policy;
    task->numerics.op_class = op_class;
    assert_int_equal(whet_numerics_factor(&factor, task, &workload, out, NULL),
                     WHET_OK);
    whet_task_free(task);
    free(text);
    return factor;
}

static void assert_close(double got, double want)
{
    assert_true(fabs(got - want) <= 1e-12 * want);
}

static void test_task_numerics__gives_known_factors(void **state)
{
    const whet_policy f32 = WHET_POLICY_F32;
    const whet_dtype out = WHET_DTYPE_F32;

    (void)state;
    assert_close(factor_of(f32, WHET_CLASS_DOT, 1024, out), 200 * u32);
    assert_close(factor_of(f32, WHET_CLASS_SUM, 1024, out), 192 * u32);
    /* 2^26 terms: runs of 4096, then 14 levels. */
    assert_close(factor_of(f32, WHET_CLASS_SUM, INT64_C(1) << 26, out),
                 6 * (64 + 14) * u32);
    assert_close(factor_of(f32, WHET_CLASS_NORM, 4096, out), 204 * u32);
    assert_close(factor_of(f32, WHET_CLASS_EXP, 4096, out), 400 * u32);
    assert_close(factor_of(f32, WHET_CLASS_MAP, 7, out), 4 * u32);
    assert_close(factor_of(WHET_POLICY_F64, WHET_CLASS_MAP, 7, WHET_DTYPE_F64),
                 4 * 0x1p-53);
    assert_true(factor_of(f32, WHET_CLASS_COPY, 7, out) == 0.0);
    assert_true(factor_of(WHET_POLICY_EXACT, WHET_CLASS_DOT, 7, out) == 0.0);
}

static void test_task_numerics__adds_the_rounding_of_the_output(void **state)
{
    (void)state;
    assert_close(factor_of(WHET_POLICY_F32, WHET_CLASS_MAP, 1, WHET_DTYPE_BF16),
                 4 * u32 + 0x1p-8);
    assert_close(factor_of(WHET_POLICY_F32, WHET_CLASS_COPY, 1, WHET_DTYPE_F16),
                 0x1p-11);
    assert_close(factor_of(WHET_POLICY_F64, WHET_CLASS_MAP, 1, WHET_DTYPE_F32),
                 4 * 0x1p-53 + u32);
    assert_true(factor_of(WHET_POLICY_EXACT, WHET_CLASS_COPY, 1,
                          WHET_DTYPE_F16) == 0.0);
}

/* A reduced policy must not allow an output of zeros: of many elements some
 * are larger than the scale. */
static void test_task_numerics__keeps_reduced_policies_tight(void **state)
{
    (void)state;
    assert_close(
        factor_of(WHET_POLICY_BF16, WHET_CLASS_DOT, 1024, WHET_DTYPE_F32),
        9 * 0x1p-8 + 200 * u32);
    assert_close(
        factor_of(WHET_POLICY_F32, WHET_CLASS_DOT, 1024, WHET_DTYPE_F16),
        2 * 0x1p-11 + 200 * u32);
    assert_true(
        factor_of(WHET_POLICY_F8, WHET_CLASS_DOT, 1024, WHET_DTYPE_BF16) < 0.6);
    assert_close(factor_of(WHET_POLICY_TF32, WHET_CLASS_SUM, 1, WHET_DTYPE_F32),
                 2 * 0x1p-11 + 6 * u32);
}

static void test_task_numerics__lets_nothing_be_lost_of_exact_sums(void **state)
{
    char *one = whet_asprintf("%s", task_kit_yaml);
    whet_task *task;
    whet_workload workload = {.dim = {7, 4}};
    char *text =
        task_kit_edit(one, "class: map", "class: sum, length: rows * cols / 7");
    whet_err err = {0};
    double factor;

    (void)state;
    task = task_kit_parse(text);
    for (unsigned i = 0; i < task->tensor_count; i++)
        task->tensors[i].dist = WHET_DIST_EXACT;
    /* Two inputs: their sums are not exact together. */
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, &err),
        WHET_OK);
    assert_close(factor, 12 * u32);
    task->tensors[1].role = WHET_ROLE_OUT;
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, &err),
        WHET_OK);
    assert_true(factor == 0.0);
    whet_task_free(task);
    free(text);
    /* More than a row is more than can be exact. */
    text = task_kit_edit(one, "class: map", "class: sum, length: rows * cols");
    task = task_kit_parse(text);
    task->tensors[0].dist = WHET_DIST_EXACT;
    task->tensors[1].role = WHET_ROLE_OUT;
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, &err),
        WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected at most the 4 elements"));
    whet_task_free(task);
    free(text);
    free(one);
}

static void test_task_numerics__has_a_floor(void **state)
{
    whet_numerics map = {WHET_POLICY_F32, WHET_CLASS_MAP, NULL};
    whet_numerics copy = {WHET_POLICY_F32, WHET_CLASS_COPY, NULL};
    whet_numerics exact = {WHET_POLICY_EXACT, WHET_CLASS_DOT, NULL};

    (void)state;
    assert_true(whet_numerics_floor(&map, WHET_DTYPE_F32) == FLT_MIN);
    assert_true(whet_numerics_floor(&map, WHET_DTYPE_F64) == DBL_MIN);
    assert_true(whet_numerics_floor(&map, WHET_DTYPE_F16) == 0x1p-14);
    assert_true(whet_numerics_floor(&map, WHET_DTYPE_BF16) == FLT_MIN);
    assert_true(whet_numerics_floor(&copy, WHET_DTYPE_F32) == 0.0);
    assert_true(whet_numerics_floor(&exact, WHET_DTYPE_F32) == 0.0);
}

static void test_task_numerics__refuses_a_bad_length(void **state)
{
    char *text = task_kit_edit(task_kit_yaml, "class: map",
                               "class: sum, length: cols - 4");
    whet_task *task = task_kit_parse(text);
    whet_workload workload = {.dim = {1, 4}};
    whet_err err = {0};
    double factor;

    (void)state;
    assert_int_equal(
        whet_numerics_factor(&factor, task, &workload, WHET_DTYPE_F32, &err),
        WHET_EINVAL);
    assert_non_null(strstr(err.msg, "numerics.length is 0"));
    assert_true(factor == 0.0);
    whet_task_free(task);
    free(text);
}

static float identity(float x)
{
    return x;
}

static float half(float x)
{
    return whet_task__f16_to_f32(whet_task__f16_from_f32(x));
}

/* Worst error of a serial f32 row times matrix, over the bound. */
static double worst_of_product(const float *a, const float *b, int rows,
                               int cols, int length, float (*narrow)(float))
{
    double bound =
        factor_of(WHET_POLICY_F32, WHET_CLASS_DOT, length, WHET_DTYPE_F32);
    double worst = 0.0;

    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double value = 0.0, scale = 0.0;
            float got = 0.0f;

            for (int k = 0; k < length; k++) {
                float x = a[i * length + k], y = b[k * cols + j];

                value += (double)x * y;
                scale += (double)x * y * ((double)x * y);
                got += narrow(x) * narrow(y);
            }
            scale = sqrt(scale / 2.0 + value * value / 3.0);
            worst = fmax(worst, fabs((double)got - value) / (bound * scale));
        }
    }
    return worst;
}

static void
test_task_numerics__tells_half_operands_from_honest_f32(void **state)
{
    enum { ROWS = 16, COLS = 16, LENGTH_MAX = 1024 };
    static const int lengths[] = {64, 256, 1024};
    whet_task *task = task_kit_parse(task_kit_yaml);
    float *a = malloc(ROWS * LENGTH_MAX * sizeof *a);
    float *b = malloc(COLS * LENGTH_MAX * sizeof *b);

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint64_t length = (uint64_t)lengths[i];

        for (int dist = 0; dist < 2; dist++) {
            whet_key key = {{(uint32_t)i, 2, 3, 4}};

            task->tensors[0].dist = dist ? WHET_DIST_MIXED : WHET_DIST_NORMAL;
            task->tensors[1].dist = WHET_DIST_NORMAL;
            whet_task_fill(a, task, 0, length, &key, 0, ROWS * length);
            whet_task_fill(b, task, 1, COLS, &key, 0, COLS * length);
            /* At least twice as good as needed; at least twice too bad. */
            assert_true(
                worst_of_product(a, b, ROWS, COLS, lengths[i], identity) < 0.5);
            assert_true(worst_of_product(a, b, ROWS, COLS, lengths[i], half) >
                        2.0);
        }
    }
    free(a);
    free(b);
    whet_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_numerics__gives_known_factors),
        cmocka_unit_test(test_task_numerics__adds_the_rounding_of_the_output),
        cmocka_unit_test(test_task_numerics__keeps_reduced_policies_tight),
        cmocka_unit_test(
            test_task_numerics__lets_nothing_be_lost_of_exact_sums),
        cmocka_unit_test(test_task_numerics__has_a_floor),
        cmocka_unit_test(test_task_numerics__refuses_a_bad_length),
        cmocka_unit_test(
            test_task_numerics__tells_half_operands_from_honest_f32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
