/* Help text from the rows. */

#include "base/opts.h"
#include "base/opts_priv.h"

#include <stdio.h>
#include <string.h>

enum { LINE_COLUMNS = 79, LEFT_COLUMNS = 26 };

/* Words broken into lines that start at LEFT_COLUMNS. `column` is where the
 * line stands already. */
static void add_wrapped(whet_buf *out, const char *text, size_t column)
{
    bool is_first = true;

    if (column + 1 > LEFT_COLUMNS) {
        whet_buf_puts(out, "\n");
        column = 0;
    }
    whet_buf_printf(out, "%*s", (int)(LEFT_COLUMNS - column), "");
    column = LEFT_COLUMNS;
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");

        if (!is_first && column + 1 + bytes > LINE_COLUMNS) {
            whet_buf_printf(out, "\n%*s", LEFT_COLUMNS, "");
            column = LEFT_COLUMNS;
        } else if (!is_first) {
            whet_buf_puts(out, " ");
            column++;
        }
        whet_buf_add(out, text, bytes);
        column += bytes;
        is_first = false;
        text += bytes;
        text += strspn(text, " ");
    }
    whet_buf_puts(out, "\n");
}

/* "; " between facts, the first one after "(". */
static void add_fact(whet_buf *facts, const char *fmt, const char *text)
{
    whet_buf_puts(facts, facts->bytes == 0 ? " (" : "; ");
    whet_buf_printf(facts, fmt, text);
}

static void add_facts(whet_buf *out, const whet_opt *opt)
{
    whet_buf facts = {0};
    char range[96];
    size_t i;

    if (opt->type == WHET_OPT_CHOICE) {
        whet_buf list = {0};

        for (i = 0; opt->choices[i] != NULL; i++)
            whet_buf_printf(&list, "%s%s", i ? ", " : "", opt->choices[i]);
        add_fact(&facts, "%s", whet_buf_str(&list));
        whet_buf_deinit(&list);
    }
    if (opt->fallback != NULL && opt->fallback[0] != '\0')
        add_fact(&facts, "default %s", opt->fallback);
    if (opt->min != 0 || opt->max != 0) {
        snprintf(range, sizeof range, "%.15g to %.15g%s", opt->min, opt->max,
                 opt->type == WHET_OPT_DURATION ? " s" : "");
        add_fact(&facts, "%s", range);
    }
    if (opt->env != NULL)
        add_fact(&facts, "environment %s", opt->env);
    if (facts.bytes > 0)
        whet_buf_printf(out, "%s)", facts.data);
    whet_buf_deinit(&facts);
}

static void add_option(whet_buf *out, const whet_opt *opt)
{
    whet_buf left = {0}, right = {0};

    if (opt->short_name != 0)
        whet_buf_printf(&left, "  -%c, --%s", opt->short_name, opt->name);
    else
        whet_buf_printf(&left, "      --%s", opt->name);
    if (opt->type != WHET_OPT_FLAG)
        whet_buf_printf(&left, " %s",
                        opt->value_name ? opt->value_name : "VALUE");
    whet_buf_puts(&right, opt->help ? opt->help : "");
    add_facts(&right, opt);
    whet_buf_puts(out, whet_buf_str(&left));
    add_wrapped(out, whet_buf_str(&right), left.bytes);
    whet_buf_deinit(&left);
    whet_buf_deinit(&right);
}

static void add_command(whet_buf *out, const whet_command *command)
{
    whet_buf left = {0};

    whet_buf_printf(&left, "  %s", command->name);
    if (command->usage != NULL && command->usage[0] != '\0')
        whet_buf_printf(&left, " %s", command->usage);
    whet_buf_puts(out, whet_buf_str(&left));
    add_wrapped(out, command->summary ? command->summary : "", left.bytes);
    whet_buf_deinit(&left);
}

void whet_opts_help(whet_buf *out, const whet_cli *cli,
                    const whet_command *command)
{
    size_t i;

    whet_buf_printf(out, "Usage: %s %s%s", cli->program, command->name,
                    command->opt_count > 0 ? " [OPTIONS]" : "");
    if (command->usage != NULL && command->usage[0] != '\0')
        whet_buf_printf(out, " %s", command->usage);
    whet_buf_printf(out, "\n\n%s\n", command->summary ? command->summary : "");
    if (command->detail != NULL)
        whet_buf_printf(out, "\n%s\n", command->detail);
    whet_buf_puts(out, "\nOptions:\n");
    for (i = 0; i < command->opt_count; i++)
        add_option(out, &command->opts[i]);
    whet_buf_puts(out, "      --help");
    add_wrapped(out, "Print this text", 12);
}

void whet_opts__help_all(whet_buf *out, const whet_cli *cli)
{
    size_t i;

    whet_buf_printf(out,
                    "%s %s\n%s\n\nUsage: %s COMMAND [OPTIONS] ...\n\n"
                    "Commands:\n",
                    cli->program, cli->version,
                    cli->summary ? cli->summary : "", cli->program);
    for (i = 0; i < cli->command_count; i++)
        if (!cli->commands[i]->is_hidden)
            add_command(out, cli->commands[i]);
    whet_buf_printf(out,
                    "\n'%s COMMAND --help' explains one command. Exit status: "
                    "0 done, 1 the answer\nis \"no\", 2 bad use, 3 "
                    "environment.\n",
                    cli->program);
}

size_t whet_opts__help_group(whet_buf *out, const whet_cli *cli,
                             const char *first)
{
    size_t bytes = strlen(first);
    size_t i, count = 0;

    for (i = 0; i < cli->command_count; i++) {
        const whet_command *command = cli->commands[i];

        if (command->is_hidden || strncmp(command->name, first, bytes) != 0 ||
            command->name[bytes] != ' ')
            continue;
        add_command(out, command);
        count++;
    }
    return count;
}
