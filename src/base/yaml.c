/* Text to tree. libfyaml scans and tells events with their places; the tree is
 * our own, so that limits, duplicate keys and what YAML offers beyond plain
 * data are checked while it grows, and reading it costs an index. */

#include "base/yaml.h"
#include "base/text_priv.h"
#include "base/yaml_priv.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 1 << 20, MAX_DEPTH = 64 };

struct builder {
    whet_yaml *doc;
    struct fy_parser *parser;
    struct fy_diag *diag;
    whet_err *err;
    whet_status st;
    whet_buf text; /* of the scalar at hand */
    const char *source;
    size_t source_bytes;
    int line, column; /* of the last token: where a missing value belongs */
};

static void discard(struct fy_diag *diag, void *user, const char *text,
                    size_t bytes)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)bytes;
}

static whet_status fail_at(struct builder *b, int line, int column,
                           const char *what)
{
    b->st = whet_err_set(b->err, WHET_EINVAL, "%s:%d:%d: %s", b->doc->where,
                         line, column, what);
    return b->st;
}

static whet_status fail_memory(struct builder *b)
{
    b->st =
        whet_err_set(b->err, WHET_ENOMEM, "%s: out of memory", b->doc->where);
    return b->st;
}

/* The scanner's first complaint. */
static whet_status fail_scan(struct builder *b)
{
    void *prev = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(b->diag, &prev);

    if (e == NULL)
        return fail_at(b, b->line, b->column, "not YAML");
    return fail_at(b, e->line + b->doc->first_line - 1, e->column,
                   e->msg ? e->msg : "not YAML");
}

static void note_place(struct builder *b, struct fy_token *token)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;

    if (mark == NULL)
        return;
    b->line = mark->line + b->doc->first_line;
    b->column = mark->column + 1;
}

static struct fy_event *next_event(struct builder *b)
{
    struct fy_event *event;

    if (b->st != WHET_OK)
        return NULL;
    event = fy_parser_parse(b->parser);
    if (event == NULL)
        fail_scan(b);
    return event;
}

static whet_yaml_node *new_node(struct builder *b, unsigned kind)
{
    whet_yaml_node *node = whet_arena_alloc(b->doc->arena, sizeof *node);

    if (node == NULL) {
        fail_memory(b);
        return NULL;
    }
    node->kind = kind;
    node->line = b->line;
    node->column = b->column;
    return node;
}

static bool gather_quoted(struct builder *b, struct fy_token *token)
{
    const struct fy_mark *start = fy_token_start_mark(token);
    const struct fy_mark *end = fy_token_end_mark(token);

    if (start == NULL || end == NULL || start->input_pos > end->input_pos ||
        end->input_pos > b->source_bytes)
        return false;
    whet_yaml__unquote(&b->text, b->source + start->input_pos,
                       end->input_pos - start->input_pos);
    return !b->text.failed;
}

/* Collect a scalar's text, piece by piece: asking libfyaml 0.7 for all of it
 * leaks memory when there are many pieces. */
static bool gather_text(struct builder *b, struct fy_token *token)
{
    const struct fy_iter_chunk *chunk = NULL;
    struct fy_token_iter *iter = NULL;
    int error = 0;

    b->text.bytes = 0;
    whet_buf_add(&b->text, "", 0);
    if (token == NULL)
        return !b->text.failed;
    if (fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED)
        return gather_quoted(b, token);
    iter = fy_token_iter_create(token);
    if (iter == NULL)
        return false;
    while ((chunk = fy_token_iter_chunk_next(iter, chunk, &error)) != NULL)
        whet_buf_add(&b->text, chunk->str, chunk->len);
    fy_token_iter_destroy(iter);
    return !b->text.failed && error == 0;
}

