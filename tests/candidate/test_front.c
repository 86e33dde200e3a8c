/* Finding the front comment, and what makes a file text. */

#include "fixture.h"

#include "candidate/candidate_priv.h"

static whet_status front(whet_buf *out, int *line, const char *text,
                         const char *language, whet_err *err)
{
    return whet_candidate__front(out, line, text, strlen(text), "f",
                                 whet_candidate__language(language), err);
}

static void accept(const char *text, const char *language, const char *yaml,
                   int line)
{
    whet_buf out = {0};
    whet_err err = {0};
    int got_line = 0;

    assert_int_equal(front(&out, &got_line, text, language, &err), WHET_OK);
    assert_string_equal(whet_buf_str(&out), yaml);
    assert_int_equal(got_line, line);
    whet_buf_deinit(&out);
}

static void refuse(const char *text, const char *language, const char *message)
{
    whet_buf out = {0};
    whet_err err = {0};
    int line = 0;

    assert_int_equal(front(&out, &line, text, language, &err), WHET_EINVAL);
    assert_string_equal(err.msg, message);
    whet_buf_deinit(&out);
}

static void test_candidate_front__keeps_lines_and_columns(void **state)
{
    (void)state;
    accept("/* whet:\na: 1\n*/ code", "opencl", "        \na: 1\n", 1);
    accept("\n \t\f\r\n/*\n  whet: {a: 1}*/", "opencl", "        {a: 1}", 4);
    accept("// whet:\n// a: 1\n  //   b\n\n// no\n", "cuda",
           "        \n   a: 1\n       b\n", 1);
    accept("//whet: x", "hip", "        x", 1);
    accept("# whet:\n# a: 1\n#b\nimport triton\n", "triton",
           "       \n  a: 1\n b\n", 1);
    accept("/* whet:\r\na: 1\r\n*/", "other", "        \r\na: 1\r\n", 1);
}

static void test_candidate_front__refuses_files_without_a_plan(void **state)
{
    (void)state;
    refuse("int x;\n/* whet: */", "opencl",
           "f:1:1: no launch plan, expected a comment that starts with '/* "
           "whet:' before anything else");
    refuse("\n# whet:\n", "opencl",
           "f:2:1: no launch plan, expected a comment that starts with '/* "
           "whet:' before anything else");
    refuse("/* whet: */", "triton",
           "f:1:1: no launch plan, expected a comment that starts with '# "
           "whet:' before anything else");
    refuse("/* licence */\n/* whet: */", "opencl",
           "f:1:4: no launch plan, expected 'whet:' at the start of the first "
           "comment");
    refuse("//\n// whet:\n", "opencl",
           "f:1:3: no launch plan, expected 'whet:' at the start of the first "
           "comment");
    refuse("  /* whet:\na: 1\n", "opencl",
           "f:1:3: the front comment does not end, expected '*/'");
    refuse("/* whet:*", "opencl",
           "f:1:1: the front comment does not end, expected '*/'");
}

static whet_status check(const char *text, size_t bytes, const char *language,
                         whet_err *err)
{
    return whet_candidate__check_text(text, bytes, "f",
                                      whet_candidate__language(language), err);
}

static void refuse_text(const char *text, size_t bytes, const char *language,
                        const char *message)
{
    whet_err err = {0};

    assert_int_equal(check(text, bytes, language, &err), WHET_EINVAL);
    assert_string_equal(err.msg, message);
}

static void test_candidate_front__refuses_binary_and_empty_files(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *byte;
    } rows[] = {
        {"ab\ncd\0", 6, "2:3: byte 0x00"},
        {"\x1b[31m", 5, "1:1: byte 0x1b"},
        {"a\x7f", 2, "1:2: byte 0x7f"},
        {"\x80", 1, "1:1: byte 0x80"},
        {"\xc0\x80", 2, "1:1: byte 0xc0"},
        {"\xe0\x80\x80", 3, "1:1: byte 0xe0"},
        {"\xed\xa0\x80", 3, "1:1: byte 0xed"},
        {"\xf4\x90\x80\x80", 4, "1:1: byte 0xf4"},
        {"\xf8\x88\x80\x80\x80", 5, "1:1: byte 0xf8"},
        {"/*\xc3", 3, "1:3: byte 0xc3"},
        {"a\v", 2, "1:2: byte 0x0b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[128];

        snprintf(message, sizeof message,
                 "f:%s: the file is binary, expected UTF-8 text", rows[i].byte);
        refuse_text(rows[i].text, rows[i].bytes, "opencl", message);
    }
    refuse_text("", 0, "opencl",
                "f:1:1: the file is empty, expected a kernel with its launch "
                "plan in a front comment");
    refuse_text(" \n\t\r\f\n", 6, "opencl",
                "f:1:1: the file is empty, expected a kernel with its launch "
                "plan in a front comment");
}

