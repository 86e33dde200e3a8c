/* Messages on stderr. Each is one fwrite, so that lines of several threads do
 * not mix, and escaped, since most quote a compiler, a model or a file. */

#include "base/log.h"

#include "base/text_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR_LINE "\r\x1b[K"

enum { FALLBACK_COLUMNS = 80 };

whet_log whet_log_stderr(whet_log_level level)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool plain = (no_color != NULL && no_color[0] != '\0') || term == NULL ||
                 strcmp(term, "dumb") == 0;

    return (whet_log){.to = stderr,
                      .level = level,
                      .is_terminal = !plain && isatty(STDERR_FILENO) != 0};
}

static whet_buf format_escaped(const char *fmt, va_list args)
{
    whet_buf line = {0};
    char *raw = NULL;
    int bytes = vasprintf(&raw, fmt, args);

    if (bytes < 0)
        return line;
    whet_buf_escape(&line, raw, (size_t)bytes, false);
    free(raw);
    return line;
}

static const char *prefix_of(whet_log_level level, bool colour)
{
    switch (level) {
    case WHET_LOG_ERROR:
        return colour ? "\x1b[31mwhet:\x1b[0m " : "whet: ";
    case WHET_LOG_WARN:
        return colour ? "whet: \x1b[33mwarning:\x1b[0m " : "whet: warning: ";
    case WHET_LOG_INFO:
    case WHET_LOG_DEBUG:
        break;
    }
    return "whet: ";
}

void whet_log_write(const whet_log *log, whet_log_level level, const char *fmt,
                    ...)
{
    whet_buf line = {0}, text;
    va_list args;

    if (log->to == NULL || level > log->level)
        return;
    va_start(args, fmt);
    text = format_escaped(fmt, args);
    va_end(args);
    if (log->is_terminal)
        whet_buf_puts(&line, CLEAR_LINE);
    whet_buf_puts(&line, prefix_of(level, log->is_terminal));
    whet_buf_puts(&line, whet_buf_str(&text));
    whet_buf_puts(&line, "\n");
    fwrite(whet_buf_str(&line), 1, line.bytes, log->to);
    fflush(log->to);
    whet_buf_deinit(&text);
    whet_buf_deinit(&line);
}

static size_t columns_of(FILE *to)
{
    struct winsize size = {0};
    int fd = fileno(to);

    if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return FALLBACK_COLUMNS;
}

void whet_log_progress(const whet_log *log, const char *fmt, ...)
{
    whet_buf line = {0}, text;
    size_t fits;
    va_list args;

    if (log->to == NULL || !log->is_terminal || log->level < WHET_LOG_WARN)
        return;
    va_start(args, fmt);
    text = format_escaped(fmt, args);
    va_end(args);
    /* A line that wraps could not be cleared. Counting bytes errs on the
     * short side. */
    fits = whet_base__utf8_cut(whet_buf_str(&text), text.bytes,
                               columns_of(log->to) - 1);
    whet_buf_puts(&line, CLEAR_LINE);
    whet_buf_add(&line, whet_buf_str(&text), fits);
    fwrite(whet_buf_str(&line), 1, line.bytes, log->to);
    fflush(log->to);
    whet_buf_deinit(&text);
    whet_buf_deinit(&line);
}
