/* From a compiler's log to its first error. The log is hostile twice over: the
 * compiler quotes the candidate, and the candidate may have written the log.
 * So nothing here decides anything; the text is escaped and capped. */

#include "toolchain/toolchain_priv.h"

#include <string.h>

enum {
    LINE_BYTES_MAX = 512, /* longer lines are cut, they quote macros */
    CONTEXT_LINES_MAX = 6,
    PLACE_MAX = 100000000 /* lines or columns; beyond is nonsense */
};

/* A piece of the log, not NUL-terminated. */
struct span {
    const char *at;
    size_t bytes;
};

static bool next_line(struct span *line, struct span *rest)
{
    const char *end;

    if (rest->bytes == 0)
        return false;
    end = memchr(rest->at, '\n', rest->bytes);
    line->at = rest->at;
    line->bytes = end != NULL ? (size_t)(end - rest->at) : rest->bytes;
    rest->at += line->bytes + (end != NULL);
    rest->bytes -= line->bytes + (end != NULL);
    if (line->bytes > 0 && line->at[line->bytes - 1] == '\r')
        line->bytes--;
    return true;
}

static bool skip(struct span *line, const char *text)
{
    size_t bytes = strlen(text);

    if (line->bytes < bytes || memcmp(line->at, text, bytes) != 0)
        return false;
    line->at += bytes;
    line->bytes -= bytes;
    return true;
}

static void skip_blanks(struct span *line)
{
    while (skip(line, " "))
        ;
}

static bool skip_number(uint32_t *out, struct span *line)
{
    uint32_t value = 0;
    size_t i = 0;

    while (i < line->bytes && line->at[i] >= '0' && line->at[i] <= '9' &&
           value < PLACE_MAX)
        value = value * 10 + (uint32_t)(line->at[i++] - '0');
    *out = value;
    line->at += i;
    line->bytes -= i;
    return i > 0;
}

/* Cut everything up to and including `text`; false if it is not there. */
static bool skip_to(struct span *line, const char *text)
{
    const char *found = memmem(line->at, line->bytes, text, strlen(text));

    if (found == NULL)
        return false;
    line->bytes -= (size_t)(found - line->at);
    line->at = found;
    return skip(line, text);
}

/* The candidate's file as a toolchain calls it. */
static bool skip_file(struct span *line)
{
    if (!skip(line, WHET_TOOLCHAIN__FILE))
        return false;
    (void)(skip(line, ".cu") || skip(line, ".hip"));
    return true;
}

/* Skip "FILE(3)" or "FILE:3:5" and, for a macro, " <Spelling=FILE:9:9>", up to
 * the colon behind. Places in other files, our own header above all, do not
 * count. */
static bool skip_place(uint32_t *row, uint32_t *column, struct span *line)
{
    struct span rest = *line;
    bool has_parentheses;

    *row = 0;
    *column = 0;
    if (!skip_file(&rest))
        return false;
    has_parentheses = skip(&rest, "(");
    if ((!has_parentheses && !skip(&rest, ":")) || !skip_number(row, &rest) ||
        !skip(&rest, has_parentheses ? ")" : ":") ||
        (!has_parentheses && !skip_number(column, &rest))) {
        *row = 0;
        *column = 0;
        return false;
    }
    if (skip(&rest, " <Spelling=") && !skip_to(&rest, ">"))
        return true;
    if (skip(&rest, ":"))
        *line = rest;
    return true;
}

/* Cut everything up to and including the first "error:", "error   :" or
 * "fatal   :"; assemblers and drivers pad the word. */
static bool skip_to_error(struct span *line)
{
    static const char *const words[] = {"error", "fatal"};
    struct span best = {NULL, 0};
    size_t i;

    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct span rest = *line;

        while (skip_to(&rest, words[i])) {
            struct span behind = rest;

            skip_blanks(&behind);
            if (!skip(&behind, ":"))
                continue;
            if (best.at == NULL || behind.at < best.at)
                best = behind;
            break;
        }
    }
    if (best.at == NULL)
        return false;
    *line = best;
    return true;
}

/* Both orders are in use: "error: FILE:3:5: MESSAGE" and "FILE:3:5: error:
 * MESSAGE". Only these count as places: a message may quote anything. */
