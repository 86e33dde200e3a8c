/* From the bytes of a candidate file to the YAML of its plan: what makes a
 * file text, which comment holds the plan, and where comments end. The scanner
 * knows comments and strings well enough to say where non-ASCII is allowed; in
 * doubt it takes a place for code, which only refuses more. */

#include "candidate/candidate_priv.h"

#include <string.h>

static const whet_candidate_language languages[] = {
    {"opencl", ".cl", false, true}, {"portable", ".wk", false, true},
    {"cuda", ".cu", false, false},  {"hip", ".hip", false, false},
    {"triton", ".py", true, false},
};

static const whet_candidate_language other_language = {NULL, "", false, true};

enum { LANGUAGE_COUNT = sizeof languages / sizeof languages[0] };

const whet_candidate_language *whet_candidate__language(const char *name)
{
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        if (strcmp(languages[i].name, name) == 0)
            return &languages[i];
    }
    return &other_language;
}

const whet_candidate_language *whet_candidate__ending(const char *where)
{
    const char *dot = strrchr(where, '.');

    for (size_t i = 0; dot != NULL && i < LANGUAGE_COUNT; i++) {
        if (strcmp(languages[i].ending, dot) == 0)
            return &languages[i];
    }
    return NULL;
}

/* A place in the text. Columns count bytes, as those of YAML errors do. */
typedef struct cursor {
    const char *text;
    size_t bytes;
    size_t pos;
    int line;
    int column;
} cursor;

static bool at_end(const cursor *c)
{
    return c->pos >= c->bytes;
}

static bool at(const cursor *c, const char *word)
{
    size_t length = strlen(word);

    return c->bytes - c->pos >= length &&
           memcmp(c->text + c->pos, word, length) == 0;
}

static void step(cursor *c, size_t count)
{
    for (; count > 0 && !at_end(c); count--) {
        if (c->text[c->pos++] == '\n') {
            c->line++;
            c->column = 1;
        } else {
            c->column++;
        }
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\f';
}

static void skip_space(cursor *c)
{
    while (!at_end(c) && (is_blank(c->text[c->pos]) || c->text[c->pos] == '\n'))
        step(c, 1);
}

/* --- is it text? ---------------------------------------------------------- */

/* Length of the UTF-8 sequence that starts here, 0 if it is not valid. */
static size_t utf8_length(const char *text, size_t bytes, uint32_t *code_out)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc0 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf8 ? 4
                                  : 0;
    uint32_t code = s[0];

    if (length == 0 || length > bytes)
        return 0;
    if (length > 1)
        code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (code < least[length] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *code_out = code;
    return length;
}

static whet_status check_bytes(cursor c, const char *where, whet_err *err)
{
    while (!at_end(&c)) {
        const unsigned char byte = (unsigned char)c.text[c.pos];
        uint32_t code = 0;
        size_t length = utf8_length(c.text + c.pos, c.bytes - c.pos, &code);

        if (length == 0 || byte == 0x7f ||
            (byte < 0x20 && byte != '\n' && !is_blank(c.text[c.pos])))
            return whet_err_set(err, WHET_EINVAL,
                                "%s:%d:%d: byte 0x%02x: the file is binary, "
                                "expected UTF-8 text",
                                where, c.line, c.column, byte);
        step(&c, length);
    }
    return WHET_OK;
}

/* Refuse non-ASCII from here to `end`, which is code. */
static whet_status check_ascii(cursor c, size_t end, const char *where,
                               whet_err *err)
{
    for (; c.pos < end; step(&c, 1)) {
        uint32_t code = 0;

        if ((unsigned char)c.text[c.pos] < 0x80)
            continue;
        utf8_length(c.text + c.pos, c.bytes - c.pos, &code);
        return whet_err_set(err, WHET_EINVAL,
                            "%s:%d:%d: character U+%04X outside comments, "
                            "expected ASCII there",
                            where, c.line, c.column, (unsigned)code);
    }
    return WHET_OK;
}

/* Behind the last byte of the line. */
static size_t line_end(const cursor *c)
{
    const char *newline = memchr(c->text + c->pos, '\n', c->bytes - c->pos);

    return newline == NULL ? c->bytes : (size_t)(newline - c->text);
}

/* Behind `word`, or the end of the text. */
static size_t end_of_word(const cursor *c, size_t from, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = from; i + length <= c->bytes; i++) {
        if (memcmp(c->text + i, word, length) == 0)
            return i + length;
    }
    return c->bytes;
}

/* Behind the comment that starts here; the place itself if none does. */
static size_t end_of_comment(const cursor *c, bool has_hash_comments)
{
    if (has_hash_comments)
        return at(c, "#") ? line_end(c) : c->pos;
    if (at(c, "//"))
        return line_end(c);
    if (at(c, "/*"))
        return end_of_word(c, c->pos + 2, "*/");
    return c->pos;
}

/* Behind the string or character that starts here; the place itself if none
 * does. One that does not end stops at its line's end. */
