/* Documents, what is refused and where, typed scalars, the schema walk. */

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static whet_yaml *parse(const char *text)
{
    whet_yaml *doc = NULL;
    whet_err err = {0};

    if (whet_yaml_parse(&doc, text, strlen(text), "f.yaml", 1, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return doc;
}

static void refuse(const char *text, size_t bytes, const char *want)
{
    whet_yaml *doc = NULL;
    whet_err err = {0};

    assert_int_equal(whet_yaml_parse(&doc, text, bytes, "f.yaml", 1, &err),
                     WHET_EINVAL);
    assert_null(doc);
    if (strstr(err.msg, want) == NULL)
        fail_msg("got '%s', expected '%s'", err.msg, want);
}

static void test_base_yaml__builds_the_tree(void **state)
{
    whet_yaml *doc = parse("a: 1\n"
                           "\"b c\": [x, 'y', {z: 2}]\n"
                           "d:\n"
                           "  - e: 3\n"
                           "  -\n"
                           "[k]: v\n");
    const whet_yaml_node *root = whet_yaml_root(doc);
    const whet_yaml_node *list, *key_node;
    const char *key, *text;

    (void)state;
    assert_int_equal(whet_yaml_kind_of(root), WHET_YAML_MAP);
    assert_int_equal(whet_yaml_count(root), 4);
    list = whet_yaml_entry(doc, root, 1, &key, &key_node);
    assert_string_equal(key, "b c");
    assert_ptr_equal(list, whet_yaml_find(root, "b c"));
    assert_int_equal(whet_yaml_count(list), 3);
    assert_int_equal(whet_yaml_str(&text, doc, whet_yaml_item(list, 1), NULL),
                     WHET_OK);
    assert_string_equal(text, "y");
    assert_int_equal(whet_yaml_kind_of(whet_yaml_item(list, 2)), WHET_YAML_MAP);
    assert_null(whet_yaml_item(list, 3));
    assert_null(whet_yaml_item(root, 0));
    assert_null(whet_yaml_find(list, "x"));
    assert_null(whet_yaml_find(root, "k"));
    assert_non_null(whet_yaml_entry(doc, root, 3, &key, NULL));
    assert_null(key);
    assert_null(whet_yaml_entry(doc, root, 4, &key, &key_node));
    assert_null(key_node);
    list = whet_yaml_find(root, "d");
    assert_int_equal(whet_yaml_str(&text, doc, whet_yaml_item(list, 1), NULL),
                     WHET_EINVAL);
    whet_yaml_free(doc);
}

/* libfyaml 0.7.12 alone gives wrong text for the third and leaks memory on
 * long rows of quotes. */
static void test_base_yaml__decodes_quoted_text(void **state)
{
    static const char *const rows[][2] = {
        {"''", ""},
        {"''''", "'"},
        {"'a''''b'", "a''b"},
        {"''''''''''", "''''"},
        {"'a  \n  b'", "a b"},
        {"'a \r\n\r\n \t \n  b c '", "a\n\nb c "},
        {"'\n a\n '", " a "},
        {"'\xc3\xa9''\xc3\xa9'", "\xc3\xa9'\xc3\xa9"},
        {"\"a'' \\x41\\n\\\n  b\"", "a'' A\nb"},
        {"|\n a\n b\n", "a\nb\n"},
        {">-\n a\n b\n", "a b"},
        {"a''b", "a''b"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_yaml *doc = parse(rows[i][0]);
        const char *text = NULL;

        assert_int_equal(whet_yaml_str(&text, doc, whet_yaml_root(doc), NULL),
                         WHET_OK);
        assert_string_equal(text, rows[i][1]);
        whet_yaml_free(doc);
    }
}

static void test_base_yaml__an_empty_document_has_no_root(void **state)
{
    static const char *const texts[] = {"", "# only a comment\n", "---\n"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        whet_yaml *doc = parse(texts[i]);

        assert_null(whet_yaml_root(doc));
        whet_yaml_free(doc);
    }
    whet_yaml_free(NULL);
}

static void test_base_yaml__refuses_what_is_not_plain_data(void **state)
{
    static const char *const rows[][2] = {
        {"a: &x 1\n", "f.yaml:1:5: anchor"},
        {"a: *x\n", "f.yaml:1:5: alias"},
        {"a: !!str x\n", "f.yaml:1:4: tag"},
        {"a: 1\n--- \nb: 2\n", "f.yaml:2:1: a second document"},
        {"a: 1\nb: 2\na: 3\n",
         "f.yaml:3:1: duplicate key 'a', expected once (first at line 1)"},
        {"x: {a: 1, a: 2}", "f.yaml:1:11: duplicate key 'a'"},
        {"a: \"x\\0y\"", "f.yaml:1:5: NUL byte"},
        {"a: [1, 2\n", "f.yaml:2:1: flow sequence without a closing bracket"},
        {"a:\n  b:\n c: 1\n", "f.yaml:3:2: "},
        {"\ta: 1\n", "f.yaml:1:1: "},
        {"a: b\xc3\x28", "f.yaml:1:5: byte 0xc3, expected UTF-8"},
        {"\xff\xfe", "f.yaml:1:1: byte 0xff, expected UTF-8"},
        {"a: \x1b[31m", "f.yaml:1:4: control character U+001B"},
        {"a: \xe2\x80\xae", "f.yaml:1:4: control character U+202E"},
        {"a: 1\n  ? b\n", "f.yaml:2:3: a key marked by '?'"},
        {"- - ?\n", "f.yaml:1:5: a key marked by '?'"},
        {"{a: 1, ? b: 2}", "f.yaml:1:8: a key marked by '?'"},
        /* The scanner of libfyaml 0.7 crashed in its own clean-up. */
        {"?  \n\n? eb:\t\t?\tb \n\n? eb: \n\n? e ?:\n? e",
         "f.yaml:1:1: a key marked by '?'"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse(rows[i][0], strlen(rows[i][0]), rows[i][1]);
    refuse("a\0b", 3, "f.yaml:1:2: control character U+0000");
}

static void test_base_yaml__takes_question_marks_in_text(void **state)
{
    static const char text[] = "a: why? because\nb: is it ? yes\n?c: x\n"
                               "d: [what?, so]\n";
    whet_yaml *doc = NULL;
    whet_err err = {0};

    (void)state;
    if (whet_yaml_parse(&doc, text, sizeof text - 1, "f.yaml", 1, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    whet_yaml_free(doc);
}

static void test_base_yaml__bounds_size_and_depth(void **state)
{
    size_t big = (1 << 20) + 1, i;
    char *text = malloc(big);

    (void)state;
    assert_non_null(text);
    memset(text, ' ', big);
    refuse(text, big, "expected at most 1048576");
    memset(text, '[', 200000);
    refuse(text, 200000, "f.yaml:1:65: nested too deeply");
    for (i = 0; i < 200; i += 2)
        memcpy(text + i, "- ", 2);
    refuse(text, 200, "nested too deeply");
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    whet_yaml_free(parse(text));
    free(text);
}

static void test_base_yaml__a_large_mapping_is_quick(void **state)
{
    whet_buf text = {0};
    whet_clock clock = whet_clock_system();
    uint64_t start = whet_clock_now(&clock);
    whet_yaml *doc;
    int i;

    (void)state;
    for (i = 0; i < 60000; i++)
        whet_buf_printf(&text, "k%d: 1\n", i);
    doc = parse(whet_buf_str(&text));
    assert_int_equal(whet_yaml_count(whet_yaml_root(doc)), 60000);
    /* A tenth of a second; a quadratic search for duplicates takes minutes. */
    assert_true(whet_clock_now(&clock) - start < 20000000000u);
    whet_yaml_free(doc);
    whet_buf_puts(&text, "k7: 1\n");
    refuse(text.data, text.bytes, "f.yaml:60001:1: duplicate key 'k7'");
    whet_buf_deinit(&text);
}

static void test_base_yaml__counts_lines_from_the_first(void **state)
{
    whet_yaml *doc = NULL;
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_yaml_parse(&doc, "a: 1\nb: *c\n", 11, "k.cl", 40, &err),
        WHET_EINVAL);
    assert_string_equal(err.msg, "k.cl:41:5: alias, expected plain data");
    assert_int_equal(
        whet_yaml_parse(&doc, "a: 1\nb: 2\n", 10, "k.cl", 40, &err), WHET_OK);
    whet_yaml_error(doc, whet_yaml_find(whet_yaml_root(doc), "b"), &err, "x%d",
                    7);
    assert_string_equal(err.msg, "k.cl:41:4: x7");
    whet_yaml_error(doc, NULL, &err, "y");
    assert_string_equal(err.msg, "k.cl:40:1: y");
    assert_int_equal(whet_yaml_error(doc, NULL, NULL, "y"), WHET_EINVAL);
    whet_yaml_free(doc);
}

static void check_i64(const char *text, int64_t want, const char *message)
{
    whet_yaml *doc = parse(text);
    whet_err err = {0};
    int64_t value = 99;
    whet_status st =
        whet_yaml_i64(&value, doc, whet_yaml_root(doc), -10, INT64_MAX, &err);

    assert_int_equal(st, message == NULL ? WHET_OK : WHET_EINVAL);
    assert_int_equal(value, want);
    if (message != NULL && strstr(err.msg, message) == NULL)
        fail_msg("got '%s', expected '%s'", err.msg, message);
    whet_yaml_free(doc);
}

static void test_base_yaml__reads_integers_exactly(void **state)
{
    (void)state;
    check_i64("9223372036854775807", INT64_MAX, NULL);
    check_i64("-10", -10, NULL);
    check_i64("+007", 7, NULL);
    check_i64("9223372036854775808", 0, "out of range, expected -10 to 92233");
    check_i64("-11", 0, "f.yaml:1:1: -11 out of range");
    check_i64("1.0", 0, "'1.0', expected an integer from -10 to");
    check_i64("0x10", 0, "expected an integer");
    check_i64("1e3", 0, "expected an integer");
    check_i64("-", 0, "expected an integer");
    check_i64("'5'", 0, "text in quotes '5', expected an integer");
    check_i64("[5]", 0, "a list, expected an integer");
    check_i64("1 2", 0, "expected an integer");
}

static void test_base_yaml__reads_numbers(void **state)
{
    static const struct {
        const char *text;
        double want;
        bool ok;
    } rows[] = {{"1.5", 1.5, true},  {"-2e-3", -2e-3, true}, {"7", 7, true},
                {".inf", 0, false},  {"inf", 0, false},      {"nan", 0, false},
                {"0x1p3", 0, false}, {"1e999", 0, false},    {"'1'", 0, false},
                {"1.5.2", 0, false}, {"{}", 0, false}};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_yaml *doc = parse(rows[i].text);
        whet_err err = {0};
        double value = 99;

        assert_int_equal(whet_yaml_f64(&value, doc, whet_yaml_root(doc), &err),
                         rows[i].ok ? WHET_OK : WHET_EINVAL);
        assert_true(value == rows[i].want);
        assert_int_equal(err.msg[0] != '\0', !rows[i].ok);
        whet_yaml_free(doc);
    }
}

struct thing {
    const char *name;
    int64_t size;
    char order[8];
    size_t order_count;
};

static whet_status read_name(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *value, whet_err *err)
{
    struct thing *thing = dest;

    thing->order[thing->order_count++] = 'n';
    return whet_yaml_str(&thing->name, doc, value, err);
}

static whet_status read_size(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *value, whet_err *err)
{
    struct thing *thing = dest;

    thing->order[thing->order_count++] = 's';
    if (whet_yaml_kind_of(value) == WHET_YAML_SEQ)
        value = whet_yaml_item(value, 0);
    return whet_yaml_i64(&thing->size, doc, value, 0, 100, err);
}

static const whet_yaml_field fields[] = {
    {"name", WHET_YAML_SCALAR, true, read_name},
    {"size", WHET_YAML_SCALAR | WHET_YAML_SEQ, false, read_size},
};

static void test_base_yaml__walks_by_the_schema(void **state)
{
    whet_yaml *doc = parse("size: [5]\nname: \"\"\n");
    struct thing thing = {0};

    (void)state;
    assert_int_equal(
        whet_yaml_walk(&thing, doc, whet_yaml_root(doc), fields, 2, NULL),
        WHET_OK);
    assert_string_equal(thing.name, "");
    assert_int_equal(thing.size, 5);
    assert_string_equal(thing.order, "ns"); /* the schema's order */
    whet_yaml_free(doc);
}

static void test_base_yaml__walk_says_what_is_wrong_and_where(void **state)
{
    static const char *const rows[][2] = {
        {"", "f.yaml:1:1: nothing, expected a mapping"},
        {"- a", "f.yaml:1:1: a list, expected a mapping"},
        {"size: 1\n", "f.yaml:1:1: key 'name' is missing"},
        {"name: x\nsiz: 1\n",
         "f.yaml:2:1: unknown key 'siz', did you mean 'size'?"},
        {"name: x\nwhatever: 1\n",
         "f.yaml:2:1: unknown key 'whatever', expected one of: name, size"},
        {"name: [x]\n", "f.yaml:1:7: name: a list, expected a single value"},
        {"name: x\nsize: {a: 1}\n",
         "f.yaml:2:7: size: a mapping, expected a single value or a list"},
        {"name: x\nsize: 101\n", "f.yaml:2:7: 101 out of range"},
        {"name:\n", "no value, expected a text"},
        {"[a]: 1\n", "f.yaml:1:1: a list as a key, expected a word"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_yaml *doc = parse(rows[i][0]);
        struct thing thing = {0};
        whet_err err = {0};

        assert_int_equal(
            whet_yaml_walk(&thing, doc, whet_yaml_root(doc), fields, 2, &err),
            WHET_EINVAL);
        if (strstr(err.msg, rows[i][1]) == NULL)
            fail_msg("got '%s', expected '%s'", err.msg, rows[i][1]);
        whet_yaml_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_yaml__builds_the_tree),
        cmocka_unit_test(test_base_yaml__decodes_quoted_text),
        cmocka_unit_test(test_base_yaml__an_empty_document_has_no_root),
        cmocka_unit_test(test_base_yaml__refuses_what_is_not_plain_data),
        cmocka_unit_test(test_base_yaml__takes_question_marks_in_text),
        cmocka_unit_test(test_base_yaml__bounds_size_and_depth),
        cmocka_unit_test(test_base_yaml__a_large_mapping_is_quick),
        cmocka_unit_test(test_base_yaml__counts_lines_from_the_first),
        cmocka_unit_test(test_base_yaml__reads_integers_exactly),
        cmocka_unit_test(test_base_yaml__reads_numbers),
        cmocka_unit_test(test_base_yaml__walks_by_the_schema),
        cmocka_unit_test(test_base_yaml__walk_says_what_is_wrong_and_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