static whet_yaml_node *build_scalar(struct builder *b,
                                    const struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    whet_yaml_node *node = new_node(b, WHET_YAML_SCALAR);

    if (node == NULL)
        return NULL;
    if (!gather_text(b, token)) {
        fail_memory(b);
        return NULL;
    }
    if (b->text.bytes > 0 &&
        memchr(b->text.data, '\0', b->text.bytes) != NULL) {
        fail_at(b, b->line, b->column, "NUL byte in a text, expected none");
        return NULL;
    }
    node->is_plain =
        token == NULL || fy_token_scalar_style(token) == FYSS_PLAIN;
    node->is_absent = node->is_plain && b->text.bytes == 0;
    node->text = whet_arena_strndup(b->doc->arena, whet_buf_str(&b->text),
                                    b->text.bytes);
    if (node->text == NULL) {
        fail_memory(b);
        return NULL;
    }
    return node;
}

static whet_yaml_node *build_node(struct builder *b, struct fy_event *event,
                                  int depth);

/* Items up to the closing event, as a chain. */
static whet_yaml_node *build_chain(struct builder *b,
                                   enum fy_event_type closing, int depth,
                                   size_t *count)
{
    whet_yaml_node *first = NULL, **link = &first;
    struct fy_event *event;

    *count = 0;
    while ((event = next_event(b)) != NULL) {
        bool is_end = event->type == closing;

        if (!is_end) {
            *link = build_node(b, event, depth);
            if (*link != NULL) {
                link = &(*link)->next;
                ++*count;
            }
        }
        fy_parser_event_free(b->parser, event);
        if (is_end)
            break;
    }
    return first;
}

static int compare_keys(const void *a, const void *b)
{
    const whet_yaml_node *const *left = a;
    const whet_yaml_node *const *right = b;
    int order = strcmp((*left)->text, (*right)->text);

    if (order != 0)
        return order;
    if ((*left)->line != (*right)->line)
        return (*left)->line < (*right)->line ? -1 : 1;
    return ((*left)->column > (*right)->column) -
           ((*left)->column < (*right)->column);
}

/* Sorting a copy keeps this cheap for a mapping of any size. */
static void refuse_duplicates(struct builder *b, const whet_yaml_node *map)
{
    whet_yaml_node **keys;
    size_t i, count = 0;

    if (map->count < 2)
        return;
    keys = malloc(map->count * sizeof(whet_yaml_node *));
    if (keys == NULL) {
        fail_memory(b);
        return;
    }
    for (i = 0; i < map->count; i++)
        if (map->items[2 * i]->kind == WHET_YAML_SCALAR)
            keys[count++] = map->items[2 * i];
    qsort(keys, count, sizeof(whet_yaml_node *), compare_keys);
    for (i = 1; i < count && b->st == WHET_OK; i++)
        if (strcmp(keys[i - 1]->text, keys[i]->text) == 0)
            b->st = whet_err_set(
                b->err, WHET_EINVAL,
                "%s:%d:%d: duplicate key '%.60s', expected once (first at "
                "line %d)",
                b->doc->where, keys[i]->line, keys[i]->column, keys[i]->text,
                keys[i - 1]->line);
    free(keys);
}

static whet_yaml_node *build_collection(struct builder *b, unsigned kind,
                                        int depth)
{
    whet_yaml_node *node = new_node(b, kind);
    whet_yaml_node *item;
    size_t i, count;

    if (node == NULL)
        return NULL;
    if (depth >= MAX_DEPTH) {
        fail_at(b, b->line, b->column,
                "nested too deeply, expected at most 64");
        return NULL;
    }
    item = build_chain(
        b, kind == WHET_YAML_SEQ ? FYET_SEQUENCE_END : FYET_MAPPING_END,
        depth + 1, &count);
    if (b->st != WHET_OK)
        return NULL;
    node->items =
        whet_arena_alloc(b->doc->arena, count * sizeof(whet_yaml_node *));
    if (node->items == NULL) {
        fail_memory(b);
        return NULL;
    }
    for (i = 0; i < count; i++, item = item->next)
        node->items[i] = item;
    node->count = kind == WHET_YAML_MAP ? count / 2 : count;
    if (kind == WHET_YAML_MAP)
        refuse_duplicates(b, node);
    return b->st == WHET_OK ? node : NULL;
}

