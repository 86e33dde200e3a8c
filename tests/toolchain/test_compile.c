/* What is made of compilers that hang, die, lie or write nonsense, with a
 * fake dcc: a script whose folder holds what it does. And of a build child in
 * a candidate's hands, for which this program stands in. No sandbox needed. */

#include "toolchain/compilers_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const none[] = {NULL};

static const char dcc_script[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "if [ \"$1\" = --version ]; then . \"$here/version\"; exit; fi\n"
    ". \"$here/build\"\n";

struct fake {
    char *dir;
};

static char *in_dir(const struct fake *fake, const char *name)
{
    return whet_fs_join(fake->dir, name);
}

static void put(const struct fake *fake, const char *name, const void *data,
                size_t bytes)
{
    char *path = in_dir(fake, name);

    assert_int_equal(whet_fs_write(path, data, bytes, NULL), WHET_OK);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

static void put_text(const struct fake *fake, const char *name,
                     const char *text)
{
    put(fake, name, text, strlen(text));
}

static void put_image(const struct fake *fake, const char *from)
{
    whet_buf data = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/images/%s", getenv("WHET_TEST_DATA"), from);
    assert_int_equal(whet_fs_read(&data, path, 1 << 20, NULL), WHET_OK);
    put(fake, "image", data.data, data.bytes);
    whet_buf_deinit(&data);
}

static int begin(void **state)
{
    struct fake *fake = calloc(1, sizeof *fake);
    char *dcc;

    assert_int_equal(whet_fs_tempdir(&fake->dir, "whet-test", NULL), WHET_OK);
    put_text(fake, "dcc", dcc_script);
    put_text(fake, "version", "echo 'dcc version 25.10 (fake)'\n");
    put_image(fake, "gfx906.hsaco");
    dcc = in_dir(fake, "dcc");
    setenv("WHET_HIP_COMPILER", dcc, 1);
    free(dcc);
    *state = fake;
    return 0;
}

static int end(void **state)
{
    struct fake *fake = *state;

    unsetenv("WHET_HIP_COMPILER");
    whet_fs_remove_tree(fake->dir);
    free(fake->dir);
    free(fake);
    return 0;
}

static whet_build_request request_of(const struct fake *fake,
                                     const char *script)
{
    put_text(fake, "build", script);
    return (whet_build_request){.source = "the source\n",
                                .source_bytes = 11,
                                .language = "hip",
                                .defines = none,
                                .options = none,
                                .arch = "gfx928:sramecc+:xnack-",
                                .timeout_ns = strstr(script, "sleep") != NULL
                                                  ? 1000000000u
                                                  : 60000000000u,
                                .is_unsafe = true};
}

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const struct fake *fake, const char *script,
                         whet_err *err)
{
    const whet_build_request request = request_of(fake, script);

    return whet_toolchain_hip.build(image, diagnostic, &request, err);
}

static void expect(const struct fake *fake, const char *script,
                   whet_diagnostic_kind kind, uint32_t line, const char *word)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};

    if (build(&image, diagnostic, fake, script, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != kind || diagnostic->line != line ||
        strstr(diagnostic->text, word) == NULL)
        fail_msg("kind %d line %u: %s; expected kind %d line %u: %s",
                 (int)diagnostic->kind, diagnostic->line, diagnostic->text,
                 (int)kind, line, word);
    if (kind != WHET_DIAGNOSTIC_NONE) {
        assert_null(image.bytes);
        assert_int_equal(image.kernel_count, 0);
    }
    whet_image_deinit(&image);
    free(diagnostic);
}

#define COPY "cp \"$here/image\" candidate.hsaco\n"

