/* SHA-256 by libmd. Only this file knows the library's context. */

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(SHA2_CTX) <= sizeof(((whet_hasher *)0)->state),
               "whet_hasher holds the library's context");
_Static_assert(_Alignof(SHA2_CTX) <= _Alignof(whet_hasher),
               "whet_hasher is aligned for the library's context");

enum { FILE_BLOCK_BYTES = 64 * 1024 };

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

whet_status whet_hash_file(whet_hash *out, const char *path, whet_err *err)
{
    unsigned char block[FILE_BLOCK_BYTES];
    whet_status st = WHET_OK;
    struct stat info;
    SHA2_CTX ctx;
    ssize_t got;
    int fd;

    *out = (whet_hash){{0}};
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return whet_err_set(err, WHET_ENOTFOUND, "%s: no such file", path);
    if (fd < 0)
        return whet_err_errno(err, errno, "%s: cannot open", path);
    if (fstat(fd, &info) != 0) {
        st = whet_err_errno(err, errno, "%s: cannot stat", path);
        goto out;
    }
    if (!S_ISREG(info.st_mode)) {
        st = whet_err_set(err, WHET_EFAIL, "%s: not a regular file", path);
        goto out;
    }
    SHA256Init(&ctx);
    while ((got = read(fd, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            st = whet_err_errno(err, errno, "%s: cannot read", path);
            goto out;
        }
        update(&ctx, block, (size_t)got);
    }
    *out = finish(&ctx);
out:
    close(fd);
    return st;
}