static whet_yaml_node *refuse(struct builder *b, struct fy_token *token,
                              const char *what)
{
    note_place(b, token);
    fail_at(b, b->line, b->column, what);
    return NULL;
}

static whet_yaml_node *build_node(struct builder *b, struct fy_event *event,
                                  int depth)
{
    static const char no_anchor[] = "anchor, expected plain data";
    static const char no_tag[] = "tag, expected plain data";

    switch (event->type) {
    case FYET_SCALAR:
        note_place(b, event->scalar.value);
        if (event->scalar.anchor != NULL)
            return refuse(b, event->scalar.anchor, no_anchor);
        if (event->scalar.tag != NULL)
            return refuse(b, event->scalar.tag, no_tag);
        return build_scalar(b, event);
    case FYET_SEQUENCE_START:
        note_place(b, event->sequence_start.sequence_start);
        if (event->sequence_start.anchor != NULL)
            return refuse(b, event->sequence_start.anchor, no_anchor);
        if (event->sequence_start.tag != NULL)
            return refuse(b, event->sequence_start.tag, no_tag);
        return build_collection(b, WHET_YAML_SEQ, depth);
    case FYET_MAPPING_START:
        note_place(b, event->mapping_start.mapping_start);
        if (event->mapping_start.anchor != NULL)
            return refuse(b, event->mapping_start.anchor, no_anchor);
        if (event->mapping_start.tag != NULL)
            return refuse(b, event->mapping_start.tag, no_tag);
        return build_collection(b, WHET_YAML_MAP, depth);
    case FYET_ALIAS:
        return refuse(b, event->alias.anchor, "alias, expected plain data");
    default:
        return refuse(b, NULL, "not YAML");
    }
}

static bool is_node_event(enum fy_event_type type)
{
    return type == FYET_SCALAR || type == FYET_SEQUENCE_START ||
           type == FYET_MAPPING_START || type == FYET_ALIAS;
}

static whet_status build_document(struct builder *b)
{
    struct fy_event *event;
    bool is_over = false;
    int documents = 0;

    while (!is_over && (event = next_event(b)) != NULL) {
        if (event->type == FYET_DOCUMENT_START && ++documents > 1) {
            note_place(b, event->document_start.document_start);
            fail_at(b, b->line, b->column,
                    "a second document, expected one only");
        } else if (is_node_event(event->type)) {
            b->doc->root = build_node(b, event, 0);
        }
        is_over = event->type == FYET_STREAM_END;
        fy_parser_event_free(b->parser, event);
    }
    if (b->st == WHET_OK && b->doc->root != NULL && b->doc->root->is_absent)
        b->doc->root = NULL;
    return b->st;
}

static whet_status scan(whet_yaml *doc, const char *text, size_t bytes,
                        whet_err *err)
{
    struct builder b = {.doc = doc,
                        .err = err,
                        .st = WHET_OK,
                        .source = text,
                        .source_bytes = bytes,
                        .line = doc->first_line,
                        .column = 1};
    struct fy_diag_cfg diag_cfg;
    struct fy_parse_cfg cfg = {.search_path = "",
                               .flags = FYPCF_QUIET | FYPCF_JSON_NONE |
                                        FYPCF_DEFAULT_VERSION_1_2};

    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = discard;
    b.diag = fy_diag_create(&diag_cfg);
    if (b.diag == NULL)
        return fail_memory(&b);
    fy_diag_set_collect_errors(b.diag, true);
    cfg.diag = b.diag;
    b.parser = fy_parser_create(&cfg);
    if (b.parser == NULL || fy_parser_set_string(b.parser, text, bytes) != 0)
        fail_memory(&b);
    else
        build_document(&b);
    whet_buf_deinit(&b.text);
    fy_parser_destroy(b.parser);
    fy_diag_destroy(b.diag);
    return b.st;
}