/* The whole command as it reaches the program, and both files beside it. */
static void test_toolchain_compile__hands_over_words_and_files(void **state)
{
    put_text(*state, "expected",
             "-x\nhip\n--cuda-gpu-arch=gfx928\n-O3\n-std=c++17\n-c\n"
             "--cuda-device-only\n--no-gpu-bundle-output\n"
             "-Rpass-analysis=kernel-resource-usage\n-include\n"
             "hip/hip_runtime.h\n-include\nwhet_dialect.h\n-o\n"
             "candidate.hsaco\ncandidate.hip\n");
    expect(*state,
           "printf '%s\\n' \"$@\" | cmp -s - \"$here/expected\" || {\n"
           "    echo 'error: other words'; exit 1; }\n"
           "grep -q '^#define WHET_KERNEL' whet_dialect.h || {\n"
           "    echo 'error: no header'; exit 1; }\n"
           "[ \"$(cat candidate.hip)\" = 'the source' ] || {\n"
           "    echo 'error: other source'; exit 1; }\n" COPY,
           WHET_DIAGNOSTIC_NONE, 0, "");
    put_text(*state, "expected", "-x\n");
    expect(*state,
           "printf '%s\\n' \"$@\" | cmp -s - \"$here/expected\" || {\n"
           "    echo 'error: other words'; exit 1; }\n" COPY,
           WHET_DIAGNOSTIC_ERROR, 0, "other words");
}

/* What reaches the program when relaxed maths and OpenMP are asked for; each
 * alone, and neither, are not these words. */
static void test_toolchain_compile__hands_over_what_is_asked_for(void **state)
{
    static const char script[] =
        "printf '%s\\n' \"$@\" | cmp -s - \"$here/expected\" || {\n"
        "    echo 'error: other words'; exit 1; }\n" COPY;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_build_request request = request_of(*state, script);
    unsigned asked;

    put_text(*state, "expected",
             "-x\nhip\n--cuda-gpu-arch=gfx928\n-O3\n-ffast-math\n-Xclang\n"
             "-fopenmp\n-fno-finite-math-only\n-std=c++17\n-c\n"
             "--cuda-device-only\n--no-gpu-bundle-output\n"
             "-Rpass-analysis=kernel-resource-usage\n-include\n"
             "hip/hip_runtime.h\n-include\nwhet_dialect.h\n-o\n"
             "candidate.hsaco\ncandidate.hip\n");
    for (asked = 0; asked < 4; asked++) {
        whet_image image = {0};
        whet_err err = {0};

        request.options = whet_toolchain_hip.options((asked & 1) != 0);
        request.has_openmp = (asked & 2) != 0;
        if (whet_toolchain_hip.build(&image, diagnostic, &request, &err) !=
            WHET_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(diagnostic->kind, asked == 3 ? WHET_DIAGNOSTIC_NONE
                                                      : WHET_DIAGNOSTIC_ERROR);
        assert_int_equal(image.bytes != NULL, asked == 3);
        whet_image_deinit(&image);
    }
    free(diagnostic);
}

static void test_toolchain_compile__reads_image_and_log(void **state)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};

    assert_int_equal(build(&image, diagnostic, *state, COPY, &err), WHET_OK);
    assert_true(image.kernel_count > 0);
    assert_true(image.kernels[0].register_count > 0);
    assert_int_equal(image.kernels[0].wave_size, 64);
    whet_image_deinit(&image);
    free(diagnostic);
}

static bool is_alive(pid_t pid)
{
    int tries;

    for (tries = 0; tries < 200; tries++) {
        char path[64];
        whet_buf text = {0};
        bool gone;

        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        gone = whet_fs_read(&text, path, 4096, NULL) != WHET_OK ||
               strstr(whet_buf_str(&text), ") Z") != NULL;
        whet_buf_deinit(&text);
        if (gone)
            return false;
        usleep(10000);
    }
    return true;
}

/* Buggy result: what the compiler had started would go on. */
static void test_toolchain_compile__kills_the_group_at_deadline(void **state)
{
    const struct fake *fake = *state;
    char *path = in_dir(fake, "pid");
    whet_buf text = {0};
    pid_t pid;

    expect(fake, "sleep 60 &\necho $! > \"$here/pid\"\nsleep 60\n",
           WHET_DIAGNOSTIC_TIMEOUT, 0, "outran its deadline");
    assert_int_equal(whet_fs_read(&text, path, 64, NULL), WHET_OK);
    pid = (pid_t)atol(whet_buf_str(&text));
    assert_true(pid > 1);
    assert_false(is_alive(pid));
    whet_buf_deinit(&text);
    free(path);
}

static void test_toolchain_compile__bounds_what_is_written(void **state)
{
    expect(*state, "head -c 30000000 /dev/zero >&2; exit 1\n",
           WHET_DIAGNOSTIC_ERROR, 0, "\\x00");
    expect(*state, "yes error: far too much | head -n 2000000; exit 1\n",
           WHET_DIAGNOSTIC_ERROR, 0, "far too much");
    expect(*state, "truncate -s 68000000 candidate.hsaco\n",
           WHET_DIAGNOSTIC_LIMIT, 0, "more than the largest image");
}

