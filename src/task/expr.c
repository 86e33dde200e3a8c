/* Parser of the expression language. The text is hostile: its length and
 * nesting are bounded, and the tree holds at most one node per byte. */

#include "task/expr.h"

#include "task/expr_priv.h"

#include <stdlib.h>
#include <string.h>

/* --- tokens --------------------------------------------------------------- */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME, /* keywords and functions too */
    TOKEN_SIGN
} token_kind;

typedef struct token {
    token_kind kind;
    const char *text;
    size_t bytes;
    unsigned column;
    int64_t value;
} token;

typedef struct parser {
    whet_expr *expr;
    size_t bytes; /* of expr->text */
    size_t pos;
    unsigned depth;
    token now;
    whet_err *err;
    whet_status status; /* the first failure; nothing is parsed after it */
} parser;

static const char *const sign_texts[] = {
    /* Two bytes first, so that the longest match wins. */
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ","};

/* What people write out of habit, and what this language spells instead. */
static const struct {
    const char *text, *instead;
} wrong_signs[] = {{"&&", "'and'"},
                   {"||", "'or'"},
                   {"//", "'/', which is floor division"},
                   {"**", "a product"},
                   {"<<", "a product"},
                   {">>", "a division"},
                   {"<>", "'!='"},
                   {"=", "'=='"},
                   {"!", "'not'"}};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           is_digit(c);
}

static bool starts_with(const char *text, size_t bytes, const char *start)
{
    size_t length = strlen(start);

    return bytes >= length && memcmp(text, start, length) == 0;
}

static void fail(parser *p, unsigned column, const char *fmt, ...)
    WHET_PRINTF(3, 4);

static void fail(parser *p, unsigned column, const char *fmt, ...)
{
    va_list args;

    if (p->status != WHET_OK)
        return;
    va_start(args, fmt);
    whet_err_vset(p->err, WHET_EINVAL, fmt, args);
    va_end(args);
    p->status = whet_err_prefix(p->err, WHET_EINVAL, "column %u", column);
}

/* A token was met where `expected` belongs. */
static void fail_token(parser *p, const char *expected)
{
    if (p->now.kind == TOKEN_END)
        fail(p, p->now.column, "the expression ends, expected %s", expected);
    else
        fail(p, p->now.column, "unexpected '%.*s', expected %s",
             (int)(p->now.bytes < 64 ? p->now.bytes : 64), p->now.text,
             expected);
}

static void read_number(parser *p, token *t)
{
    int64_t value = 0;
    size_t i = 0, left = p->bytes - p->pos;

    for (; i < left && is_digit(t->text[i]); i++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, t->text[i] - '0', &value)) {
            fail(p, t->column,
                 "the number is too large, expected at most "
                 "9223372036854775807");
            return;
        }
    }
    if (i < left && (is_word(t->text[i]) || t->text[i] == '.')) {
        fail(p, t->column + (unsigned)i,
             "unexpected '%c' in a number, expected a whole decimal number",
             t->text[i]);
        return;
    }
    t->kind = TOKEN_NUMBER;
    t->bytes = i;
    t->value = value;
}

static void read_word(parser *p, token *t)
{
    size_t i = 0, left = p->bytes - p->pos;

    while (i < left && is_word(t->text[i]))
        i++;
    if (i >= WHET_NAME_BYTES) {
        fail(p, t->column, "the name has %zu bytes, expected at most %d", i,
             WHET_NAME_BYTES - 1);
        return;
    }
    t->kind = TOKEN_NAME;
    t->bytes = i;
}

