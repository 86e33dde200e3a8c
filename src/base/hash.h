#ifndef WHET_HASH_H
#define WHET_HASH_H

/* Content addresses: SHA-256 (libmd) as lower-case hex. */

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WHET_HASH_TEXT_BYTES = 65 };

/** SHA-256 as 64 lower-case hex digits and a NUL. */
typedef struct whet_hash {
    char text[WHET_HASH_TEXT_BYTES];
} whet_hash;

/** Running SHA-256 over labelled fields. */
typedef struct whet_hasher {
    union {
        uint64_t align;
        unsigned char bytes[256];
    } state; /**< SHA2_CTX of libmd; checked to fit at compile time. */
} whet_hasher;

/** Hash of one byte string. */
whet_hash whet_hash_bytes(const void *data, size_t bytes);

/** Start a hash over several fields. */
void whet_hasher_init(whet_hasher *hasher);

/** Add a field: its label, its length and its bytes all enter the hash, so
 *  that no two different lists of fields collide. */
void whet_hasher_add(whet_hasher *hasher, const char *label, const void *data,
                     size_t bytes);

/** Add a NUL-terminated string as a field. */
void whet_hasher_add_str(whet_hasher *hasher, const char *label,
                         const char *text);

/** Finish and give the digest. The hasher must be initialised again. */
whet_hash whet_hasher_finish(whet_hasher *hasher);

#ifdef __cplusplus
}
#endif

#endif /* WHET_HASH_H */