static void test_toolchain_compile__wants_an_image(void **state)
{
    expect(*state, "exit 0\n", WHET_DIAGNOSTIC_CRASH, 0, "wrote nothing");
    expect(*state, ": > candidate.hsaco\n", WHET_DIAGNOSTIC_CRASH, 0,
           "wrote nothing");
    expect(*state, "ln -s /etc/passwd candidate.hsaco\n", WHET_DIAGNOSTIC_CRASH,
           0, "wrote nothing");
    expect(*state, "mkfifo candidate.hsaco\n", WHET_DIAGNOSTIC_CRASH, 0,
           "wrote nothing");
    expect(*state, "echo text > candidate.hsaco\n", WHET_DIAGNOSTIC_CRASH, 0,
           "no machine code");
    expect(*state, "head -c 300 \"$here/image\" > candidate.hsaco\n",
           WHET_DIAGNOSTIC_CRASH, 0, "");
    put_image(*state, "sm_90a.cubin");
    expect(*state, COPY, WHET_DIAGNOSTIC_CRASH, 0, "expected ELF for machine");
}

static void test_toolchain_compile__tells_how_it_died(void **state)
{
    expect(*state, "echo last words >&2; kill -SEGV $$\n",
           WHET_DIAGNOSTIC_CRASH, 0, "signal 11");
    expect(*state, "echo last words >&2; kill -SEGV $$\n",
           WHET_DIAGNOSTIC_CRASH, 0, "last words");
    expect(*state,
           "echo 'clang: error: unable to execute command: Segmentation "
           "fault'; exit 254\n",
           WHET_DIAGNOSTIC_CRASH, 0, "exit status 254");
    expect(*state, "kill -KILL $$\n", WHET_DIAGNOSTIC_CRASH, 0, "signal 9");
}

static void test_toolchain_compile__escapes_what_it_says(void **state)
{
    expect(*state,
           "printf 'candidate.hip:3:9: error: \\033[31mred\\007\\n'; exit 1\n",
           WHET_DIAGNOSTIC_ERROR, 3, "\\x1b[31mred\\x07");
    expect(*state, "exit 3\n", WHET_DIAGNOSTIC_ERROR, 0, "gave no reason");
}

/* Our bundle's library paths, and whatever else is around, stay outside. */
static void test_toolchain_compile__clears_the_environment(void **state)
{
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    setenv("SECRET_TOKEN", "secret", 1);
    setenv("DTK_ROOT", "/nowhere/dtk", 1);
    expect(
        *state,
        "[ -z \"$LD_LIBRARY_PATH$SECRET_TOKEN\" ] || {\n"
        "    echo error: leaked; exit 1; }\n"
        "[ \"$DTK_ROOT\" = /nowhere/dtk ] || {\n"
        "    echo error: not passed; exit 1; }\n"
        "case $TMPDIR in /tmp|/tmp/) echo error: shared; exit 1;; esac\n"
        "[ \"$(pwd)\" = \"$TMPDIR\" ] || { echo error: elsewhere; exit 1; }\n"
        "[ \"$(cat | wc -c)\" = 0 ] || { echo error: input; exit 1; }\n" COPY,
        WHET_DIAGNOSTIC_NONE, 0, "");
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("SECRET_TOKEN");
    unsetenv("DTK_ROOT");
}

static void test_toolchain_compile__tells_what_cannot_run(void **state)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};

    put_text(*state, "dcc", "#!/nowhere/sh\n");
    expect(*state, "exit 0\n", WHET_DIAGNOSTIC_ERROR, 0, "cannot be run");
    setenv("WHET_HIP_COMPILER", "/nowhere/dcc", 1);
    assert_int_equal(build(&image, diagnostic, *state, "", &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "/nowhere/dcc"));
    free(diagnostic);
}

/* --- listings ------------------------------------------------------------ */