static void read_sign(parser *p, token *t)
{
    size_t left = p->bytes - p->pos;
    unsigned char byte = (unsigned char)t->text[0];

    /* "==" is a sign and starts with the wrong "=": look for it first; "//"
     * and the like start with a sign, so they come before the signs. */
    for (size_t i = 0; i < sizeof wrong_signs / sizeof wrong_signs[0]; i++) {
        if (!starts_with(t->text, left, wrong_signs[i].text) ||
            starts_with(t->text, left, "==") ||
            starts_with(t->text, left, "!="))
            continue;
        fail(p, t->column, "unexpected '%s', expected %s", wrong_signs[i].text,
             wrong_signs[i].instead);
        return;
    }
    for (size_t i = 0; i < sizeof sign_texts / sizeof sign_texts[0]; i++) {
        if (starts_with(t->text, left, sign_texts[i])) {
            t->kind = TOKEN_SIGN;
            t->bytes = strlen(sign_texts[i]);
            return;
        }
    }
    if (byte < 0x20 || byte >= 0x7f)
        fail(p, t->column,
             "unexpected byte 0x%02x, expected a number, name or operator",
             byte);
    else
        fail(p, t->column,
             "unexpected '%c', expected a number, name or operator", byte);
}

/* Step to the next token; p->now is the end after a failure. */
static void advance(parser *p)
{
    token t = {.kind = TOKEN_END};

    while (p->pos < p->bytes && is_space(p->expr->text[p->pos]))
        p->pos++;
    t.text = p->expr->text + p->pos;
    t.column = (unsigned)p->pos + 1;
    if (p->status == WHET_OK && p->pos < p->bytes) {
        if (is_digit(t.text[0]))
            read_number(p, &t);
        else if (is_word(t.text[0]))
            read_word(p, &t);
        else
            read_sign(p, &t);
    }
    if (p->status != WHET_OK)
        t.kind = TOKEN_END;
    else
        p->pos += t.bytes;
    p->now = t;
}

static bool is_token(const parser *p, const char *text)
{
    return p->now.kind != TOKEN_END && p->now.kind != TOKEN_NUMBER &&
           p->now.bytes == strlen(text) &&
           memcmp(p->now.text, text, p->now.bytes) == 0;
}

static bool accept(parser *p, const char *text)
{
    if (!is_token(p, text))
        return false;
    advance(p);
    return true;
}

/* --- grammar -------------------------------------------------------------- */

static int add_node(parser *p, expr_op op, unsigned column, int left, int right)
{
    whet_expr *expr = p->expr;

    if (p->status != WHET_OK)
        return -1;
    expr->nodes[expr->node_count] =
        (expr_node){.op = op, .column = column, .left = left, .right = right};
    return expr->node_count++;
}

static bool enter(parser *p)
{
    if (++p->depth > WHET_EXPR_DEPTH_MAX)
        fail(p, p->now.column, "nested too deeply, expected at most %d levels",
             WHET_EXPR_DEPTH_MAX);
    return p->status == WHET_OK;
}

static int parse_or(parser *p);

typedef struct function {
    const char *name;
    expr_op op;
    int arg_min, arg_max;
} function;

static const function functions[] = {{"min", OP_MIN, 2, 8},
                                     {"max", OP_MAX, 2, 8},
                                     {"ceil_div", OP_CEIL_DIV, 2, 2},
                                     {"round_up", OP_ROUND_UP, 2, 2},
                                     {"pow2_ceil", OP_POW2_CEIL, 1, 1}};

static const function *find_function(const char *text, size_t bytes)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strlen(functions[i].name) == bytes &&
            memcmp(functions[i].name, text, bytes) == 0)
            return &functions[i];
    }
    return NULL;
}

bool whet_expr_is_reserved(const char *name)
{
    return strcmp(name, "and") == 0 || strcmp(name, "or") == 0 ||
           strcmp(name, "not") == 0 ||
           find_function(name, strlen(name)) != NULL;
}

