#ifndef WHET_EXPR_H
#define WHET_EXPR_H

/* The expression language of tasks and launch plans: 64-bit integers, names,
 * + - * / % (floor division and its remainder), comparisons (0 or 1),
 * `and or not`, and the functions min max ceil_div round_up pow2_ceil.
 * No loops and no calls of anything else: evaluation always terminates.
 * Arithmetic is exact; overflow is an error, never a wrapped value.
 *
 * Grammar, loosest first: or, and, not, comparison (not chained), + -,
 * * / %, unary -, primary. */

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_NAME_BYTES = 64,           /**< Longest name plus NUL. */
    WHET_EXPR_TEXT_BYTES_MAX = 512, /**< Longest expression. */
    WHET_EXPR_DEPTH_MAX = 64        /**< Deepest nesting. */
};

/** A parsed expression. Immutable; freed by whet_expr_free. */
typedef struct whet_expr whet_expr;

/**
 * Value of a name.
 *
 * @return WHET_ENOTFOUND for a name nobody binds; else a status of its own
 *         with `err` filled (a cyclic definition, for one)
 */
typedef whet_status (*whet_expr_lookup)(int64_t *out, const char *name,
                                        void *payload, whet_err *err);

/**
 * Parse text (not NUL-terminated, hostile).
 *
 * @return WHET_EINVAL as "column N: ..., expected ..."
 */
whet_status whet_expr_parse(whet_expr **out, const char *text, size_t bytes,
                            whet_err *err);

/** Free an expression. NULL is fine. */
void whet_expr_free(whet_expr *expr);

/** The text it was parsed from, borrowed. */
const char *whet_expr_text(const whet_expr *expr);

/** Distinct names in it, borrowed; `*count_out` of them. */
const char *const *whet_expr_names(const whet_expr *expr, size_t *count_out);

/** Is the word part of the language (`and`, `or`, `not` or a function), so
 *  that it cannot be a name? */
bool whet_expr_is_reserved(const char *name);

/**
 * Evaluate. `and` and `or` look at their right side only if the left one does
 * not decide ("VEC == 0 or cols % VEC == 0").
 *
 * @param lookup  called at most once per occurrence of a name
 * @return WHET_EINVAL: overflow, division by zero, negative where a function
 *         needs none, unbound name ("unknown name 'colz', did you mean ...")
 */
whet_status whet_expr_eval(int64_t *out, const whet_expr *expr,
                           whet_expr_lookup lookup, void *payload,
                           whet_err *err);

/** Names and values in arrays: the usual payload of a lookup. */
typedef struct whet_binding {
    const char *const *names;
    const int64_t *values;
    size_t count;
} whet_binding;

/** A whet_expr_lookup over one whet_binding (the payload). */
whet_status whet_binding_lookup(int64_t *out, const char *name, void *payload,
                                whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_EXPR_H */