/* No disassembler takes this image, so the compiler is asked for text. */
static void test_toolchain_compile__lists_by_a_second_compilation(void **state)
{
    char bytes[] = "no image";
    const whet_image image = {.bytes = bytes, .byte_count = sizeof bytes};
    const whet_build_request request = {.source = "the source\n",
                                        .source_bytes = 11,
                                        .language = "hip",
                                        .defines = none,
                                        .options = none,
                                        .arch = "gfx906",
                                        .timeout_ns = 60000000000u,
                                        .is_unsafe = true};
    whet_buf text = {0};
    whet_err err = {0};

    put_text(*state, "build",
             "case \" $* \" in *' -S '*) echo 's_endpgm' > candidate.hsaco;;\n"
             "*) echo error: not asked for text; exit 1;; esac\n");
    if (whet_toolchain_hip.listing(&text, &image, &request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(whet_buf_str(&text), "s_endpgm\n");
    put_text(*state, "build", "truncate -s 17000000 candidate.hsaco\n");
    assert_int_equal(whet_toolchain_hip.listing(&text, &image, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "more than"));
    put_text(*state, "build", "echo error: planted; exit 1\n");
    assert_int_equal(whet_toolchain_hip.listing(&text, &image, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "planted"));
    whet_buf_deinit(&text);
}

/* --- identity ------------------------------------------------------------ */

static void test_toolchain_compile__identity_follows_the_compiler(void **state)
{
    char first[256], again[256], other[256];
    whet_err err = {0};

    if (whet_toolchain_hip.identify(first, 0, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_non_null(strstr(first, "dialect "));
    assert_non_null(strstr(first, "dcc: dcc version 25.10 (fake)"));
    assert_int_equal(whet_toolchain_hip.identify(again, 0, &err), WHET_OK);
    assert_string_equal(first, again);
    put_text(*state, "version",
             "echo 'dcc version 25.10 (fake)'; echo 'build 2'\n");
    assert_int_equal(whet_toolchain_hip.identify(other, 0, &err), WHET_OK);
    assert_string_not_equal(first, other);
}

static void test_toolchain_compile__identity_is_harmless_text(void **state)
{
    char text[256];
    whet_err err = {0};
    size_t i;

    put_text(*state, "version",
             "printf 'version \\033[31m'; head -c 100000 /dev/zero |"
             " tr '\\0' x\n");
    if (whet_toolchain_hip.identify(text, 0, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    for (i = 0; text[i] != '\0'; i++)
        assert_true(text[i] >= ' ' && text[i] <= '~');
    put_text(*state, "version", "exit 1\n");
    assert_int_equal(whet_toolchain_hip.identify(text, 0, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "--version failed"));
    assert_string_equal(text, "");
    put_text(*state, "version", "exit 0\n");
    assert_int_equal(whet_toolchain_hip.identify(text, 0, &err),
                     WHET_EUNSUPPORTED);
}

/* --- a child in a candidate's hands -------------------------------------- */

static void say(const void *data, size_t bytes)
{
    fwrite(data, 1, bytes, stdout);
    fflush(stdout);
}

/* `whet __build standin compile unsealed`: does what the source says. */
static int stand_in(void)
{
    whet_compile__answer answer = {
        .has_output = 1, .log_bytes = 3, .output_bytes = 4};
    char *job = calloc(1, 1 << 20);
    size_t bytes = fread(job, 1, (1 << 20) - 1, stdin);
    char what = bytes > 0 ? job[bytes - 1] : '?';

    free(job);
    if (what == 'u') {
        fprintf(stderr, "no library \x1b[31mhere\nsecond\n");
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    }
    if (what == '0')
        return 0;
    say("R", 1);
    if (what == 'k')
        raise(SIGKILL);
    if (what == 'x')
        return 7;
    if (what == 's')
        say("Rshort", 6);
    if (what == 'l')
        answer.log_bytes = UINT64_MAX - 3;
    if (what == 'o')
        answer.output_bytes = UINT64_MAX;
    if (what == 'm')
        answer.output_bytes = 5;
    if (what != 's' && what != 'r') {
        say(&answer, sizeof answer);
        say("logcode", 7);
    }
    return 0;
}

static whet_status ask(whet_compile_result *result, whet_diagnostic *diagnostic,
                       const char *source, whet_err *err)
{
    static const char *const env[] = {"TMPDIR=/tmp", NULL};
    static const char *const words[] = {"program", NULL};
    const whet_compile what = {.name = "standin",
                               .toolchain = "standin",
                               .source_name = "candidate.hip",
                               .output_name = "candidate.hsaco",
                               .argv = words,
                               .env = env,
                               .source = source,
                               .source_bytes = 1,
                               .output_max_bytes = 1024,
                               .timeout_ns = 60000000000u,
                               .is_unsafe = true};

    return whet_compile__run(result, diagnostic, &what, err);
}

static void test_toolchain_compile__believes_no_child(void **state)
{
    static const char wrong[] = "slomrkx";
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_compile_result result;
    whet_err err = {0};
    size_t i;

    (void)state;
    assert_int_equal(ask(&result, diagnostic, "g", &err), WHET_OK);
    assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_NONE);
    assert_int_equal(result.log_bytes, 3);
    assert_memory_equal(result.log, "log", 3);
    assert_int_equal(result.output_bytes, 4);
    assert_memory_equal(result.output, "code", 4);
    whet_compile__result_free(&result);
    for (i = 0; wrong[i] != '\0'; i++) {
        assert_int_equal(ask(&result, diagnostic, &wrong[i], &err), WHET_OK);
        assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_CRASH);
        assert_true(diagnostic->text[0] != '\0');
        assert_null(result.output);
        whet_compile__result_free(&result);
    }
    free(diagnostic);
}

static void test_toolchain_compile__tells_why_it_cannot_begin(void **state)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_compile_result result;
    whet_err err = {0};

    (void)state;
    assert_int_equal(ask(&result, diagnostic, "u", &err), WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "standin: no library \\x1b[31mhere");
    whet_compile__result_free(&result);
    assert_int_equal(ask(&result, diagnostic, "0", &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "cannot start"));
    whet_compile__result_free(&result);
    free(diagnostic);
}

/* What a child is told by somebody else than its parent. */
static void test_toolchain_compile__child_refuses_other_jobs(void **state)
{
    static const char *const words[] = {"hip", "compile", "unsealed", NULL};
    static const char *const env[] = {"TMPDIR=/tmp", NULL};
    whet_compile__job head = {.magic = {0}};
    whet_toolchain_run run = {.words = words,
                              .env = env,
                              .stdin_data = &head,
                              .stdin_bytes = sizeof head,
                              .stdout_max_bytes = 4096,
                              .timeout_ns = 60000000000u};
    int i;

    (void)state;
    for (i = 0; i < 4; i++) {
        whet_process_result result = {0};
        whet_err err = {0};

        if (i > 0)
            memcpy(head.magic, WHET_COMPILE__JOB_MAGIC, sizeof head.magic);
        if (i == 2)
            head.words_bytes = UINT64_MAX;
        if (i == 3) {
            head.words_bytes = 0;
            head.source_bytes = UINT64_MAX;
        }
        assert_int_equal(whet_toolchain__run(&result, &run, &err), WHET_OK);
        assert_int_equal(result.kind, WHET_EXIT_CODE);
        assert_int_equal(result.code, WHET_TOOLCHAIN__CHILD_UNUSABLE);
        assert_int_equal(result.out.bytes, 0);
        assert_non_null(strstr(whet_buf_str(&result.err), "malformed"));
        whet_process_result_deinit(&result);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(test_toolchain_compile__hands_over_words_and_files),
        CASE(test_toolchain_compile__hands_over_what_is_asked_for),
        CASE(test_toolchain_compile__reads_image_and_log),
        CASE(test_toolchain_compile__kills_the_group_at_deadline),
        CASE(test_toolchain_compile__bounds_what_is_written),
        CASE(test_toolchain_compile__wants_an_image),
        CASE(test_toolchain_compile__tells_how_it_died),
        CASE(test_toolchain_compile__escapes_what_it_says),
        CASE(test_toolchain_compile__clears_the_environment),
        CASE(test_toolchain_compile__tells_what_cannot_run),
        CASE(test_toolchain_compile__lists_by_a_second_compilation),
        CASE(test_toolchain_compile__identity_follows_the_compiler),
        CASE(test_toolchain_compile__identity_is_harmless_text),
        cmocka_unit_test(test_toolchain_compile__believes_no_child),
        cmocka_unit_test(test_toolchain_compile__tells_why_it_cannot_begin),
        cmocka_unit_test(test_toolchain_compile__child_refuses_other_jobs),
    };
    int status;

    if (argc > 2 && strcmp(argv[1], "__build") == 0 &&
        strcmp(argv[2], "standin") == 0)
        return stand_in();
    if (whet_toolchain_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
