#ifndef WHET_YAML_H
#define WHET_YAML_H

/* YAML documents (scanned by libfyaml) and a small schema walker. Every
 * complaint is "FILE:LINE:COLUMN: what, what was expected". Aliases, anchors,
 * tags, duplicate keys, several documents, NUL bytes and nesting beyond 64 are
 * refused. A document is immutable: any number of threads may read it. */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct whet_yaml whet_yaml;           /**< A parsed document. */
typedef struct whet_yaml_node whet_yaml_node; /**< Borrowed from it. */

/** Kinds of node; bits, so that a field may accept several. */
enum whet_yaml_kind {
    WHET_YAML_SCALAR = 1,
    WHET_YAML_SEQ = 2,
    WHET_YAML_MAP = 4,
    WHET_YAML_ANY = 7
};

/**
 * Parse text.
 *
 * @param out    caller frees with whet_yaml_free; NULL on failure
 * @param where  file name for messages, copied
 * @param first_line  line number of the text's first line (1 for a whole
 *                    file; more for a plan inside a comment)
 * @return WHET_EINVAL; text over 1 MiB and keys marked by '?' are refused too
 */
whet_status whet_yaml_parse(whet_yaml **out, const char *text, size_t bytes,
                            const char *where, int first_line, whet_err *err);

/** Free the document and all its nodes. NULL is fine. */
void whet_yaml_free(whet_yaml *doc);

/** Top node; NULL for an empty document. */
const whet_yaml_node *whet_yaml_root(const whet_yaml *doc);

/** One of whet_yaml_kind. A key without a value has an empty scalar. */
unsigned whet_yaml_kind_of(const whet_yaml_node *node);

/** Report a problem at a node as "FILE:LINE:COLUMN: ..."; WHET_EINVAL. A NULL
 *  node means the start of the document. */
whet_status whet_yaml_error(const whet_yaml *doc, const whet_yaml_node *node,
                            whet_err *err, const char *fmt, ...)
    WHET_PRINTF(4, 5);

/** Items of a sequence, or entries of a mapping. */
size_t whet_yaml_count(const whet_yaml_node *node);

/** Item of a sequence, borrowed; NULL if there is none of that index. */
const whet_yaml_node *whet_yaml_item(const whet_yaml_node *seq, size_t index);

/** Key (NUL-terminated, borrowed from the document) and value of a mapping's
 *  entry in file order. The key is NULL if it is not a scalar. `key_out` and
 *  `key_node_out` may be NULL. */
const whet_yaml_node *whet_yaml_entry(const whet_yaml *doc,
                                      const whet_yaml_node *map, size_t index,
                                      const char **key_out,
                                      const whet_yaml_node **key_node_out);

/** Value of a key, or NULL. */
const whet_yaml_node *whet_yaml_find(const whet_yaml_node *map,
                                     const char *key);

/** Scalar text, NUL-terminated, borrowed from the document. A missing value is
 *  refused, an empty text in quotes is not. */
whet_status whet_yaml_str(const char **out, const whet_yaml *doc,
                          const whet_yaml_node *node, whet_err *err);

/** Unquoted scalar as decimal integer within [min, max]. */
whet_status whet_yaml_i64(int64_t *out, const whet_yaml *doc,
                          const whet_yaml_node *node, int64_t min, int64_t max,
                          whet_err *err);

/** Unquoted scalar as finite decimal number. */
whet_status whet_yaml_f64(double *out, const whet_yaml *doc,
                          const whet_yaml_node *node, whet_err *err);

/** One row of a mapping's schema. */
typedef struct whet_yaml_field {
    const char *key;
    unsigned kinds; /**< Accepted whet_yaml_kind bits. */
    bool required;
    /** Read the value into `dest`, reporting with whet_yaml_error. */
    whet_status (*read)(void *dest, const whet_yaml *doc,
                        const whet_yaml_node *value, whet_err *err);
} whet_yaml_field;

/**
 * Walk a mapping by its schema, calling `read` in the order of `fields` (not
 * of the file), so that later fields may rely on earlier ones.
 *
 * @return WHET_EINVAL for a node that is no mapping, an unknown key (with "did
 *         you mean"), a missing required key, a wrong kind; else what `read`
 *         returned
 */
whet_status whet_yaml_walk(void *dest, const whet_yaml *doc,
                           const whet_yaml_node *map,
                           const whet_yaml_field *fields, size_t field_count,
                           whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_YAML_H */
