/* SHA-256 by libmd. Only this file knows the library's context. */

#include "base/hash.h"

#include <sha2.h>
#include <string.h>

_Static_assert(sizeof(SHA2_CTX) <= sizeof(((whet_hasher *)0)->state),
               "whet_hasher holds the library's context");
_Static_assert(_Alignof(SHA2_CTX) <= _Alignof(whet_hasher),
               "whet_hasher is aligned for the library's context");

static SHA2_CTX *context(whet_hasher *hasher)
{
    return (SHA2_CTX *)(void *)&hasher->state;
}

static whet_hash finish(SHA2_CTX *ctx)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];
    whet_hash hash;

    SHA256Final(digest, ctx);
    for (size_t i = 0; i < sizeof digest; i++) {
        hash.text[2 * i] = digits[digest[i] >> 4];
        hash.text[2 * i + 1] = digits[digest[i] & 15];
    }
    hash.text[2 * sizeof digest] = '\0';
    return hash;
}

static void update(SHA2_CTX *ctx, const void *data, size_t bytes)
{
    if (bytes > 0)
        SHA256Update(ctx, data, bytes);
}

/* Fixed width and byte order, so that hashes agree between machines. */
static void update_length(SHA2_CTX *ctx, uint64_t length)
{
    uint8_t le[8];

    for (int i = 0; i < 8; i++)
        le[i] = (uint8_t)(length >> (8 * i));
    update(ctx, le, sizeof le);
}

whet_hash whet_hash_bytes(const void *data, size_t bytes)
{
    SHA2_CTX ctx;

    SHA256Init(&ctx);
    update(&ctx, data, bytes);
    return finish(&ctx);
}

void whet_hasher_init(whet_hasher *hasher)
{
    memset(hasher, 0, sizeof *hasher);
    SHA256Init(context(hasher));
}

void whet_hasher_add(whet_hasher *hasher, const char *label, const void *data,
                     size_t bytes)
{
    SHA2_CTX *ctx = context(hasher);
    size_t label_bytes = strlen(label);

    update_length(ctx, label_bytes);
    update(ctx, label, label_bytes);
    update_length(ctx, bytes);
    update(ctx, data, bytes);
}

void whet_hasher_add_str(whet_hasher *hasher, const char *label,
                         const char *text)
{
    whet_hasher_add(hasher, label, text, strlen(text));
}

whet_hash whet_hasher_finish(whet_hasher *hasher)
{
    whet_hash hash = finish(context(hasher));

    memset(hasher, 0, sizeof *hasher);
    return hash;
}
