/* Evaluator of the expression language: exact 64-bit arithmetic, every node
 * visited at most once, every overflow an error. */

#include "task/expr_priv.h"

#include <string.h>

typedef struct evaluation {
    const whet_expr *expr;
    whet_expr_lookup lookup;
    void *payload;
    whet_err *err;
} evaluation;

static const char *op_text(expr_op op)
{
    switch (op) {
    case OP_ADD:
        return "+";
    case OP_SUB:
        return "-";
    case OP_MUL:
        return "*";
    case OP_DIV:
        return "/";
    case OP_MOD:
        return "%";
    case OP_CEIL_DIV:
        return "ceil_div";
    case OP_ROUND_UP:
        return "round_up";
    default:
        return "?";
    }
}

static whet_status eval_fail(const evaluation *e, const expr_node *n,
                             const char *fmt, ...) WHET_PRINTF(3, 4);

static whet_status eval_fail(const evaluation *e, const expr_node *n,
                             const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    whet_err_vset(e->err, WHET_EINVAL, fmt, args);
    va_end(args);
    return whet_err_prefix(e->err, WHET_EINVAL, "'%.120s', column %u",
                           e->expr->text, n->column);
}

static whet_status eval_name(int64_t *out, const evaluation *e,
                             const expr_node *n)
{
    const char *name = e->expr->names[n->left];
    whet_err own = {0};
    whet_status st = e->lookup(out, name, e->payload, &own);

    if (st == WHET_OK)
        return WHET_OK;
    /* A lookup may already have said it better ("did you mean ..."). */
    if (own.msg[0] == '\0')
        whet_err_set(&own, st, "unknown name '%s'", name);
    if (st == WHET_ENOTFOUND)
        return eval_fail(e, n, "%s", own.msg);
    return whet_err_set(e->err, st, "%s", own.msg);
}

/* Floor division; `b` is neither 0 nor the overflowing -1. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static whet_status eval_division(int64_t *out, const evaluation *e,
                                 const expr_node *n, int64_t a, int64_t b)
{
    bool overflow = false;

    if (b == 0)
        return eval_fail(e, n, "division by zero (%lld %s 0)", (long long)a,
                         op_text(n->op));
    if ((n->op == OP_CEIL_DIV || n->op == OP_ROUND_UP) && (a < 0 || b < 0))
        return eval_fail(e, n, "%s(%lld, %lld), expected no negative argument",
                         op_text(n->op), (long long)a, (long long)b);
    switch (n->op) {
    case OP_DIV:
        overflow = b == -1 && a == INT64_MIN;
        *out = overflow ? 0 : floor_div(a, b);
        break;
    case OP_MOD:
        *out = b == -1 ? 0 : floor_mod(a, b);
        break;
    case OP_CEIL_DIV:
        *out = a / b + (a % b != 0);
        break;
    default:
        overflow = __builtin_mul_overflow(a / b + (a % b != 0), b, out);
        break;
    }
    if (overflow)
        return eval_fail(e, n, "%s of %lld and %lld overflows 64 bits",
                         op_text(n->op), (long long)a, (long long)b);
    return WHET_OK;
}

static whet_status eval_arithmetic(int64_t *out, const evaluation *e,
                                   const expr_node *n, int64_t a, int64_t b)
{
    bool overflow;

    if (n->op == OP_ADD)
        overflow = __builtin_add_overflow(a, b, out);
    else if (n->op == OP_SUB)
        overflow = __builtin_sub_overflow(a, b, out);
    else
        overflow = __builtin_mul_overflow(a, b, out);
    if (overflow)
        return eval_fail(e, n, "%lld %s %lld overflows 64 bits", (long long)a,
                         op_text(n->op), (long long)b);
    return WHET_OK;
}

static whet_status eval_unary(int64_t *out, const evaluation *e,
                              const expr_node *n, int64_t a)
{
    int64_t power = 1;

    if (n->op == OP_NOT) {
        *out = a == 0;
    } else if (n->op == OP_NEG) {
        if (__builtin_sub_overflow((int64_t)0, a, out))
            return eval_fail(e, n, "-(%lld) overflows 64 bits", (long long)a);
    } else {
        if (a < 0)
            return eval_fail(e, n,
                             "pow2_ceil(%lld), expected no negative "
                             "argument",
                             (long long)a);
        if (a > (int64_t)1 << 62)
            return eval_fail(e, n, "pow2_ceil(%lld) overflows 64 bits",
                             (long long)a);
        while (power < a)
            power *= 2;
        *out = power;
    }
    return WHET_OK;
}

static whet_status eval_binary(int64_t *out, const evaluation *e,
                               const expr_node *n, int64_t a, int64_t b)
{
    switch (n->op) {
    case OP_EQ:
        *out = a == b;
        return WHET_OK;
    case OP_NE:
        *out = a != b;
        return WHET_OK;
    case OP_LT:
        *out = a < b;
        return WHET_OK;
    case OP_LE:
        *out = a <= b;
        return WHET_OK;
    case OP_GT:
        *out = a > b;
        return WHET_OK;
    case OP_GE:
        *out = a >= b;
        return WHET_OK;
    case OP_MIN:
        *out = a < b ? a : b;
        return WHET_OK;
    case OP_MAX:
        *out = a > b ? a : b;
        return WHET_OK;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        return eval_arithmetic(out, e, n, a, b);
    default:
        return eval_division(out, e, n, a, b);
    }
}

/* Recursion is at most as deep as the text is long. */
static whet_status eval_node(int64_t *out, const evaluation *e, int index)
{
    const expr_node *n = &e->expr->nodes[index];
    int64_t a = 0, b = 0;
    whet_status st;

    if (n->op == OP_NUMBER) {
        *out = n->value;
        return WHET_OK;
    }
    if (n->op == OP_NAME)
        return eval_name(out, e, n);
    if ((st = eval_node(&a, e, n->left)) != WHET_OK)
        return st;
    if (n->right < 0)
        return eval_unary(out, e, n, a);
    if ((n->op == OP_AND && a == 0) || (n->op == OP_OR && a != 0)) {
        *out = n->op == OP_OR;
        return WHET_OK;
    }
    if ((st = eval_node(&b, e, n->right)) != WHET_OK)
        return st;
    if (n->op == OP_AND || n->op == OP_OR) {
        *out = b != 0;
        return WHET_OK;
    }
    return eval_binary(out, e, n, a, b);
}

whet_status whet_expr_eval(int64_t *out, const whet_expr *expr,
                           whet_expr_lookup lookup, void *payload,
                           whet_err *err)
{
    const evaluation e = {expr, lookup, payload, err};
    int64_t value = 0;
    whet_status st = eval_node(&value, &e, expr->root);

    *out = st == WHET_OK ? value : 0;
    return st;
}

whet_status whet_binding_lookup(int64_t *out, const char *name, void *payload,
                                whet_err *err)
{
    const whet_binding *binding = payload;
    const char *close;

    for (size_t i = 0; i < binding->count; i++) {
        if (strcmp(binding->names[i], name) == 0) {
            *out = binding->values[i];
            return WHET_OK;
        }
    }
    close = whet_closest_name(name, binding->names, binding->count);
    if (close != NULL)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "unknown name '%s', did you mean '%s'?", name,
                            close);
    return whet_err_set(err, WHET_ENOTFOUND, "unknown name '%s'", name);
}
