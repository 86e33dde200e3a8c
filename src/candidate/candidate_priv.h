#ifndef WHET_CANDIDATE_PRIV_H
#define WHET_CANDIDATE_PRIV_H

/* What the files of the candidate room share: the table of languages, the
 * parsed plan, and the steps of parsing in their order: text, front comment,
 * plan. */

#include "candidate/candidate.h"

/** What the room knows of a source language: how its front comment looks. */
typedef struct whet_candidate_language {
    const char *name;       /**< Toolchain's word; NULL in the default row. */
    const char *ending;     /**< With the dot. */
    bool has_hash_comments; /**< '#' as in Python, instead of C's. */
    bool has_shared_arg;    /**< Local memory can be an argument of a kernel. */
} whet_candidate_language;

/** Row of a language; a row with C comments for one that is not listed. */
const whet_candidate_language *whet_candidate__language(const char *name);

/** Row by the ending of a file name, or NULL. */
const whet_candidate_language *whet_candidate__ending(const char *where);

/**
 * Refuse text that is empty, binary (NUL, control bytes, not UTF-8) or holds
 * non-ASCII characters outside comments.
 */
whet_status whet_candidate__check_text(const char *text, size_t bytes,
                                       const char *where,
                                       const whet_candidate_language *language,
                                       whet_err *err);

/**
 * Cut the plan out of the front comment. What is not plan on its lines becomes
 * spaces, so that line and column numbers stay those of the file.
 *
 * @param out  appended to
 * @param line_out  line of the file on which `out` starts
 */
whet_status whet_candidate__front(whet_buf *out, int *line_out,
                                  const char *text, size_t bytes,
                                  const char *where,
                                  const whet_candidate_language *language,
                                  whet_err *err);

/** Largest buffer, and most work-items of a launch: sums and products of such
 *  numbers stay well inside 64 bits. */
#define WHET_BUFFER_BYTES_MAX ((uint64_t)1 << 62)

/** Has the launch at most 2^62 work-items? */
bool whet_candidate__is_countable(const whet_bound_launch *launch);

typedef enum plan_arg_kind {
    PLAN_ARG_BUFFER, /**< Tensor or workspace `index` of the bound plan. */
    PLAN_ARG_SCALAR, /**< Scalar `index` of the task. */
    PLAN_ARG_SHARED,
    PLAN_ARG_I32,
    PLAN_ARG_I64
} plan_arg_kind;

typedef struct plan_arg {
    plan_arg_kind kind;
    unsigned index;
    whet_expr *expr; /**< Of the integer kinds. */
} plan_arg;

typedef struct plan_launch {
    char kernel[WHET_NAME_BYTES];
    whet_expr *grid[3], *block[3]; /**< NULL = 1. */
    whet_expr *shared;             /**< NULL = 0. */
    plan_arg args[WHET_ARG_MAX];
    unsigned arg_count;
} plan_launch;

typedef struct plan_let {
    char name[WHET_NAME_BYTES];
    whet_expr *expr;
    bool is_i64; /**< A dim written i64 occurs in it, maybe in another let. */
} plan_let;

typedef struct plan_workspace {
    char name[WHET_NAME_BYTES];
    whet_dtype dtype;
    unsigned rank;
    whet_expr *shape[WHET_RANK_MAX];
} plan_workspace;

/** A parsed plan. All zero is a valid empty one. */
typedef struct whet_plan {
    plan_launch launches[WHET_LAUNCH_MAX];
    unsigned launch_count;
    plan_let lets[WHET_LET_MAX];
    unsigned let_count;
    unsigned let_order[WHET_LET_MAX]; /**< Each after those it reads. */
    whet_expr *constraints[WHET_CONSTRAINT_MAX];
    unsigned constraint_count;
    plan_workspace workspaces[WHET_WORKSPACE_MAX];
    unsigned workspace_count;
} whet_plan;

/** Names of the device facts that a plan may read, in the order of
 *  whet_candidate__fact. */
enum { WHET_FACT_COUNT = 3 };
const char *whet_candidate__fact_name(unsigned index);
/** Value of a fact; 0 = unknown. */
uint64_t whet_candidate__fact(const whet_limits *limits, unsigned index);

/** Parse the YAML of a plan into candidate->tunables and candidate->plan,
 *  which are freed by the caller also after a failure. */
whet_status whet_candidate__plan(whet_candidate *candidate, const char *yaml,
                                 size_t bytes, const char *where,
                                 int first_line, const whet_task *task,
                                 whet_err *err);

/** Refuse a value that is not in a tunable's domain. */
whet_status whet_candidate__check_value(const whet_tunable *tunable,
                                        int64_t value, whet_err *err);

/** Expressions of a plan: what a name may stand for there is looked up in
 *  this. Borrowed. */
typedef struct plan_scope {
    const whet_candidate *candidate; /**< Tunables and lets so far. */
    const whet_task *task;
} plan_scope;

typedef enum plan_name_kind {
    PLAN_NAME_NONE,
    PLAN_NAME_DIM,
    PLAN_NAME_SCALAR,
    PLAN_NAME_TENSOR,
    PLAN_NAME_WORKSPACE,
    PLAN_NAME_TUNABLE,
    PLAN_NAME_LET,
    PLAN_NAME_FACT,
    PLAN_NAME_WORD /**< `shared` or a word of the expression language. */
} plan_name_kind;

/** What a name means; `*index_out` within its kind. */
plan_name_kind whet_candidate__resolve(unsigned *index_out,
                                       const plan_scope *scope,
                                       const char *name);

/** Refuse a new name that is no identifier, reserved or taken; the message
 *  has no place in it. */
whet_status whet_candidate__check_new_name(const plan_scope *scope,
                                           const char *name, whet_err *err);

/** Refuse an expression with a name that is not an integer of the scope; the
 *  message has no place in it. */
whet_status whet_candidate__check_expr(const plan_scope *scope,
                                       const whet_expr *expr, whet_err *err);

/** Does a dim written i64 occur in the expression, directly or by a let? */
bool whet_candidate__is_i64(const plan_scope *scope, const whet_expr *expr);

/** "unknown name 'x', did you mean 'y'?" */
whet_status whet_candidate__unknown_name(const plan_scope *scope,
                                         const char *name, whet_err *err);

/**
 * Put the lets into plan->let_order and fill in is_i64.
 *
 * @param cyclic_out  index of a let that depends on itself, on failure
 */
whet_status whet_candidate__order_lets(unsigned *cyclic_out, whet_plan *plan,
                                       const plan_scope *scope, whet_err *err);

#endif /* WHET_CANDIDATE_PRIV_H */