static size_t end_of_string(const cursor *c, bool has_long_strings)
{
    const char quote = c->text[c->pos];
    size_t i = c->pos + 1;

    if (quote != '"' && quote != '\'')
        return c->pos;
    if (has_long_strings && at(c, quote == '"' ? "\"\"\"" : "'''"))
        return end_of_word(c, c->pos + 3, quote == '"' ? "\"\"\"" : "'''");
    for (; i < c->bytes && c->text[i] != '\n'; i++) {
        if (c->text[i] == quote)
            return i + 1;
        if (c->text[i] == '\\' && i + 1 < c->bytes && c->text[i + 1] != '\n')
            i++;
    }
    return i;
}

whet_status whet_candidate__check_text(const char *text, size_t bytes,
                                       const char *where,
                                       const whet_candidate_language *language,
                                       whet_err *err)
{
    const bool has_hash = language->has_hash_comments;
    cursor c = {text, bytes, 0, 1, 1};
    whet_status st = check_bytes(c, where, err);

    skip_space(&c);
    if (st == WHET_OK && at_end(&c))
        st = whet_err_set(err, WHET_EINVAL,
                          "%s:1:1: the file is empty, expected a kernel with "
                          "its launch plan in a front comment",
                          where);
    while (st == WHET_OK && !at_end(&c)) {
        size_t end = end_of_comment(&c, has_hash);

        if (end == c.pos) {
            end = end_of_string(&c, has_hash);
            if (end == c.pos)
                end++;
            st = check_ascii(c, end, where, err);
        }
        step(&c, end - c.pos);
    }
    return st;
}

/* --- front comment -------------------------------------------------------- */

static void add_spaces(whet_buf *out, int count)
{
    for (; count > 0; count--)
        whet_buf_add(out, " ", 1);
}

/* Steps over "whet:"; false if something else stands there. */
static bool skip_mark(cursor *c)
{
    static const char mark[] = "whet:";

    if (!at(c, mark))
        return false;
    step(c, strlen(mark));
    return true;
}

/* A plan in C's long comment. The cursor is behind its start. */
static whet_status front_block(whet_buf *out, int *line_out, cursor c,
                               const char *where, whet_err *err)
{
    const cursor start = c;
    size_t end;

    skip_space(&c);
    if (!skip_mark(&c))
        return whet_err_set(err, WHET_EINVAL,
                            "%s:%d:%d: no launch plan, expected 'whet:' at the "
                            "start of the first comment",
                            where, c.line, c.column);
    end = end_of_word(&c, c.pos, "*/");
    if (end - c.pos < 2 || memcmp(c.text + end - 2, "*/", 2) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "%s:%d:%d: the front comment does not end, "
                            "expected '*/'",
                            where, start.line, start.column - 2);
    *line_out = c.line;
    add_spaces(out, c.column - 1);
    whet_buf_add(out, c.text + c.pos, end - 2 - c.pos);
    return WHET_OK;
}

/* A plan in consecutive lines that start with `marker`. */
static whet_status front_lines(whet_buf *out, int *line_out, cursor c,
                               const char *marker, const char *where,
                               whet_err *err)
{
    bool is_first = true;

    *line_out = c.line;
    while (!at_end(&c)) {
        size_t end = line_end(&c);

        while (c.pos < end && is_blank(c.text[c.pos]))
            step(&c, 1);
        if (!at(&c, marker))
            break;
        step(&c, strlen(marker));
        if (is_first) {
            while (c.pos < end && is_blank(c.text[c.pos]))
                step(&c, 1);
            if (!skip_mark(&c))
                return whet_err_set(err, WHET_EINVAL,
                                    "%s:%d:%d: no launch plan, expected "
                                    "'whet:' at the start of the first comment",
                                    where, c.line, c.column);
            is_first = false;
        }
        add_spaces(out, c.column - 1);
        if (end < c.bytes)
            end++;
        whet_buf_add(out, c.text + c.pos, end - c.pos);
        step(&c, end - c.pos);
    }
    return WHET_OK;
}

whet_status whet_candidate__front(whet_buf *out, int *line_out,
                                  const char *text, size_t bytes,
                                  const char *where,
                                  const whet_candidate_language *language,
                                  whet_err *err)
{
    const char *marker = language->has_hash_comments ? "#" : "//";
    cursor c = {text, bytes, 0, 1, 1};
    whet_status st;

    *line_out = 1;
    skip_space(&c);
    if (!language->has_hash_comments && at(&c, "/*")) {
        step(&c, 2);
        st = front_block(out, line_out, c, where, err);
    } else if (at(&c, marker)) {
        st = front_lines(out, line_out, c, marker, where, err);
    } else {
        st = whet_err_set(err, WHET_EINVAL,
                          "%s:%d:%d: no launch plan, expected a comment that "
                          "starts with '%s' before anything else",
                          where, c.line, c.column,
                          language->has_hash_comments ? "# whet:" : "/* whet:");
    }
    if (st == WHET_OK && out->failed)
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    return st;
}
