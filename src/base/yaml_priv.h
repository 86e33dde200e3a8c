#ifndef WHET_YAML_PRIV_H
#define WHET_YAML_PRIV_H

/* The tree between yaml.c, which builds it from libfyaml's events, and
 * yaml_read.c, which reads it. */

#include "base/mem.h"
#include "base/yaml.h"

struct whet_yaml_node {
    unsigned kind; /* whet_yaml_kind */
    int line, column;
    bool is_plain;  /* scalar without quotes */
    bool is_absent; /* plain scalar without any text */
    const char *text;
    size_t count;                  /* items or entries */
    struct whet_yaml_node **items; /* of a mapping: key, value, key, ... */
    struct whet_yaml_node *next;   /* sibling, while the tree is built */
};

struct whet_yaml {
    whet_arena *arena;
    char *where;
    int first_line;
    whet_yaml_node *root;
};

/** Append the text that a single-quoted scalar stands for.
 *  @param raw  what stands between the outer quotes, well-formed */
void whet_yaml__unquote(whet_buf *out, const char *raw, size_t bytes);

#endif /* WHET_YAML_PRIV_H */