static int intern(parser *p, const token *t)
{
    whet_expr *expr = p->expr;
    char *copy;

    for (size_t i = 0; i < expr->name_count; i++) {
        if (strlen(expr->names[i]) == t->bytes &&
            memcmp(expr->names[i], t->text, t->bytes) == 0)
            return (int)i;
    }
    copy = expr->spare;
    memcpy(copy, t->text, t->bytes);
    expr->spare += t->bytes + 1;
    expr->names[expr->name_count] = copy;
    return (int)expr->name_count++;
}

/* Behind "name(". More than two arguments fold from the left. */
static int parse_call(parser *p, const token *name)
{
    const function *f = find_function(name->text, name->bytes);
    int result = -1, count = 0;

    if (f == NULL) {
        fail(p, name->column,
             "unknown function '%.*s', expected min, max, ceil_div, round_up "
             "or pow2_ceil",
             (int)name->bytes, name->text);
        return -1;
    }
    do {
        int arg = parse_or(p);

        result =
            count == 0 ? arg : add_node(p, f->op, name->column, result, arg);
        count++;
    } while (p->status == WHET_OK && accept(p, ","));
    if (!accept(p, ")"))
        fail_token(p, "',' or ')'");
    if (count < f->arg_min || count > f->arg_max)
        fail(p, name->column, "%s() has %d argument%s, expected %s%d", f->name,
             count, count == 1 ? "" : "s",
             f->arg_max > f->arg_min && count < f->arg_min ? "at least " : "",
             count < f->arg_min ? f->arg_min : f->arg_max);
    if (f->arg_max == 1)
        result = add_node(p, f->op, name->column, result, -1);
    return result;
}

static int parse_word(parser *p)
{
    const token name = p->now;
    bool is_call;

    if (is_token(p, "and") || is_token(p, "or") || is_token(p, "not")) {
        fail_token(p, "a number, name or '('");
        return -1;
    }
    advance(p);
    is_call = accept(p, "(");
    if (is_call)
        return parse_call(p, &name);
    if (p->status == WHET_OK && find_function(name.text, name.bytes) != NULL) {
        fail(p, name.column, "'%.*s' is a function, expected '(' after it",
             (int)name.bytes, name.text);
        return -1;
    }
    return add_node(p, OP_NAME, name.column, intern(p, &name), -1);
}

static int parse_primary(parser *p)
{
    const token t = p->now;
    int result = -1;

    if (!enter(p))
        return -1;
    if (t.kind == TOKEN_NUMBER) {
        advance(p);
        result = add_node(p, OP_NUMBER, t.column, -1, -1);
        if (result >= 0)
            p->expr->nodes[result].value = t.value;
    } else if (t.kind == TOKEN_NAME) {
        result = parse_word(p);
    } else if (accept(p, "(")) {
        result = parse_or(p);
        if (!accept(p, ")"))
            fail_token(p, "an operator or ')'");
    } else {
        fail_token(p, "a number, name or '('");
    }
    p->depth--;
    return result;
}

static int parse_unary(parser *p)
{
    const unsigned column = p->now.column;
    int result;

    if (!accept(p, "-"))
        return parse_primary(p);
    if (!enter(p))
        return -1;
    result = add_node(p, OP_NEG, column, parse_unary(p), -1);
    p->depth--;
    return result;
}

static int parse_product(parser *p)
{
    int left = parse_unary(p);

    while (p->status == WHET_OK) {
        const unsigned column = p->now.column;
        expr_op op;

        if (accept(p, "*"))
            op = OP_MUL;
        else if (accept(p, "/"))
            op = OP_DIV;
        else if (accept(p, "%"))
            op = OP_MOD;
        else
            break;
        left = add_node(p, op, column, left, parse_unary(p));
    }
    return left;
}

static int parse_sum(parser *p)
{
    int left = parse_product(p);

    while (p->status == WHET_OK) {
        const unsigned column = p->now.column;
        expr_op op;

        if (accept(p, "+"))
            op = OP_ADD;
        else if (accept(p, "-"))
            op = OP_SUB;
        else
            break;
        left = add_node(p, op, column, left, parse_product(p));
    }
    return left;
}

