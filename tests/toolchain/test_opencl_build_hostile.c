/* What the parent makes of a build child that is in a candidate's hands. This
 * program stands in for the child: it says what the last line of the source
 * asks for. Needs neither driver nor sandbox. */

#include "toolchain/toolchain_priv.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const no_words[] = {NULL};

/* --- the stand-in -------------------------------------------------------- */

static void say(const char *text)
{
    fwrite(text, 1, strlen(text), stdout);
    fflush(stdout);
}

static void say_image(bool is_honest)
{
    whet_image image = {.bytes = (char[]){"code"}, .byte_count = 4};
    whet_buf encoded = {0};

    image.hash = whet_hash_bytes(is_honest ? "code" : "cods", 4);
    whet_image_encode(&encoded, &image);
    fwrite(encoded.data, 1, encoded.bytes, stdout);
    fflush(stdout);
}

static void say_too_much(void)
{
    char *block = calloc(1, 1 << 20);
    int i;

    for (i = 0; i < 67; i++)
        fwrite(block, 1, 1 << 20, stdout);
    fflush(stdout);
}

static int stand_in(void)
{
    char *job = calloc(1, 1 << 20);
    size_t bytes = fread(job, 1, (1 << 20) - 1, stdin);
    const char *what =
        bytes > 0 ? strrchr(job + sizeof(whet_opencl__job), '\n') : NULL;

    if (what == NULL)
        return 9;
    what++;
    if (strcmp(what, "sleep-at-start") == 0)
        sleep(60);
    if (strcmp(what, "nothing") == 0)
        return 0;
    if (strcmp(what, "unusable") == 0) {
        fprintf(stderr, "no driver \x1b[31mhere\nsecond line\n");
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    }
    say("R");
    if (strcmp(what, "ready") == 0)
        return 0;
    if (strcmp(what, "late-unusable") == 0)
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(what, "sleep") == 0)
        sleep(60);
    if (strcmp(what, "much") == 0)
        say_too_much();
    if (strcmp(what, "unknown") == 0)
        say("Zsomething");
    if (strcmp(what, "garbage") == 0)
        say("Ithis is no image");
    if (strcmp(what, "refuse") == 0)
        say("Eerror: candidate:3:4: \x1b[31mno\x07");
    if (strcmp(what, "limit") == 0)
        say("Ltoo many kernels");
    if (strcmp(what, "lie") == 0 || strcmp(what, "honest") == 0) {
        say("I");
        say_image(strcmp(what, "honest") == 0);
    }
    if (strcmp(what, "image-and-exit-1") == 0) {
        say("I");
        say_image(true);
        return 1;
    }
    return 0;
}

/* --- the parent's side --------------------------------------------------- */

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const char *source, whet_err *err)
{
    uint64_t timeout_ns =
        strstr(source, "sleep") != NULL ? 1000000000u : 60000000000u;
    const whet_build_request request = {.source = source,
                                        .source_bytes = strlen(source),
                                        .language = "opencl",
                                        .defines = no_words,
                                        .options = no_words,
                                        .arch = "any",
                                        .timeout_ns = timeout_ns,
                                        .is_unsafe = true};

    return whet_toolchain_opencl.build(image, diagnostic, &request, err);
}

static void expect(const char *source, whet_diagnostic_kind kind,
                   const char *word)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};
    size_t i;

    if (build(&image, diagnostic, source, &err) != WHET_OK)
        fail_msg("%s: %s", source, err.msg);
    if (diagnostic->kind != kind || strstr(diagnostic->text, word) == NULL)
        fail_msg("%s: kind %d: %s", source, (int)diagnostic->kind,
                 diagnostic->text);
    for (i = 0; diagnostic->text[i] != '\0'; i++)
        assert_true(diagnostic->text[i] >= ' ' && diagnostic->text[i] <= '~');
    assert_null(image.bytes);
    free(diagnostic);
}

static void test_toolchain_opencl_build_hostile__takes_an_image(void **state)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};

    (void)state;
    if (build(&image, diagnostic, "honest", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(diagnostic->text, "");
    assert_int_equal(image.byte_count, 4);
    assert_memory_equal(image.bytes, "code", 4);
    whet_image_deinit(&image);
    free(diagnostic);
}

static void
test_toolchain_opencl_build_hostile__believes_no_nonsense(void **state)
{
    (void)state;
    expect("ready", WHET_DIAGNOSTIC_CRASH, "died: exit status 0");
    expect("unknown", WHET_DIAGNOSTIC_CRASH, "malformed");
    expect("garbage", WHET_DIAGNOSTIC_CRASH, "not an image");
    expect("lie", WHET_DIAGNOSTIC_CRASH, "digest");
    expect("image-and-exit-1", WHET_DIAGNOSTIC_CRASH, "exit status 1");
    expect("kill", WHET_DIAGNOSTIC_CRASH, "signal 9");
}

static void test_toolchain_opencl_build_hostile__keeps_its_bounds(void **state)
{
    (void)state;
    expect("much", WHET_DIAGNOSTIC_LIMIT, "more than the largest image");
    expect("limit", WHET_DIAGNOSTIC_LIMIT, "too many kernels");
    expect("refuse", WHET_DIAGNOSTIC_ERROR, "no");
}

static void test_toolchain_opencl_build_hostile__ends_a_sleeper(void **state)
{
    (void)state;
    expect("sleep", WHET_DIAGNOSTIC_TIMEOUT, "deadline");
}

/* Only before the child has seen the source may it blame the machine: a
 * candidate that could would stop a whole search. */
static void
test_toolchain_opencl_build_hostile__blames_machine_only_at_start(void **state)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};

    (void)state;
    assert_int_equal(build(&image, diagnostic, "unusable", &err),
                     WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "no driver \\x1b[31mhere");
    assert_int_equal(build(&image, diagnostic, "nothing", &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "cannot start"));
    assert_int_equal(build(&image, diagnostic, "sleep-at-start", &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "cannot start"));
    assert_null(image.bytes);
    expect("late-unusable", WHET_DIAGNOSTIC_CRASH, "exit status 3");
    free(diagnostic);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_opencl_build_hostile__takes_an_image),
        cmocka_unit_test(
            test_toolchain_opencl_build_hostile__believes_no_nonsense),
        cmocka_unit_test(test_toolchain_opencl_build_hostile__keeps_its_bounds),
        cmocka_unit_test(test_toolchain_opencl_build_hostile__ends_a_sleeper),
        cmocka_unit_test(
            test_toolchain_opencl_build_hostile__blames_machine_only_at_start),
    };

    if (argc > 1 && strcmp(argv[1], "__build") == 0)
        _exit(stand_in()); /* as it is, like a process that was taken over */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
