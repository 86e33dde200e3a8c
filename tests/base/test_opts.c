/* The command line: values, sources, complaints, help, commands. */

#include "base/base.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct options {
    int64_t number;
    bool verbose, quiet;
    const char *file;
    uint64_t budget_ns;
    int format;
    double ratio;
};

static const char *const formats[] = {"json", "text", NULL};

#define AT(field) offsetof(struct options, field)

static const whet_opt rows[] = {
    {.name = "number",
     .short_name = 'n',
     .type = WHET_OPT_I64,
     .offset = AT(number),
     .fallback = "3",
     .min = 0,
     .max = 10,
     .env = "WHET_TEST_NUMBER",
     .value_name = "N",
     .help = "How many things to do before the line has to be broken"},
    {.name = "verbose",
     .short_name = 'v',
     .offset = AT(verbose),
     .env = "WHET_TEST_VERBOSE",
     .help = "Say more"},
    {.name = "quiet", .short_name = 'q', .offset = AT(quiet), .help = "Hush"},
    {.name = "file",
     .short_name = 'f',
     .type = WHET_OPT_STRING,
     .offset = AT(file),
     .help = "Where"},
    {.name = "budget",
     .type = WHET_OPT_DURATION,
     .offset = AT(budget_ns),
     .fallback = "10m",
     .min = 0.001,
     .max = 86400,
     .value_name = "TIME",
     .help = "Stop after"},
    {.name = "format",
     .type = WHET_OPT_CHOICE,
     .offset = AT(format),
     .choices = formats,
     .fallback = "text",
     .help = "Form"},
    {.name = "ratio", .type = WHET_OPT_F64, .offset = AT(ratio), .help = "R"},
};

/* Prints what it was given, so that a test sees it on stdout. */
static int show(const void *opts, const whet_args *args)
{
    const struct options *o = opts;
    size_t i;

    printf("n=%lld words=", (long long)o->number);
    for (i = 0; i < args->count; i++)
        printf("[%s]", args->items[i]);
    printf("\n");
    return 7;
}

static int show_args(const void *opts, const whet_args *args)
{
    (void)opts;
    printf("check %zu\n", args->count);
    return 0;
}

static const whet_command run_command = {.name = "run",
                                         .usage = "TASK",
                                         .summary = "Run a task",
                                         .detail = "It takes a while.",
                                         .opts = rows,
                                         .opt_count = 7,
                                         .opts_bytes = sizeof(struct options),
                                         .min_args = 1,
                                         .max_args = 2,
                                         .run = show};
static const whet_command check_command = {.name = "task check",
                                           .usage = "DIR",
                                           .summary = "Check a task",
                                           .max_args = -1,
                                           .run = show_args};
static const whet_command hidden_command = {.name = "worker",
                                            .summary = "Internal",
                                            .is_hidden = true,
                                            .run = show_args};
static const whet_command *const commands[] = {&run_command, &check_command,
                                               &hidden_command};
static const whet_cli cli = {.program = "whet",
                             .version = "0.1.0",
                             .summary = "Faster kernels",
                             .commands = commands,
                             .command_count = 3};

enum { MAX_WORDS = 16 };