/* The comparison at hand, or OP_NUMBER for none. */
static expr_op comparison_of(const parser *p)
{
    static const struct {
        const char *text;
        expr_op op;
    } rows[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<", OP_LT},
                {"<=", OP_LE}, {">", OP_GT},  {">=", OP_GE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is_token(p, rows[i].text))
            return rows[i].op;
    }
    return OP_NUMBER;
}

static int parse_comparison(parser *p)
{
    int left = parse_sum(p);
    const expr_op op = comparison_of(p);
    const unsigned column = p->now.column;

    if (p->status != WHET_OK || op == OP_NUMBER)
        return left;
    advance(p);
    left = add_node(p, op, column, left, parse_sum(p));
    if (p->status == WHET_OK && comparison_of(p) != OP_NUMBER)
        fail(p, p->now.column,
             "comparisons do not chain, expected 'and' between two of them");
    return left;
}

static int parse_not(parser *p)
{
    const unsigned column = p->now.column;
    int result;

    if (!accept(p, "not"))
        return parse_comparison(p);
    if (!enter(p))
        return -1;
    result = add_node(p, OP_NOT, column, parse_not(p), -1);
    p->depth--;
    return result;
}

static int parse_and(parser *p)
{
    int left = parse_not(p);

    while (p->status == WHET_OK) {
        const unsigned column = p->now.column;

        if (!accept(p, "and"))
            break;
        left = add_node(p, OP_AND, column, left, parse_not(p));
    }
    return left;
}

static int parse_or(parser *p)
{
    int left = parse_and(p);

    while (p->status == WHET_OK) {
        const unsigned column = p->now.column;

        if (!accept(p, "or"))
            break;
        left = add_node(p, OP_OR, column, left, parse_and(p));
    }
    return left;
}

/* One block for everything: a plan holds many small expressions. */
static whet_expr *expr_new(const char *text, size_t bytes)
{
    /* Every node has a byte of its own, except that min() and max() fold n
     * arguments into n - 1 nodes, which its commas pay for. A name and its
     * NUL take no more than its bytes and the separator behind it. */
    const size_t slots = bytes + 1;
    whet_expr *expr =
        calloc(1, sizeof *expr + slots * (sizeof(expr_node) + sizeof(char *)) +
                      2 * slots);
    char *chars;

    if (expr == NULL)
        return NULL;
    expr->nodes = (expr_node *)(expr + 1);
    expr->names = (const char **)(expr->nodes + slots);
    chars = (char *)(expr->names + slots);
    if (bytes > 0)
        memcpy(chars, text, bytes);
    expr->text = chars;
    expr->spare = chars + slots;
    return expr;
}

whet_status whet_expr_parse(whet_expr **out, const char *text, size_t bytes,
                            whet_err *err)
{
    parser p = {.bytes = bytes, .err = err};

    *out = NULL;
    if (bytes > WHET_EXPR_TEXT_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "column %d: the expression has %zu bytes, expected "
                            "at most %d",
                            WHET_EXPR_TEXT_BYTES_MAX + 1, bytes,
                            WHET_EXPR_TEXT_BYTES_MAX);
    p.expr = expr_new(text, bytes);
    if (p.expr == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    advance(&p);
    p.expr->root = parse_or(&p);
    if (p.status == WHET_OK && p.now.kind != TOKEN_END)
        fail_token(&p, "an operator or the end");
    if (p.status != WHET_OK) {
        whet_expr_free(p.expr);
        return p.status;
    }
    *out = p.expr;
    return WHET_OK;
}

void whet_expr_free(whet_expr *expr)
{
    free(expr);
}

const char *whet_expr_text(const whet_expr *expr)
{
    return expr->text;
}

const char *const *whet_expr_names(const whet_expr *expr, size_t *count_out)
{
    *count_out = expr->name_count;
    return expr->names;
}