/* The scanner would guess UTF-16 and let wrong sequences pass. */
static whet_status check_text(const whet_yaml *doc, const char *text,
                              size_t bytes, whet_err *err)
{
    int line = doc->first_line;
    int column = 1;
    size_t i, step;

    for (i = 0; i < bytes; i += step) {
        uint32_t code = 0;

        step = whet_base__utf8_next(&code, text + i, bytes - i);
        if (step == 0)
            return whet_err_set(
                err, WHET_EINVAL, "%s:%d:%d: byte 0x%02x, expected UTF-8",
                doc->where, line, column, (unsigned char)text[i]);
        if (code == '\n') {
            line++;
            column = 1;
            continue;
        }
        if (code != '\t' && code != '\r' && whet_base__is_unsafe(code))
            return whet_err_set(err, WHET_EINVAL,
                                "%s:%d:%d: control character U+%04X, expected "
                                "text",
                                doc->where, line, column, (unsigned)code);
        column++;
    }
    return WHET_OK;
}

static bool is_separator(const char *text, size_t bytes, size_t at)
{
    return at >= bytes || text[at] == ' ' || text[at] == '\t' ||
           text[at] == '\r' || text[at] == '\n';
}

/* libfyaml 0.7 corrupts its own list of indents after some malformed keys that
 * are written with a question mark, and crashes when it is destroyed. Nothing
 * of ours needs such keys: a line must not begin with one, also not behind the
 * dashes of a sequence; nor may a flow mapping hold one. */
static whet_status check_keys(const whet_yaml *doc, const char *text,
                              size_t bytes, whet_err *err)
{
    int line = doc->first_line;
    bool is_start = true; /* only blanks and indicators so far */
    size_t i, begin = 0;

    for (i = 0; i < bytes; i++) {
        char c = text[i];

        if (c == '?' && is_start && is_separator(text, bytes, i + 1))
            return whet_err_set(err, WHET_EINVAL,
                                "%s:%d:%zu: a key marked by '?', expected "
                                "\"key: value\"",
                                doc->where, line, i - begin + 1);
        if (c == '\n' || c == '\r') {
            line += c == '\n';
            begin = i + 1;
            is_start = true;
        } else if (c == '{' || c == '[' || c == ',') {
            is_start = true;
        } else if (c != ' ' && c != '\t' &&
                   !(c == '-' && is_start &&
                     is_separator(text, bytes, i + 1))) {
            is_start = false;
        }
    }
    return WHET_OK;
}

whet_status whet_yaml_parse(whet_yaml **out, const char *text, size_t bytes,
                            const char *where, int first_line, whet_err *err)
{
    whet_yaml *doc;
    whet_status st = WHET_OK;

    *out = NULL;
    if (bytes > MAX_TEXT_BYTES)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %zu bytes of YAML, expected at most %d", where,
                            bytes, MAX_TEXT_BYTES);
    doc = calloc(1, sizeof *doc);
    if (doc != NULL) {
        doc->arena = whet_arena_new();
        doc->where = whet_strdup(where);
        doc->first_line = first_line;
    }
    if (doc == NULL || doc->arena == NULL || doc->where == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
        goto out;
    }
    /* The scanner takes a length of 0 for "up to the NUL". */
    st = check_text(doc, text, bytes, err);
    if (st == WHET_OK)
        st = check_keys(doc, text, bytes, err);
    if (st == WHET_OK && bytes > 0)
        st = scan(doc, text, bytes, err);
    if (st == WHET_OK) {
        *out = doc;
        doc = NULL;
    }
out:
    whet_yaml_free(doc);
    return st;
}

void whet_yaml_free(whet_yaml *doc)
{
    if (doc == NULL)
        return;
    whet_arena_free(doc->arena);
    free(doc->where);
    free(doc);
}
