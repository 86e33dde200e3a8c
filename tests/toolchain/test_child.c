/* Children that are this program again. No driver and no sandbox needed. */

#include "toolchain/toolchain_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

static const char *const test_env[] = {"HOME=/tmp", "CACHE=/tmp/cache",
                                       "OTHER=/tmpfile", "PATH=/usr/bin", NULL};

/* Body of the child: prints what it was given. */
static int show(int argc, char **argv)
{
    char input[16] = "";
    struct stat info;
    int i;

    for (i = 0; i < argc; i++)
        printf("word %s\n", argv[i]);
    for (i = 0; environ[i] != NULL; i++)
        printf("env %s\n", environ[i]);
    if (stat(getenv("HOME"), &info) == 0)
        printf("home mode %o\n", (unsigned)info.st_mode & 0777);
    printf("input %s\n", fgets(input, sizeof input, stdin));
    return 5;
}

static void run(whet_process_result *result, const char *const *words)
{
    const whet_toolchain_run run = {.words = words,
                                    .env = test_env,
                                    .stdin_data = "hello",
                                    .stdin_bytes = 5,
                                    .stdout_max_bytes = 1 << 16,
                                    .timeout_ns = 20000000000u};
    whet_err err = {0};

    if (whet_toolchain__run(result, &run, &err) != WHET_OK)
        fail_msg("%s", err.msg);
}

static void
test_toolchain_child__gets_words_input_and_only_its_env(void **state)
{
    static const char *const words[] = {"show", "one", "two words", NULL};
    whet_process_result result;
    const char *out;

    (void)state;
    setenv("WHET_SECRET", "not for children", 1);
    run(&result, words);
    unsetenv("WHET_SECRET");
    assert_int_equal(result.kind, WHET_EXIT_CODE);
    assert_int_equal(result.code, 5);
    out = whet_buf_str(&result.out);
    assert_non_null(strstr(out, "word one\nword two words\n"));
    assert_non_null(strstr(out, "input hello\n"));
    assert_non_null(strstr(out, "env PATH=/usr/bin\n"));
    assert_null(strstr(out, "WHET_SECRET"));
    whet_process_result_deinit(&result);
}

/* /tmp is shared: outside a sandbox a private folder takes its place, and is
 * gone afterwards. */
static void test_toolchain_child__replaces_tmp_by_private_folder(void **state)
{
    static const char *const words[] = {"show", NULL};
    whet_process_result result;
    char home[256] = "";
    char expect[320];
    const char *out, *found;

    (void)state;
    run(&result, words);
    out = whet_buf_str(&result.out);
    found = strstr(out, "env HOME=");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "env HOME=%255s", home), 1);
    assert_string_not_equal(home, "/tmp");
    snprintf(expect, sizeof expect, "env CACHE=%s/cache\n", home);
    assert_non_null(strstr(out, expect));
    assert_non_null(strstr(out, "env OTHER=/tmpfile\n"));
    assert_non_null(strstr(out, "home mode 700\n"));
    assert_false(whet_fs_exists(home));
    whet_process_result_deinit(&result);
}

/* A program whose main does not know the word would start itself for ever. */
static void test_toolchain_child__refuses_to_start_another(void **state)
{
    static const char *const words[] = {"show", NULL};
    const whet_toolchain_run again = {.words = words, .env = test_env};
    whet_process_result result = {0};
    whet_err err = {0};

    (void)state;
    setenv("WHET_BUILD_CHILD", "1", 1);
    assert_int_equal(whet_toolchain__run(&result, &again, &err), WHET_EFAIL);
    unsetenv("WHET_BUILD_CHILD");
    assert_non_null(strstr(err.msg, "whet_toolchain_child"));
}

static void test_toolchain_child__refuses_too_many_words(void **state)
{
    static const char *const words[] = {"1",  "2",  "3",  "4",  "5",  "6",
                                        "7",  "8",  "9",  "10", "11", "12",
                                        "13", "14", "15", "16", NULL};
    const whet_toolchain_run many = {.words = words, .env = test_env};
    whet_process_result result = {0};
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_toolchain__run(&result, &many, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "words"));
}

static void test_toolchain_child__knows_its_own_command_line(void **state)
{
    char program[] = "whet", build[] = "__build", none[] = "nonesuch";
    char opencl[] = "opencl", judge[] = "judge";
    char *plain[] = {program, judge, NULL};
    char *unknown[] = {program, build, none, NULL};
    char *useless[] = {program, build, opencl, NULL};
    int status = 99;
    int kept = dup(STDERR_FILENO);

    (void)state;
    assert_true(kept >= 0 && freopen("/dev/null", "w", stderr) != NULL);
    assert_false(whet_toolchain_child(&status, 1, plain));
    assert_false(whet_toolchain_child(&status, 2, plain));
    assert_int_equal(status, 99);
    assert_true(whet_toolchain_child(&status, 3, unknown));
    assert_int_equal(status, 2);
    status = 99;
    assert_true(whet_toolchain_child(&status, 2, unknown));
    assert_int_equal(status, 2);
    status = 99;
    assert_true(whet_toolchain_child(&status, 3, useless));
    assert_int_equal(status, 2);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
}

static void test_toolchain_child__first_line_is_escaped_and_cut(void **state)
{
    whet_buf output = {0};
    char text[16];

    (void)state;
    whet_toolchain__first_line(text, sizeof text, &output);
    assert_string_equal(text, "");
    whet_buf_puts(&output, "a\x1b"
                           "b\nsecond");
    whet_toolchain__first_line(text, sizeof text, &output);
    assert_string_equal(text, "a\\x1bb");
    whet_buf_deinit(&output);
    whet_buf_puts(&output, "0123456789abcdefghij");
    whet_toolchain__first_line(text, sizeof text, &output);
    assert_string_equal(text, "0123456789abcde");
    whet_buf_deinit(&output);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_toolchain_child__gets_words_input_and_only_its_env),
        cmocka_unit_test(test_toolchain_child__replaces_tmp_by_private_folder),
        cmocka_unit_test(test_toolchain_child__refuses_to_start_another),
        cmocka_unit_test(test_toolchain_child__refuses_too_many_words),
        cmocka_unit_test(test_toolchain_child__knows_its_own_command_line),
        cmocka_unit_test(test_toolchain_child__first_line_is_escaped_and_cut),
    };

    if (argc > 2 && strcmp(argv[1], "__build") == 0 &&
        strcmp(argv[2], "show") == 0)
        return show(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
