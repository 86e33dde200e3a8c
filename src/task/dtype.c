/* Element types: sizes, names, and conversions of the narrow float formats in
 * integer arithmetic, so that every machine gives the same bits. */

#include "task/task_priv.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} dtypes[WHET_DTYPE_COUNT] = {
    [WHET_DTYPE_F64] = {"f64", 8}, [WHET_DTYPE_F32] = {"f32", 4},
    [WHET_DTYPE_F16] = {"f16", 2}, [WHET_DTYPE_BF16] = {"bf16", 2},
    [WHET_DTYPE_I32] = {"i32", 4},
};

size_t whet_dtype_bytes(whet_dtype dtype)
{
    assert((unsigned)dtype < WHET_DTYPE_COUNT);
    return dtypes[dtype].bytes;
}

const char *whet_dtype_name(whet_dtype dtype)
{
    assert((unsigned)dtype < WHET_DTYPE_COUNT);
    return dtypes[dtype].name;
}

whet_status whet_dtype_parse(whet_dtype *out, const char *text, whet_err *err)
{
    const char *names[WHET_DTYPE_COUNT];
    const char *close;

    *out = WHET_DTYPE_F64;
    for (unsigned i = 0; i < WHET_DTYPE_COUNT; i++) {
        names[i] = dtypes[i].name;
        if (strcmp(text, names[i]) == 0) {
            *out = (whet_dtype)i;
            return WHET_OK;
        }
    }
    close = whet_closest_name(text, names, WHET_DTYPE_COUNT);
    if (close != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "unknown dtype '%.64s', did you mean '%s'?", text,
                            close);
    return whet_err_set(err, WHET_EINVAL,
                        "unknown dtype '%.64s', expected f64, f32, f16, bf16 "
                        "or i32",
                        text);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t whet_task__f16_from_f32(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t half;

    if (magnitude >= 0x477fe000u) { /* 65504 and beyond, infinity, NaN */
        half = 0x7bffu;
    } else if (magnitude >= 0x38800000u) { /* 2^-14: a normal number */
        magnitude -= 112u << 23;
        half = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    } else if (magnitude > 0x33000000u) { /* above 2^-25: subnormal */
        uint32_t shift = 126u - (magnitude >> 23);
        uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        uint32_t rest = mantissa & ((1u << shift) - 1u);
        uint32_t middle = 1u << (shift - 1u);

        half = mantissa >> shift;
        half += rest > middle || (rest == middle && (half & 1u));
    } else {
        half = 0;
    }
    return (uint16_t)(sign | half);
}

uint16_t whet_task__bf16_from_f32(float value)
{
    uint32_t bits = bits_of(value);

    if ((bits & 0x7fffffffu) >= 0x7f7f0000u)
        return (uint16_t)((bits >> 16 & 0x8000u) | 0x7f7fu);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float whet_task__f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t exponent = bits >> 10 & 0x1fu;
    uint32_t mantissa = bits & 0x3ffu;

    if (exponent == 0) {
        float magnitude = (float)mantissa * 0x1p-24f;

        return float_of(sign | bits_of(magnitude));
    }
    if (exponent == 31)
        return float_of(sign | 0x7f800000u | mantissa << 13);
    return float_of(sign | (exponent + 112u) << 23 | mantissa << 13);
}

float whet_task__bf16_to_f32(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

double whet_dtype_load(whet_dtype dtype, const void *element)
{
    double f64;
    float f32;
    int32_t i32;
    uint16_t half;

    switch (dtype) {
    case WHET_DTYPE_F64:
        memcpy(&f64, element, sizeof f64);
        return f64;
    case WHET_DTYPE_F32:
        memcpy(&f32, element, sizeof f32);
        return (double)f32;
    case WHET_DTYPE_F16:
        memcpy(&half, element, sizeof half);
        return (double)whet_task__f16_to_f32(half);
    case WHET_DTYPE_BF16:
        memcpy(&half, element, sizeof half);
        return (double)whet_task__bf16_to_f32(half);
    case WHET_DTYPE_I32:
        memcpy(&i32, element, sizeof i32);
        return (double)i32;
    case WHET_DTYPE_COUNT:
        break;
    }
    assert(!"unknown dtype");
    return 0.0;
}
