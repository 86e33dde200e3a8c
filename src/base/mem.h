#ifndef WHET_MEM_H
#define WHET_MEM_H

/* Memory helpers: an arena for objects that die together, a growable byte
 * buffer, and one growth rule for typed vectors. */

#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocations that are released together. One thread at a time. */
typedef struct whet_arena whet_arena;

/** New arena, or NULL when out of memory. Freed by whet_arena_free. */
whet_arena *whet_arena_new(void);

/** Release the arena and everything allocated from it. NULL is fine. */
void whet_arena_free(whet_arena *arena);

/**
 * `bytes` zeroed bytes aligned for any type, alive until the arena is freed.
 *
 * @return NULL when out of memory; never NULL for 0 bytes otherwise
 */
void *whet_arena_alloc(whet_arena *arena, size_t bytes);

/** Copy of `bytes` bytes of text with a NUL added; NULL when out of memory. */
char *whet_arena_strndup(whet_arena *arena, const char *text, size_t bytes);

/** Growable byte buffer. All zero is a valid empty buffer. `data` is always
 *  followed by a NUL once anything was appended. */
typedef struct whet_buf {
    char *data;         /**< NULL while nothing was ever appended. */
    size_t bytes;       /**< Used, without the closing NUL. */
    size_t alloc_bytes; /**< Allocated. */
    bool failed;        /**< An append ran out of memory; content is cut. */
} whet_buf;

/** Release the storage and reset to the empty buffer. */
void whet_buf_deinit(whet_buf *buf);

/** Append bytes. On out of memory sets `failed` and drops the rest. */
void whet_buf_add(whet_buf *buf, const void *data, size_t bytes);

/** Append a NUL-terminated string. */
void whet_buf_puts(whet_buf *buf, const char *text);

/** Append formatted text. */
void whet_buf_printf(whet_buf *buf, const char *fmt, ...) WHET_PRINTF(2, 3);

/**
 * Append outside text so that a terminal or a log may show it: control bytes,
 * DEL, and bytes that are not valid UTF-8 become \xNN; bidirectional control
 * characters, C1 controls and line separators become \u{nnnn}; newlines are
 * kept only if `keep_newlines`.
 */
void whet_buf_escape(whet_buf *buf, const char *text, size_t bytes,
                     bool keep_newlines);

/**
 * Content as a NUL-terminated string ("" when empty), borrowed until the next
 * change.
 */
const char *whet_buf_str(const whet_buf *buf);

/**
 * Make room for `need` items of `item_bytes` in `*items`; the growth rule for
 * every typed vector (doubling, overflow checked).
 *
 * @param items      pointer to the vector's storage, may point to NULL
 * @param alloc      capacity in items, updated
 * @return false when out of memory or on overflow; nothing changed then
 */
bool whet_vec_reserve(void **items, size_t *alloc, size_t need,
                      size_t item_bytes);

/** strdup that accepts NULL (gives NULL). Caller frees. */
char *whet_strdup(const char *text);

/** printf into fresh memory; NULL when out of memory. Caller frees. */
char *whet_asprintf(const char *fmt, ...) WHET_PRINTF(1, 2);

/** Copy text into a fixed array, cut to fit, always NUL-terminated.
 *  @return false when it was cut */
bool whet_strcopy(char *dst, size_t dst_bytes, const char *src);

/** Is the text an identifier, [A-Za-z_][A-Za-z0-9_]*, at most 63 bytes? */
bool whet_is_identifier(const char *text, size_t bytes);

/**
 * Closest of `names` to `word` for "did you mean".
 *
 * @return borrowed name at edit distance at most 2 (and below half the word's
 *         length plus one), or NULL
 */
const char *whet_closest_name(const char *word, const char *const *names,
                              size_t name_count);

#ifdef __cplusplus
}
#endif

#endif /* WHET_MEM_H */
