/* JSON from outside, canonical text, checked members. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <math.h>

static void refused(const char *text, size_t bytes)
{
    whet_err err = {0};
    json_t *value = (json_t *)&err;

    assert_int_equal(whet_json_parse(&value, text, bytes, "in.json", &err),
                     WHET_EINVAL);
    assert_null(value);
    assert_memory_equal(err.msg, "in.json:", 8);
    assert_null(strchr(err.msg, '\n'));
}

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    whet_err err = {0};

    assert_int_equal(whet_json_parse(&value, text, strlen(text), "t", &err),
                     WHET_OK);
    return value;
}

static void test_base_json__hostile_documents_are_refused(void **state)
{
    size_t depth = 100000;
    char *deep = malloc(depth);

    (void)state;
    refused("", 0);
    refused(NULL, 0);
    refused("{", 1);
    refused("{\"a\":1,\"a\":2}", 13);
    refused("{} x", 4);
    refused("{}\0", 3);
    refused("\"a\0b\"", 5);
    refused("\"a\\u0000b\"", 10);
    refused("\"\xff\"", 3);
    refused("[1e999]", 7);
    refused("[99999999999999999999]", 22);
    refused("[NaN]", 5);
    refused("\x1b[2J", 4);
    memset(deep, '[', depth);
    refused(deep, depth);
    free(deep);
}

static void test_base_json__error_has_line_and_column(void **state)
{
    const char *text = "{\n  \"a\": ?\n}";
    whet_err err = {0};
    json_t *value;

    (void)state;
    assert_int_equal(
        whet_json_parse(&value, text, strlen(text), "rec.json", &err),
        WHET_EINVAL);
    assert_memory_equal(err.msg, "rec.json:2:", 11);
}

static void test_base_json__canonical_is_stable(void **state)
{
    json_t *a = parsed("{\"b\": [1, 2.5, 0.1], \"a\": {\"y\": null, "
                       "\"x\": \"\xc3\xa9\\n\"}}");
    json_t *b = parsed("{\"a\":{\"x\":\"\\u00e9\\n\",\"y\":null},"
                       "\"b\":[1,2.5,0.1]}");
    char *text_a = whet_json_canonical(a);
    char *text_b = whet_json_canonical(b);

    (void)state;
    assert_string_equal(text_a, "{\"a\":{\"x\":\"\\u00E9\\n\",\"y\":null},"
                                "\"b\":[1,2.5,0.10000000000000001]}");
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
    json_decref(a);
    json_decref(b);
}

static void test_base_json__reals_survive_canonical_text(void **state)
{
    static const double values[] = {
        0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1.0, -2.5e-9};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        json_t *value = whet_json_number(values[i]);
        char *text = whet_json_canonical(value);
        json_t *again = parsed(text);

        assert_true(json_is_real(again));
        assert_true(json_real_value(again) == values[i]);
        json_decref(value);
        json_decref(again);
        free(text);
    }
}

static void test_base_json__pretty_is_indented(void **state)
{
    json_t *value = parsed("{\"b\":1,\"a\":[]}");
    char *text = whet_json_pretty(value);

    (void)state;
    assert_string_equal(text, "{\n  \"b\": 1,\n  \"a\": []\n}");
    free(text);
    json_decref(value);
}

static void test_base_json__members_are_read(void **state)
{
    json_t *value = parsed("{\"s\":\"x\",\"i\":-7,\"r\":2.5,\"t\":true,"
                           "\"l\":[1],\"o\":{}}");
    const char *text;
    json_t *member;
    int64_t i;
    double r;
    bool t;

    (void)state;
    assert_int_equal(whet_json_get_str(&text, value, "s", NULL), WHET_OK);
    assert_string_equal(text, "x");
    assert_int_equal(
        whet_json_get_i64(&i, value, "i", INT64_MIN, INT64_MAX, NULL), WHET_OK);
    assert_int_equal(i, -7);
    assert_int_equal(whet_json_get_f64(&r, value, "r", NULL), WHET_OK);
    assert_true(r == 2.5);
    assert_int_equal(whet_json_get_f64(&r, value, "i", NULL), WHET_OK);
    assert_true(r == -7);
    assert_int_equal(whet_json_get_bool(&t, value, "t", NULL), WHET_OK);
    assert_true(t);
    assert_int_equal(whet_json_get_array(&member, value, "l", NULL), WHET_OK);
    assert_int_equal(json_array_size(member), 1);
    assert_int_equal(whet_json_get_object(&member, value, "o", NULL), WHET_OK);
    assert_true(json_is_object(member));
    json_decref(value);
}

static void names_the_key(whet_status st, whet_err *err, const char *key)
{
    assert_int_equal(st, WHET_EINVAL);
    assert_non_null(strstr(err->msg, key));
    assert_non_null(strstr(err->msg, "expected"));
    err->msg[0] = '\0';
}

static void test_base_json__wrong_members_name_the_key(void **state)
{
    json_t *value = parsed("{\"kk\":null,\"ii\":11,\"rr\":1.0}");
    json_t *list = parsed("[]");
    const char *text = "";
    whet_err err = {0};
    json_t *member = value;
    int64_t i = 1;
    double r = 1;
    bool t = true;

    (void)state;
    names_the_key(whet_json_get_str(&text, value, "kk", &err), &err, "\"kk\"");
    assert_null(text);
    names_the_key(whet_json_get_str(&text, value, "zz", &err), &err,
                  "\"zz\" is missing");
    names_the_key(whet_json_get_str(&text, list, "zz", &err), &err, "an array");
    names_the_key(whet_json_get_str(&text, NULL, "zz", &err), &err, "missing");
    names_the_key(whet_json_get_i64(&i, value, "rr", 0, 9, &err), &err,
                  "a real number");
    names_the_key(whet_json_get_i64(&i, value, "ii", 0, 10, &err), &err,
                  "11, expected 0 to 10");
    names_the_key(whet_json_get_i64(&i, value, "ii", 12, 20, &err), &err,
                  "\"ii\"");
    assert_int_equal(i, 0);
    names_the_key(whet_json_get_f64(&r, value, "kk", &err), &err, "\"kk\"");
    assert_true(r == 0);
    names_the_key(whet_json_get_bool(&t, value, "ii", &err), &err, "\"ii\"");
    assert_false(t);
    names_the_key(whet_json_get_array(&member, value, "ii", &err), &err,
                  "\"ii\"");
    assert_null(member);
    names_the_key(whet_json_get_object(&member, value, "ii", &err), &err,
                  "\"ii\"");
    json_decref(list);
    json_decref(value);
}

static void test_base_json__set_takes_the_reference(void **state)
{
    json_t *object = json_object();
    json_t *value = json_integer(3);

    (void)state;
    json_incref(value);
    assert_true(whet_json_set(object, "n", value));
    assert_false(whet_json_set(object, "n", NULL));
    json_decref(object);
    assert_int_equal(value->refcount, 1);
    json_decref(value);
}

static void test_base_json__unknown_numbers_are_null(void **state)
{
    (void)state;
    assert_true(json_is_null(whet_json_number(NAN)));
    assert_true(json_is_null(whet_json_number(INFINITY)));
}

static void test_base_json__outside_text_is_escaped_and_cut(void **state)
{
    json_t *value = whet_json_outside_text("a\n\0\xff\xc3\xa9", 6, 100);

    (void)state;
    assert_string_equal(json_string_value(value), "a\n\\x00\\xff\xc3\xa9");
    json_decref(value);
    value = whet_json_outside_text("ab\x1b", 3, 5);
    assert_string_equal(json_string_value(value), "ab");
    json_decref(value);
    value = whet_json_outside_text("ab\xc3\xa9", 4, 3);
    assert_string_equal(json_string_value(value), "ab");
    json_decref(value);
    value = whet_json_outside_text(NULL, 0, 5);
    assert_string_equal(json_string_value(value), "");
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_json__hostile_documents_are_refused),
        cmocka_unit_test(test_base_json__error_has_line_and_column),
        cmocka_unit_test(test_base_json__canonical_is_stable),
        cmocka_unit_test(test_base_json__reals_survive_canonical_text),
        cmocka_unit_test(test_base_json__pretty_is_indented),
        cmocka_unit_test(test_base_json__members_are_read),
        cmocka_unit_test(test_base_json__wrong_members_name_the_key),
        cmocka_unit_test(test_base_json__set_takes_the_reference),
        cmocka_unit_test(test_base_json__unknown_numbers_are_null),
        cmocka_unit_test(test_base_json__outside_text_is_escaped_and_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