/* Split at blanks; the words live in `text`. */
static int split(char *text, char *argv[MAX_WORDS])
{
    char *rest = NULL;
    char *word;
    int argc = 0;

    for (word = strtok_r(text, " ", &rest); word != NULL && argc < MAX_WORDS;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    return argc;
}

/* Parse a line for run_command. */
static whet_status parse(struct options *out, const char *line, whet_err *err)
{
    char text[256];
    char *argv[MAX_WORDS];
    whet_args args;
    whet_status st;

    whet_strcopy(text, sizeof text, line);
    st =
        whet_opts_parse(out, &args, &run_command, split(text, argv), argv, err);
    free((void *)args.items);
    out->file = NULL; /* it pointed into `text` */
    return st;
}

static void refuse(const char *line, const char *want)
{
    struct options o;
    whet_err err = {0};

    assert_int_equal(parse(&o, line, &err), WHET_EINVAL);
    if (strstr(err.msg, want) == NULL)
        fail_msg("'%s': got '%s', expected '%s'", line, err.msg, want);
}

static void test_base_opts__fills_defaults(void **state)
{
    struct options o;

    (void)state;
    memset(&o, 0xff, sizeof o);
    assert_int_equal(parse(&o, "t", NULL), WHET_OK);
    assert_int_equal(o.number, 3);
    assert_false(o.verbose || o.quiet);
    assert_true(o.budget_ns == 600000000000u);
    assert_int_equal(o.format, 1);
    assert_true(o.ratio == 0);
}

static void test_base_opts__reads_every_form(void **state)
{
    char *argv[] = {"-vqfname", "--number=5", "a",      "--budget", "1.5s",
                    "--format", "json",       "--file", "--odd",    "--ratio",
                    "-2.5e-1",  "--",         "--b"};
    struct options o;
    whet_args args;
    whet_err err = {0};

    (void)state;
    if (whet_opts_parse(&o, &args, &run_command, 13, argv, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_true(o.verbose && o.quiet);
    assert_int_equal(o.number, 5);
    assert_true(o.budget_ns == 1500000000u);
    assert_int_equal(o.format, 0);
    assert_string_equal(o.file, "--odd"); /* the last one counts */
    assert_true(o.ratio == -0.25);
    assert_int_equal(args.count, 2);
    assert_string_equal(args.items[0], "a");
    assert_string_equal(args.items[1], "--b");
    free((void *)args.items);
}

static void test_base_opts__environment_is_between_default_and_line(void **s)
{
    struct options o;
    whet_err err = {0};

    (void)s;
    setenv("WHET_TEST_NUMBER", "8", 1);
    setenv("WHET_TEST_VERBOSE", "true", 1);
    assert_int_equal(parse(&o, "t", NULL), WHET_OK);
    assert_int_equal(o.number, 8);
    assert_true(o.verbose);
    assert_int_equal(parse(&o, "t -n 2", NULL), WHET_OK);
    assert_int_equal(o.number, 2);
    setenv("WHET_TEST_NUMBER", "x", 1);
    assert_int_equal(parse(&o, "t", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "WHET_TEST_NUMBER: 'x', expected an int"));
    setenv("WHET_TEST_NUMBER", "", 1);
    setenv("WHET_TEST_VERBOSE", "perhaps", 1);
    assert_int_equal(parse(&o, "t", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected true or false"));
    unsetenv("WHET_TEST_VERBOSE");
    assert_int_equal(parse(&o, "t", NULL), WHET_OK);
    assert_int_equal(o.number, 3);
    unsetenv("WHET_TEST_NUMBER");
}

static void test_base_opts__durations_have_units(void **state)
{
    static const struct {
        const char *line;
        uint64_t ns;
    } good[] = {
        {"t --budget 2", 2000000000u},       {"t --budget 500ms", 500000000u},
        {"t --budget 1500us", 1500000u},     {"t --budget 2000000ns", 2000000u},
        {"t --budget 2min", 120000000000u},  {"t --budget 2h", 7200000000000u},
        {"t --budget 1e3s", 1000000000000u}, {"t --budget 1d", 86400000000000u},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct options o;

        assert_int_equal(parse(&o, good[i].line, NULL), WHET_OK);
        assert_true(o.budget_ns == good[i].ns);
    }
    refuse("t --budget 2d", "from 0.001 to 86400 seconds");
    refuse("t --budget 1us", "expected a duration");
    refuse("t --budget -1s", "expected a duration");
    refuse("t --budget 1e400", "expected a duration");
    refuse("t --budget 3weeks", "expected a duration");
    refuse("t --budget s", "expected a duration");
}

static void test_base_opts__complains_in_one_line(void **state)
{
    (void)state;
    refuse("", "run: 0 words given, expected: run TASK");
    refuse("a b c", "run: unexpected 'c', expected TASK alone");
    refuse("a --numbr 3", "unknown option --numbr, did you mean --number?");
    refuse("a --zzz", "unknown option --zzz, expected one that 'run --help'");
    refuse("a -x", "unknown option -x");
    refuse("a -n", "-n needs a value, expected -n N");
    refuse("a --file", "--file needs a value, expected --file VALUE");
    refuse("a --verbose=1", "--verbose takes no value");
    refuse("a -n 11", "run: -n: '11', expected an integer from 0 to 10");
    refuse("a -n 1x", "expected an integer");
    refuse("a -n 99999999999999999999", "expected an integer");
    refuse("a --format jsn", "--format: 'jsn', did you mean 'json'?");
    refuse("a --format zip", "expected one of: json, text");
    refuse("a --ratio nan", "expected a number");
    refuse("a --ratio 0x1", "expected a number");
    refuse("a --ratio 1e999", "expected a number");
}

struct output {
    int status;
    char out[4096];
    char err[1024];
};

static void read_back(char *text, size_t bytes, FILE *file)
{
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

/* whet_cli_main with both streams caught. */
static void run_cli(struct output *result, const char *line)
{
    char text[256];
    char *argv[MAX_WORDS + 1] = {"whet"};
    FILE *out = tmpfile(), *err = tmpfile();
    int old_out, old_err;

    assert_true(out != NULL && err != NULL);
    whet_strcopy(text, sizeof text, line);
    fflush(stdout);
    old_out = dup(1);
    old_err = dup(2);
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    result->status = whet_cli_main(&cli, 1 + split(text, argv + 1), argv);
    fflush(stdout);
    dup2(old_out, 1);
    dup2(old_err, 2);
    close(old_out);
    close(old_err);
    read_back(result->out, sizeof result->out, out);
    read_back(result->err, sizeof result->err, err);
}

static void test_base_opts__finds_and_runs_commands(void **state)
{
    struct output r;

    (void)state;
    run_cli(&r, "run x -n 4 y");
    assert_int_equal(r.status, 7);
    assert_string_equal(r.out, "n=4 words=[x][y]\n");
    assert_string_equal(r.err, "");
    run_cli(&r, "task check a b c");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "check 3\n");
    run_cli(&r, "worker");
    assert_string_equal(r.out, "check 0\n");
    run_cli(&r, "--version");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "whet 0.1.0\n");
}

static void test_base_opts__a_usage_error_gives_2_and_one_line(void **state)
{
    static const char *const wrong[][2] = {
        {"", "whet: no command given, expected one that 'whet help' lists\n"},
        {"rum", "whet: unknown command 'rum', did you mean 'run'?\n"},
        {"task chek", "whet: unknown command 'task', did you mean 'task "
                      "check'?\n"},
        {"task", "whet: incomplete command 'task', expected one that 'whet "
                 "help task' lists\n"},
        {"zzzzzz", "whet: unknown command 'zzzzzz', expected one that 'whet "
                   "help' lists\n"},
        {"help zzzzzz", "whet: unknown command 'zzzzzz', expected one that "
                        "'whet help' lists\n"},
        {"-v run", "whet: option '-v' before a command, expected a command "
                   "that 'whet help' lists\n"},
        {"run", "whet: run: 0 words given, expected: run TASK\n"},
    };
    struct output r;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        run_cli(&r, wrong[i][0]);
        assert_int_equal(r.status, 2);
        assert_string_equal(r.out, "");
        assert_string_equal(r.err, wrong[i][1]);
    }
}

static void test_base_opts__help_comes_from_the_rows(void **state)
{
    static const char *const same[] = {"help run", "run --help", "run a -h"};
    struct output r, first;
    size_t i;
    char *line, *rest = NULL;

    (void)state;
    run_cli(&first, same[0]);
    for (i = 0; i < 3; i++) {
        run_cli(&r, same[i]);
        assert_int_equal(r.status, 0);
        assert_string_equal(r.out, first.out);
    }
    assert_non_null(strstr(r.out, "Usage: whet run [OPTIONS] TASK\n"));
    assert_non_null(strstr(r.out, "It takes a while."));
    assert_non_null(strstr(r.out, "  -n, --number N  "));
    assert_non_null(strstr(r.out, "(default 3; 0 to 10;"));
    assert_non_null(strstr(r.out, "WHET_TEST_NUMBER)"));
    assert_non_null(strstr(r.out, "Form (json, text; default text)"));
    assert_non_null(strstr(r.out, "--budget TIME"));
    for (line = strtok_r(r.out, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        assert_true(strlen(line) < 80);

    run_cli(&r, "help");
    assert_non_null(strstr(r.out, "  run TASK  "));
    assert_non_null(strstr(r.out, "  task check DIR  "));
    assert_null(strstr(r.out, "worker"));
    run_cli(&r, "task --help");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "task check DIR"));
    assert_null(strstr(r.out, "run TASK"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_opts__fills_defaults),
        cmocka_unit_test(test_base_opts__reads_every_form),
        cmocka_unit_test(
            test_base_opts__environment_is_between_default_and_line),
        cmocka_unit_test(test_base_opts__durations_have_units),
        cmocka_unit_test(test_base_opts__complains_in_one_line),
        cmocka_unit_test(test_base_opts__finds_and_runs_commands),
        cmocka_unit_test(test_base_opts__a_usage_error_gives_2_and_one_line),
        cmocka_unit_test(test_base_opts__help_comes_from_the_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
