#ifndef WHET_JSON_H
#define WHET_JSON_H

/* Checked access to jansson values and one canonical text form. Numbers that
 * must survive exactly (64-bit counts, hashes) travel as integers or text. */

#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Parse one JSON document (any value) from outside: duplicate keys, trailing
 * bytes, NUL bytes and nesting beyond jansson's limit are refused.
 *
 * @param where  names the source in messages ("recording.json")
 * @param out    new reference, caller json_decref's; NULL on failure
 * @return WHET_EINVAL as "WHERE:LINE:COLUMN: ..."
 */
whet_status whet_json_parse(json_t **out, const char *text, size_t bytes,
                            const char *where, whet_err *err);

/** Canonical text: sorted keys, no spaces, reals with 17 digits; the same
 *  value always gives the same bytes. Caller frees; NULL on out of memory. */
char *whet_json_canonical(const json_t *value);

/** Indented text for people; caller frees; NULL on out of memory. */
char *whet_json_pretty(const json_t *value);

/** String member. Missing or of another type: WHET_EINVAL naming the key.
 *  `*out` is borrowed from `object`. */
whet_status whet_json_get_str(const char **out, const json_t *object,
                              const char *key, whet_err *err);

/** Integer member within [min, max]. */
whet_status whet_json_get_i64(int64_t *out, const json_t *object,
                              const char *key, int64_t min, int64_t max,
                              whet_err *err);

/** Finite number member (integer or real). */
whet_status whet_json_get_f64(double *out, const json_t *object,
                              const char *key, whet_err *err);

/** Boolean member. */
whet_status whet_json_get_bool(bool *out, const json_t *object, const char *key,
                               whet_err *err);

/** Array or object member, borrowed. */
whet_status whet_json_get_array(json_t **out, const json_t *object,
                                const char *key, whet_err *err);
whet_status whet_json_get_object(json_t **out, const json_t *object,
                                 const char *key, whet_err *err);

/** Set a member, taking over the reference to `value`. Outside text must be
 *  escaped to valid UTF-8 first. @return false on out of memory */
bool whet_json_set(json_t *object, const char *key, json_t *value);

/** Real number, or JSON null if it is not finite: "unknown" is never 0. */
json_t *whet_json_number(double value);

/** JSON string of outside bytes, escaped by whet_buf_escape with its
 *  newlines kept, cut at `max_bytes` of the result between characters. */
json_t *whet_json_outside_text(const char *text, size_t bytes,
                               size_t max_bytes);

#ifdef __cplusplus
}
#endif

#endif /* WHET_JSON_H */
