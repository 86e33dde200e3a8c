/* Sources without layout: what must stay apart and what must not. */

#include "judge/judge_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *want)
{
    whet_buf out = {0}, whole = {0};

    whet_buf_printf(&whole, "/* plan */%s", text);
    assert_int_equal(whet_judge__failure_text(&out, whole.data, whole.bytes),
                     WHET_OK);
    assert_int_equal(strncmp(whet_buf_str(&out), "/* plan */", 10), 0);
    assert_string_equal(whet_buf_str(&out) + 10, want);
    whet_buf_deinit(&out);
    whet_buf_deinit(&whole);
}

static void test_judge_failure_text__drops_comments_and_blanks(void **state)
{
    (void)state;
    check("int  a /* x */ = 1; // y\n\n  b( a ) ;", "int a=1;b(a);");
    check("/* only */ // this", "");
    check("", "");
    check("a /* never closed", "a");
    check("a/**/b", "a b");
    check("a /*/ x */ b", "a b");
}

static void test_judge_failure_text__keeps_tokens_apart(void **state)
{
    (void)state;
    check("a + +b", "a+ +b");
    check("a++ b", "a++b");
    check("x = y / *p", "x=y/ *p");
    check("a < < b", "a< <b");
    check("1. .x", "1. .x");
}

static void test_judge_failure_text__keeps_directives(void **state)
{
    (void)state;
    check("#define A  1\nint x;\n", "#define A 1\nint x;");
    check("int x;\n  #if A /* c */ + 1\ny\n#endif", "int x;\n#if A + 1\ny\n"
                                                    "#endif");
    check("#define A \\\n 1\nb", "#define A 1\nb");
    check("#define F(x) x", "#define F(x) x");
    check("#define F (x) x", "#define F (x) x");
}

static void test_judge_failure_text__keeps_literals(void **state)
{
    (void)state;
    check("a = \"/* no  comment */\" ;", "a=\"/* no  comment */\";");
    check("a = \"q\\\" // x\" ; // y", "a=\"q\\\" // x\";");
    check("c = ' ' ;", "c=' ';");
    check("\"open\nb  c", "\"openb c");
    check("\"open\\", "\"open\\");
}

static void test_judge_failure_text__keeps_the_plan(void **state)
{
    static const char text[] = " \n/*whet:\nl:\n  - a\n*/\n\n/* x */ int  b;";
    static const char *const other[] = {"", "# whet:\nx", "int a; /* b */"};
    whet_buf out = {0};
    size_t i;

    (void)state;
    assert_int_equal(whet_judge__failure_text(&out, text, sizeof text - 1),
                     WHET_OK);
    assert_string_equal(whet_buf_str(&out), "/*whet:\nl:\n  - a\n*/int b;");
    for (i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_int_equal(
            whet_judge__failure_text(&out, other[i], strlen(other[i])),
            WHET_EUNSUPPORTED);
    whet_buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_failure_text__drops_comments_and_blanks),
        cmocka_unit_test(test_judge_failure_text__keeps_tokens_apart),
        cmocka_unit_test(test_judge_failure_text__keeps_directives),
        cmocka_unit_test(test_judge_failure_text__keeps_literals),
        cmocka_unit_test(test_judge_failure_text__keeps_the_plan),
    };

    return cmocka_run_group_tests_name("judge_failure_text", tests, NULL, NULL);
}
