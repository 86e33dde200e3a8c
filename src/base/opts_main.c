/* The whole line: find the command, help and version, run. */

#include "base/opts.h"
#include "base/opts_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

/* Print text for people and release it. A full disk or a closed pipe is the
 * environment's fault. */
static int print(const whet_cli *cli, whet_buf *text)
{
    bool ok = !text->failed && fputs(whet_buf_str(text), stdout) >= 0 &&
              fflush(stdout) == 0;
    const char *why = text->failed ? "out of memory" : strerror(errno);

    /* Whoever closed the pipe does not want to hear of it. */
    if (!ok && (text->failed || errno != EPIPE))
        fprintf(stderr, "%s: cannot write to standard output: %s\n",
                cli->program, why);
    whet_buf_deinit(text);
    return ok ? 0 : EXIT_ENVIRONMENT;
}

static int complain(const whet_cli *cli, const whet_err *err)
{
    fprintf(stderr, "%s: %s\n", cli->program, err->msg);
    return whet_err_exit_status(err->code);
}

/* Does the command's name consist of the first words of argv? */
static int words_matched(const whet_command *command, int argc,
                         char *const *argv)
{
    const char *name = command->name;
    int count = 0;

    while (count < argc) {
        size_t bytes = strlen(argv[count]);

        if (bytes == 0 || strncmp(name, argv[count], bytes) != 0 ||
            (name[bytes] != ' ' && name[bytes] != '\0'))
            return 0;
        count++;
        if (name[bytes] == '\0')
            return count;
        name += bytes + 1;
    }
    return 0;
}

/* The command with the longest matching name, or NULL. */
static const whet_command *find_command(const whet_cli *cli, int argc,
                                        char *const *argv, int *words_out)
{
    const whet_command *best = NULL;
    size_t i;

    *words_out = 0;
    for (i = 0; i < cli->command_count; i++) {
        int words = words_matched(cli->commands[i], argc, argv);

        if (words > *words_out) {
            *words_out = words;
            best = cli->commands[i];
        }
    }
    return best;
}

static whet_status unknown_command(const whet_cli *cli, int argc,
                                   char *const *argv, whet_err *err)
{
    const char **names = calloc(cli->command_count + 1, sizeof *names);
    char two[128];
    const char *near = NULL;
    whet_buf group = {0};
    size_t i, count = 0;
    bool is_group = whet_opts__help_group(&group, cli, argv[0]) > 0;

    whet_buf_deinit(&group);

    for (i = 0; names != NULL && i < cli->command_count; i++)
        if (!cli->commands[i]->is_hidden)
            names[count++] = cli->commands[i]->name;
    if (argc > 1 && names != NULL) {
        snprintf(two, sizeof two, "%.60s %.60s", argv[0], argv[1]);
        near = whet_closest_name(two, names, count);
    }
    if (near == NULL && names != NULL)
        near = whet_closest_name(argv[0], names, count);
    free(names);
    if (near != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "unknown command '%.80s', did you mean '%s'?",
                            argv[0], near);
    if (is_group)
        return whet_err_set(err, WHET_EINVAL,
                            "incomplete command '%.80s', expected one that "
                            "'%s help %.80s' lists",
                            argv[0], cli->program, argv[0]);
    return whet_err_set(err, WHET_EINVAL,
                        "unknown command '%.80s', expected one that '%s help' "
                        "lists",
                        argv[0], cli->program);
}

static int help(const whet_cli *cli, int argc, char *const *argv)
{
    const whet_command *command;
    whet_buf text = {0};
    whet_err err = {0};
    int words;

    if (argc == 0) {
        whet_opts__help_all(&text, cli);
        return print(cli, &text);
    }
    command = find_command(cli, argc, argv, &words);
    if (command != NULL) {
        whet_opts_help(&text, cli, command);
        return print(cli, &text);
    }
    if (whet_opts__help_group(&text, cli, argv[0]) > 0)
        return print(cli, &text);
    whet_buf_deinit(&text);
    unknown_command(cli, argc, argv, &err);
    return complain(cli, &err);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool asks_help(const whet_command *command, int argc, char *const *argv)
{
    bool has_own_h = false;
    size_t i;
    int j;

    for (i = 0; i < command->opt_count; i++)
        has_own_h |= command->opts[i].short_name == 'h';
    for (j = 0; j < argc && strcmp(argv[j], "--") != 0; j++)
        if (strcmp(argv[j], "--help") == 0 ||
            (strcmp(argv[j], "-h") == 0 && !has_own_h))
            return true;
    return false;
}

static int run(const whet_cli *cli, const whet_command *command, int argc,
               char *const *argv)
{
    whet_args args = {0};
    whet_err err = {0};
    whet_buf text = {0};
    void *opts;
    int status;

    if (asks_help(command, argc, argv)) {
        whet_opts_help(&text, cli, command);
        return print(cli, &text);
    }
    opts = calloc(1, command->opts_bytes + 1);
    if (opts == NULL) {
        whet_err_set(&err, WHET_ENOMEM, "%s: out of memory", command->name);
        return complain(cli, &err);
    }
    if (whet_opts_parse(opts, &args, command, argc, argv, &err) != WHET_OK)
        status = complain(cli, &err);
    else
        status = command->run(opts, &args);
    free((void *)args.items);
    free(opts);
    return status;
}

int whet_cli_main(const whet_cli *cli, int argc, char **argv)
{
    const whet_command *command;
    whet_buf text = {0};
    whet_err err = {0};
    int words;

    if (argc < 2) {
        fprintf(stderr,
                "%s: no command given, expected one that '%s help' "
                "lists\n",
                cli->program, cli->program);
        return EXIT_USAGE;
    }
    argc--;
    argv++;
    if (strcmp(argv[0], "--version") == 0) {
        whet_buf_printf(&text, "%s %s\n", cli->program, cli->version);
        return print(cli, &text);
    }
    if (is_help(argv[0]) || strcmp(argv[0], "help") == 0)
        return help(cli, argc - 1, argv + 1);
    command = find_command(cli, argc, argv, &words);
    if (command != NULL)
        return run(cli, command, argc - words, argv + words);
    if (argc > 1 && is_help(argv[1]))
        return help(cli, 1, argv);
    if (argv[0][0] == '-')
        whet_err_set(&err, WHET_EINVAL,
                     "option '%.80s' before a command, expected a command "
                     "that '%s help' lists",
                     argv[0], cli->program);
    else
        unknown_command(cli, argc, argv, &err);
    return complain(cli, &err);
}
