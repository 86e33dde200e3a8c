/* Command lines of workers under a tool. */

#include "judge/judge_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_judge_worker_under__adds_the_worker_to_the_words(void **state)
{
    char **argv = NULL;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_judge__under_argv(&argv, "  sh  -c   'x ", &err),
                     WHET_OK);
    assert_non_null(strstr(argv[0], "/sh"));
    assert_string_equal(argv[1], "-c");
    assert_string_equal(argv[2], "'x");
    assert_non_null(strstr(argv[3], "test_worker_under"));
    assert_string_equal(argv[4], "__worker");
    assert_null(argv[5]);
    whet_judge__worker_env_free(argv);
}

static void test_judge_worker_under__refuses_what_is_no_command(void **state)
{
    char long_text[300], **argv = NULL;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_judge__under_argv(&argv, "   ", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "--under"));
    assert_int_equal(whet_judge__under_argv(&argv, "no-such-tool-x", &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no-such-tool-x"));
    memset(long_text, 'a', sizeof long_text);
    for (size_t i = 1; i < sizeof long_text; i += 2)
        long_text[i] = ' ';
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(whet_judge__under_argv(&argv, long_text, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "32"));
    assert_null(argv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_worker_under__adds_the_worker_to_the_words),
        cmocka_unit_test(test_judge_worker_under__refuses_what_is_no_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
