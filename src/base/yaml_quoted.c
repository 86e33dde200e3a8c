/* Single-quoted YAML scalars, decoded here because libfyaml 0.7 gives wrong
 * text when two escaped quotes follow each other ('a''''b'). Two rules: two
 * quotes stand for one, and a line break with the blanks around it folds to a
 * blank, n of them to n - 1 newlines (YAML 1.2.2, 7.3.2 and 6.5). */

#include "base/yaml_priv.h"

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Fold the breaks and blanks at `at`; returns the index behind them. */
static size_t fold(whet_buf *out, const char *raw, size_t bytes, size_t at)
{
    size_t breaks = 0;

    while (out->bytes > 0 && is_blank(out->data[out->bytes - 1]))
        out->bytes--;
    for (; at < bytes && (is_break(raw[at]) || is_blank(raw[at])); at++) {
        if (raw[at] == '\r' && at + 1 < bytes && raw[at + 1] == '\n')
            continue;
        breaks += is_break(raw[at]);
    }
    if (breaks == 1)
        whet_buf_add(out, " ", 1);
    for (; breaks > 1; breaks--)
        whet_buf_add(out, "\n", 1);
    return at;
}

void whet_yaml__unquote(whet_buf *out, const char *raw, size_t bytes)
{
    size_t at = 0;

    while (at < bytes) {
        if (is_break(raw[at])) {
            at = fold(out, raw, bytes, at);
            continue;
        }
        whet_buf_add(out, raw + at, 1);
        at += raw[at] == '\'' ? 2 : 1;
    }
}
