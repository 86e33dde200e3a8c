#ifndef WHET_EXPR_PRIV_H
#define WHET_EXPR_PRIV_H

/* The tree that expr.c builds and expr_eval.c walks. */

#include "task/expr.h"

typedef enum expr_op {
    OP_NUMBER,
    OP_NAME,
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_NEG,
    OP_MIN,
    OP_MAX,
    OP_CEIL_DIV,
    OP_ROUND_UP,
    OP_POW2_CEIL
} expr_op;

/* Children are indices of earlier nodes, -1 for none. For OP_NAME, `left` is
 * an index into the names. */
typedef struct expr_node {
    expr_op op;
    unsigned column;
    int left, right;
    int64_t value;
} expr_node;

/* Lives in one block together with all it points to. */
struct whet_expr {
    char *text;
    expr_node *nodes;
    int node_count;
    int root;
    const char **names;
    size_t name_count;
    char *spare; /* where the next name goes */
};

#endif /* WHET_EXPR_PRIV_H */
