/* What all commands share: printing results and failures. */

#include "cli/cli.h"

#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_ENVIRONMENT = 3,
    JSON_TEXT_BYTES_MAX = 1 << 20,
    LINE_COLUMNS = 100
};

char *whet_cli_failures_dir(void)
{
    char *state = NULL, *path = NULL;

    if (whet_fs_state_dir(&state, NULL) == WHET_OK)
        path = whet_fs_join(state, "failures");
    free(state);
    return path;
}

int whet_cli_fail(const whet_err *err)
{
    /* whet_err_set has made the message one harmless line. */
    fprintf(stderr, "whet: %s\n", err->msg);
    return whet_err_exit_status(err->code);
}

static int print_text(const char *text)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
        return 0;
    /* Whoever closed the pipe does not want to hear of it. */
    if (errno != EPIPE)
        fprintf(stderr, "whet: cannot write to standard output: %s\n",
                strerror(errno));
    return EXIT_ENVIRONMENT;
}

static int out_of_memory(void)
{
    fputs("whet: out of memory\n", stderr);
    return EXIT_ENVIRONMENT;
}

int whet_cli_print(whet_buf *text)
{
    int status =
        text->failed ? out_of_memory() : print_text(whet_buf_str(text));

    whet_buf_deinit(text);
    return status;
}

int whet_cli_print_json(json_t *value)
{
    char *pretty = value != NULL ? whet_json_pretty(value) : NULL;
    whet_buf text = {0};

    json_decref(value);
    if (pretty == NULL)
        return out_of_memory();
    whet_buf_puts(&text, pretty);
    free(pretty);
    whet_buf_puts(&text, "\n");
    return whet_cli_print(&text);
}

json_t *whet_cli_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    return whet_json_outside_text(text, strlen(text), JSON_TEXT_BYTES_MAX);
}

void whet_cli_add_wrapped(whet_buf *out, const char *text, size_t column,
                          size_t indent)
{
    bool is_first = true;

    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        size_t columns = whet_text_columns(text, bytes);

        if (!is_first && column + 1 + columns > LINE_COLUMNS) {
            whet_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            whet_buf_puts(out, " ");
            column++;
        }
        whet_buf_escape(out, text, bytes, false);
        column += columns;
        is_first = false;
        text += bytes;
        text += strspn(text, " ");
    }
    whet_buf_puts(out, "\n");
}

/* Does a shell take it as it stands? Only plain signs are let through. */
static bool is_plain_word(const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if ((unsigned char)text[i] < 0x80 &&
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_./:=@%+,-",
                   text[i]) == NULL)
            return false;
    return text[0] != '\0';
}

static bool is_harmless(const char *text)
{
    whet_buf escaped = {0};
    bool same;

    whet_buf_escape(&escaped, text, strlen(text), false);
    same = !escaped.failed && strcmp(whet_buf_str(&escaped), text) == 0;
    whet_buf_deinit(&escaped);
    return same;
}

void whet_cli_add_word(whet_buf *out, const char *text)
{
    bool harmless = is_harmless(text);

    /* A shell hands "-x" on, and the command would take it for an option. */
    if (text[0] == '-')
        whet_buf_puts(out, "./");
    if (harmless && is_plain_word(text)) {
        whet_buf_puts(out, text);
        return;
    }
    whet_buf_puts(out, harmless ? "'" : "$'");
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned char byte = (unsigned char)text[i];

        if (harmless && byte == '\'')
            whet_buf_puts(out, "'\\''");
        else if (harmless ||
                 (byte >= ' ' && byte <= '~' && byte != '\'' && byte != '\\'))
            whet_buf_add(out, text + i, 1);
        else
            whet_buf_printf(out, "\\%03o", byte);
    }
    whet_buf_puts(out, "'");
}

void whet_cli_add_bytes(whet_buf *out, uint64_t bytes)
{
    static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t i = 0;

    /* 1023.95 would print as 1024.0. */
    while (value >= 1023.95) {
        value /= 1024;
        i++;
    }
    whet_buf_printf(out, i == 0 ? "%.0f %s" : "%.1f %s", value, units[i]);
}

void whet_cli_add_rate(whet_buf *out, double per_s, const char *unit)
{
    static const char *const prefixes[] = {"", "K", "M", "G", "T", "P"};
    size_t i = 0;

    while (per_s >= 999.95 && i + 1 < sizeof prefixes / sizeof prefixes[0]) {
        per_s /= 1000;
        i++;
    }
    whet_buf_printf(out, "%#.4g %s%s", per_s, prefixes[i], unit);
}
