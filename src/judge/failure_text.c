/* What stays of a source when comments and white space are gone: so that a
 * failure is known again under another layout. A driver's image cannot always
 * tell, since it may hold a hash of the source. */

#include "judge/judge_priv.h"

#include <ctype.h>
#include <string.h>

/* A scan over a source; nothing else is allocated than `out`. */
struct scan {
    const char *text;
    size_t bytes, at;
    whet_buf *out;
    bool is_directive; /* in a line of the preprocessor */
};

static bool starts(const struct scan *s, const char *word)
{
    size_t bytes = strlen(word);

    return s->bytes - s->at >= bytes &&
           memcmp(s->text + s->at, word, bytes) == 0;
}

/* The comment at the scan's place, up to its end. */
static size_t comment_bytes(const struct scan *s)
{
    bool is_line = starts(s, "//");
    size_t i;

    for (i = s->at + 2; i < s->bytes; i++) {
        if (is_line && s->text[i] == '\n')
            return i - s->at;
        if (!is_line && s->text[i] == '/' && s->text[i - 1] == '*' &&
            i >= s->at + 3)
            return i + 1 - s->at;
    }
    return s->bytes - s->at;
}

/* Skip blanks and comments. @return a line ended in them */
static bool skip(struct scan *s, bool *any)
{
    bool is_end = false;

    *any = false;
    while (s->at < s->bytes) {
        if (starts(s, "//") || starts(s, "/*"))
            s->at += comment_bytes(s);
        else if (starts(s, "\\\n"))
            s->at += 2;
        else if (isspace((unsigned char)s->text[s->at]))
            is_end |= s->text[s->at++] == '\n';
        else
            break;
        *any = true;
    }
    return is_end;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Would two tokens become one without what lies between them? */
static bool would_join(char before, char after)
{
    static const char joining[] = "+-&|<>=*/!%^#.";

    if (is_word(before))
        return is_word(after);
    return strchr(joining, before) != NULL && strchr(joining, after) != NULL;
}

/* A literal as it stands, to its closing quote or the end of the line. */
static void copy_literal(struct scan *s)
{
    char quote = s->text[s->at];
    size_t end = s->at + 1;

    while (end < s->bytes && s->text[end] != quote && s->text[end] != '\n')
        end += s->text[end] == '\\' ? 2 : 1;
    if (end < s->bytes && s->text[end] == quote)
        end++;
    if (end > s->bytes)
        end = s->bytes;
    whet_buf_add(s->out, s->text + s->at, end - s->at);
    s->at = end;
}

/* What separates the next token from the last one. */
static void separate(struct scan *s, char before)
{
    bool any, is_end = skip(s, &any);
    char after = s->at < s->bytes ? s->text[s->at] : '\0';

    if (after == '\0')
        return;
    if (before == '\0' || (s->is_directive && is_end) ||
        (is_end && after == '#')) {
        s->is_directive = after == '#';
        if (before != '\0')
            whet_buf_add(s->out, "\n", 1);
    } else if (any && (s->is_directive || would_join(before, after))) {
        whet_buf_add(s->out, " ", 1);
    }
}

whet_status whet_judge__failure_text(whet_buf *out, const char *text,
                                     size_t bytes)
{
    struct scan s = {.text = text, .bytes = bytes, .out = out};
    char before = '\0';

    /* The plan is the first comment, and counts. */
    while (s.at < bytes && isspace((unsigned char)text[s.at]))
        s.at++;
    if (!starts(&s, "/*"))
        return WHET_EUNSUPPORTED;
    whet_buf_add(out, text + s.at, comment_bytes(&s));
    s.at += comment_bytes(&s);
    for (;;) {
        separate(&s, before);
        if (s.at >= s.bytes)
            break;
        before = s.text[s.at];
        if (before == '"' || before == '\'')
            copy_literal(&s);
        else
            whet_buf_add(s.out, &s.text[s.at++], 1);
    }
    return out->failed ? WHET_ENOMEM : WHET_OK;
}
