/* Checked access to JSON. Documents come from workers, models and files that
 * a user passed on, so every member is checked for presence, type and range,
 * and messages name the member. */

#include "base/json.h"

#include "base/text_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

whet_status whet_json_parse(json_t **out, const char *text, size_t bytes,
                            const char *where, whet_err *err)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    json_error_t error;

    *out = json_loadb(bytes == 0 ? "" : text, bytes, flags, &error);
    if (*out != NULL)
        return WHET_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    return whet_err_set(err, WHET_EINVAL, "%s:%d:%d: %s", where,
                        error.line > 0 ? error.line : 1,
                        error.column > 0 ? error.column : 1, error.text);
}

char *whet_json_canonical(const json_t *value)
{
    return json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY |
                                 JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
}

char *whet_json_pretty(const json_t *value)
{
    return json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY |
                                 JSON_REAL_PRECISION(17));
}

static const char *type_name(const json_t *value)
{
    if (value == NULL)
        return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a real number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

static whet_status wrong_type(const json_t *object, const char *key,
                              const char *expected, whet_err *err)
{
    if (!json_is_object(object))
        return whet_err_set(err, WHET_EINVAL,
                            "value is %s, expected an object with \"%s\"",
                            type_name(object), key);
    return whet_err_set(err, WHET_EINVAL, "member \"%s\" is %s, expected %s",
                        key, type_name(json_object_get(object, key)), expected);
}

whet_status whet_json_get_str(const char **out, const json_t *object,
                              const char *key, whet_err *err)
{
    const json_t *member = json_object_get(object, key);

    *out = NULL;
    if (!json_is_string(member))
        return wrong_type(object, key, "a string", err);
    /* A value made by code may hold a NUL that would hide its tail. */
    if (strlen(json_string_value(member)) != json_string_length(member))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"%s\" holds a NUL, expected text", key);
    *out = json_string_value(member);
    return WHET_OK;
}

whet_status whet_json_get_i64(int64_t *out, const json_t *object,
                              const char *key, int64_t min, int64_t max,
                              whet_err *err)
{
    const json_t *member = json_object_get(object, key);
    int64_t value;

    *out = 0;
    if (!json_is_integer(member))
        return wrong_type(object, key, "an integer", err);
    value = json_integer_value(member);
    if (value < min || value > max)
        return whet_err_set(err, WHET_EINVAL,
                            "member \"%s\" is %" PRId64 ", expected %" PRId64
                            " to %" PRId64,
                            key, value, min, max);
    *out = value;
    return WHET_OK;
}

whet_status whet_json_get_f64(double *out, const json_t *object,
                              const char *key, whet_err *err)
{
    const json_t *member = json_object_get(object, key);

    *out = 0;
    if (!json_is_number(member) || !isfinite(json_number_value(member)))
        return wrong_type(object, key, "a finite number", err);
    *out = json_number_value(member);
    return WHET_OK;
}

whet_status whet_json_get_bool(bool *out, const json_t *object, const char *key,
                               whet_err *err)
{
    const json_t *member = json_object_get(object, key);

    *out = false;
    if (!json_is_boolean(member))
        return wrong_type(object, key, "a boolean", err);
    *out = json_is_true(member);
    return WHET_OK;
}

whet_status whet_json_get_array(json_t **out, const json_t *object,
                                const char *key, whet_err *err)
{
    json_t *member = json_object_get(object, key);

    *out = NULL;
    if (!json_is_array(member))
        return wrong_type(object, key, "an array", err);
    *out = member;
    return WHET_OK;
}

whet_status whet_json_get_object(json_t **out, const json_t *object,
                                 const char *key, whet_err *err)
{
    json_t *member = json_object_get(object, key);

    *out = NULL;
    if (!json_is_object(member))
        return wrong_type(object, key, "an object", err);
    *out = member;
    return WHET_OK;
}

bool whet_json_set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

json_t *whet_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *whet_json_outside_text(const char *text, size_t bytes, size_t max_bytes)
{
    whet_buf buf = {0};
    json_t *value = NULL;

    whet_base__escape_max(&buf, text, bytes, true, max_bytes);
    if (!buf.failed)
        value = json_stringn(whet_buf_str(&buf), buf.bytes);
    whet_buf_deinit(&buf);
    return value;
}