static void
test_candidate_front__allows_non_ascii_in_comments_only(void **state)
{
    static const struct {
        const char *language, *text;
        const char *place; /* NULL = fine */
    } rows[] = {
        {"opencl", "/* \xc3\xa9 */ int x; // \xe2\x82\xac\nint y;", NULL},
        {"opencl", "/* unfinished \xc3\xa9", NULL},
        {"opencl", "int \xc3\xa9;", "1:5: character U+00E9"},
        {"opencl", "\xef\xbb\xbfint x;", "1:1: character U+FEFF"},
        {"opencl", "\"/*\" \xc3\xa9", "1:6: character U+00E9"},
        {"opencl", "\"\xf0\x9f\x98\x80\"", "1:2: character U+1F600"},
        {"opencl", "'\"' /* \xc3\xa9 */", NULL},
        {"opencl", "'\\'' /* \xc3\xa9 */", NULL},
        {"opencl", "\"a\\\\\" /* \xc3\xa9 */", NULL},
        {"opencl", "\"open\n/* \xc3\xa9 */", NULL},
        {"opencl", "\"open\\\n/* \xc3\xa9 */", NULL},
        {"opencl", "/* a */ \n // \" \n \xc3\xa9", "3:2: character U+00E9"},
        {"opencl", "/*/ \xc3\xa9 */ \xc3\xa9", "1:11: character U+00E9"},
        {"opencl", "a / b // \xc3\xa9", NULL},
        {"opencl", "# \xc3\xa9", "1:3: character U+00E9"},
        {"triton", "# \xc3\xa9\nx = 1 # \xc3\xa9", NULL},
        {"triton", "'#' + \"\"\" '\n # \xc3\xa9\"\"\"",
         "2:4: character U+00E9"},
        {"triton", "'''a''' # \xc3\xa9", NULL},
        {"triton", "// \xc3\xa9", "1:4: character U+00E9"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};
        char message[128];
        whet_status st =
            check(rows[i].text, strlen(rows[i].text), rows[i].language, &err);

        if (rows[i].place == NULL) {
            if (st != WHET_OK)
                fail_msg("row %zu: %s", i, err.msg);
            continue;
        }
        snprintf(message, sizeof message,
                 "f:%s outside comments, expected ASCII there", rows[i].place);
        assert_string_equal(err.msg, message);
        assert_int_equal(st, WHET_EINVAL);
    }
}

static void test_candidate_front__reads_awkward_megabytes_at_once(void **state)
{
    static const char *const units[] = {"\"",   "'", "/",  "*",  "\\",
                                        "\"\n", "#", "/*", "'''"};
    const size_t bytes = 1 << 20;
    char *text = malloc(bytes + 8);

    (void)state;
    assert_non_null(text);
    /* Quadratic time would show here as minutes. */
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t unit = strlen(units[i]);

        for (size_t j = 0; j < bytes; j += unit)
            memcpy(text + j, units[i], unit);
        assert_int_equal(check(text, bytes, "opencl", NULL), WHET_OK);
        assert_int_equal(check(text, bytes, "triton", NULL), WHET_OK);
    }
    free(text);
}

static void test_candidate_front__knows_languages_by_ending(void **state)
{
    (void)state;
    assert_string_equal(whet_candidate__ending("a/b.cl")->name, "opencl");
    assert_string_equal(whet_candidate__ending("a.b.wk")->name, "portable");
    assert_string_equal(whet_candidate__ending("x.cu")->name, "cuda");
    assert_string_equal(whet_candidate__ending("x.hip")->name, "hip");
    assert_string_equal(whet_candidate__ending("x.py")->name, "triton");
    assert_null(whet_candidate__ending("x.c"));
    assert_null(whet_candidate__ending("cl"));
    assert_false(whet_candidate__language("unheard")->has_hash_comments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidate_front__keeps_lines_and_columns),
        cmocka_unit_test(test_candidate_front__refuses_files_without_a_plan),
        cmocka_unit_test(test_candidate_front__refuses_binary_and_empty_files),
        cmocka_unit_test(
            test_candidate_front__allows_non_ascii_in_comments_only),
        cmocka_unit_test(test_candidate_front__reads_awkward_megabytes_at_once),
        cmocka_unit_test(test_candidate_front__knows_languages_by_ending),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
