/* Element types: names, sizes, narrow formats. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/task_priv.h"

#include <math.h>
#include <string.h>

static void test_task_dtype__names_and_sizes(void **state)
{
    static const struct {
        const char *name;
        whet_dtype dtype;
        size_t bytes;
    } rows[] = {{"f64", WHET_DTYPE_F64, 8},
                {"f32", WHET_DTYPE_F32, 4},
                {"f16", WHET_DTYPE_F16, 2},
                {"bf16", WHET_DTYPE_BF16, 2},
                {"i32", WHET_DTYPE_I32, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_dtype dtype;

        assert_int_equal(whet_dtype_parse(&dtype, rows[i].name, NULL), WHET_OK);
        assert_int_equal(dtype, rows[i].dtype);
        assert_string_equal(whet_dtype_name(dtype), rows[i].name);
        assert_int_equal(whet_dtype_bytes(dtype), rows[i].bytes);
    }
}

static void test_task_dtype__refuses_unknown_names(void **state)
{
    whet_dtype dtype;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_dtype_parse(&dtype, "bf17", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "did you mean 'bf16'"));
    assert_int_equal(whet_dtype_parse(&dtype, "", &err), WHET_EINVAL);
    assert_true(err.msg[0] != '\0');
}

static void test_task_dtype__f16_round_trips(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000u; bits++) {
        float value = whet_task__f16_to_f32((uint16_t)bits);

        if (!isfinite(value)) {
            assert_true((bits & 0x7c00u) == 0x7c00u);
            continue;
        }
        assert_int_equal(whet_task__f16_from_f32(value), bits);
        assert_int_equal(
            whet_task__bf16_from_f32(whet_task__bf16_to_f32((uint16_t)bits)),
            (bits & 0x7fffu) > 0x7f7fu ? ((bits & 0x8000u) | 0x7f7fu) : bits);
    }
    assert_true(whet_task__f16_to_f32(0x3c00) == 1.0f);
    assert_true(whet_task__f16_to_f32(0xfbff) == -65504.0f);
    assert_true(whet_task__f16_to_f32(0x0001) == 0x1p-24f);
    assert_true(whet_task__bf16_to_f32(0x3f80) == 1.0f);
}

static void test_task_dtype__rounds_to_nearest_even(void **state)
{
    (void)state;
    /* Between neighbours of f16, at every exponent, in quarters. */
    for (uint32_t bits = 0; bits < 0x7bffu; bits += 7) {
        float low = whet_task__f16_to_f32((uint16_t)bits);
        float high = whet_task__f16_to_f32((uint16_t)(bits + 1));
        float step = high - low;

        assert_int_equal(whet_task__f16_from_f32(low + step * 0.25f), bits);
        assert_int_equal(whet_task__f16_from_f32(low + step * 0.75f), bits + 1);
        assert_int_equal(whet_task__f16_from_f32(low + step * 0.5f),
                         bits + (bits & 1u));
    }
    assert_int_equal(whet_task__f16_from_f32(1e9f), 0x7bff);
    assert_int_equal(whet_task__f16_from_f32(-65519.0f), 0xfbff);
    assert_int_equal(whet_task__f16_from_f32(0x1p-26f), 0);
    assert_int_equal(whet_task__bf16_from_f32(1.0f + 0x1p-8f), 0x3f80);
    assert_int_equal(whet_task__bf16_from_f32(1.0f + 0x1.8p-7f), 0x3f82);
    assert_int_equal(whet_task__bf16_from_f32(0x1.fffffep127f), 0x7f7f);
}

static void test_task_dtype__loads_each_type(void **state)
{
    double f64 = -2.5;
    float f32 = 0.1f;
    uint16_t f16 = 0xc000, bf16 = 0xc000;
    int32_t i32 = -7;

    (void)state;
    assert_true(whet_dtype_load(WHET_DTYPE_F64, &f64) == -2.5);
    assert_true(whet_dtype_load(WHET_DTYPE_F32, &f32) == (double)0.1f);
    assert_true(whet_dtype_load(WHET_DTYPE_F16, &f16) == -2.0);
    assert_true(whet_dtype_load(WHET_DTYPE_BF16, &bf16) == -2.0);
    assert_true(whet_dtype_load(WHET_DTYPE_I32, &i32) == -7.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_dtype__names_and_sizes),
        cmocka_unit_test(test_task_dtype__refuses_unknown_names),
        cmocka_unit_test(test_task_dtype__f16_round_trips),
        cmocka_unit_test(test_task_dtype__rounds_to_nearest_even),
        cmocka_unit_test(test_task_dtype__loads_each_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