static bool read_error(struct span *message, whet_diagnostic *out,
                       struct span line)
{
    uint32_t row, column;

    *message = line;
    if (skip_place(&row, &column, message)) {
        skip_blanks(message);
        (void)(skip(message, "fatal ") || skip(message, "catastrophic "));
        if (!skip(message, "error:"))
            return false;
    } else {
        if (!skip_to_error(message))
            return false;
        skip_blanks(message);
        (void)skip_place(&row, &column, message);
    }
    skip_blanks(message);
    out->line = row;
    out->column = column;
    return true;
}

static bool contains(struct span line, const char *text)
{
    return skip_to(&line, text);
}

static bool is_blank(struct span line)
{
    size_t i;

    for (i = 0; i < line.bytes; i++)
        if (line.at[i] != ' ' && line.at[i] != '\t')
            return false;
    return true;
}

/* The end of what belongs to one error. */
static bool is_other(struct span line)
{
    struct span rest = line;

    return skip_to_error(&rest) || contains(line, "warning:") ||
           contains(line, " generated") || contains(line, "ptxas info ") ||
           contains(line, " detected in the compilation of ") ||
           contains(line, "failed to build the program");
}

static void add_line(whet_buf *text, struct span line)
{
    if (text->bytes > 0)
        whet_buf_puts(text, "\n");
    whet_buf_escape(text, line.at,
                    line.bytes < LINE_BYTES_MAX ? line.bytes : LINE_BYTES_MAX,
                    false);
}

static bool is_place(struct span words)
{
    size_t i;

    for (i = 0; i + 1 < words.bytes; i++)
        if ((words.at[i] == ':' || words.at[i] == '(') &&
            words.at[i + 1] >= '0' && words.at[i + 1] <= '9')
            return true;
    return false;
}

/* Does a place, "FILE:3:5:" or "FILE(3):", stand before or behind the word
 * "error"? Only asked where that is none of the candidate's. */
static bool has_place(struct span line, struct span message)
{
    const char *end = memchr(message.at, ' ', message.bytes);

    line.bytes = (size_t)(message.at - line.at);
    if (end != NULL)
        message.bytes = (size_t)(end - message.at);
    return is_place(line) || is_place(message);
}

/* The error's message, then what the compiler shows of the place, unless that
 * is in another file. */
static bool add_first_error(whet_buf *text, whet_diagnostic *out,
                            struct span log)
{
    struct span line, message;
    unsigned context = 0;

    while (next_line(&line, &log)) {
        if (!read_error(&message, out, line))
            continue;
        add_line(text, message);
        if (out->line == 0 && has_place(line, message))
            return true;
        while (context++ < CONTEXT_LINES_MAX && next_line(&line, &log) &&
               !is_other(line) && !is_blank(line))
            add_line(text, line);
        return true;
    }
    return false;
}

/* Without an error line the first lines must do. */
static void add_first_lines(whet_buf *text, struct span log)
{
    struct span line;
    unsigned count = 0;

    while (count < CONTEXT_LINES_MAX && next_line(&line, &log))
        if (!is_blank(line) && !is_other(line)) {
            add_line(text, line);
            count++;
        }
}

/* Cut so that no UTF-8 sequence is split. */
static void copy_text(char *dst, size_t dst_bytes, const char *src)
{
    size_t bytes = strlen(src);

    if (bytes >= dst_bytes) {
        bytes = dst_bytes - 1;
        while (bytes > 0 && ((unsigned char)src[bytes] & 0xC0) == 0x80)
            bytes--;
    }
    memcpy(dst, src, bytes);
    dst[bytes] = '\0';
}

void whet_toolchain__diagnose(whet_diagnostic *out, whet_diagnostic_kind kind,
                              const char *log, size_t log_bytes)
{
    struct span all = {log, log_bytes};
    whet_buf text = {0};

    memset(out, 0, sizeof *out);
    out->kind = kind;
    if (!add_first_error(&text, out, all))
        add_first_lines(&text, all);
    if (text.bytes == 0)
        whet_buf_puts(&text, "the compiler gave no reason");
    copy_text(out->text, sizeof out->text, whet_buf_str(&text));
    whet_buf_deinit(&text);
}
