/* Encoded images from a cache file or a build child. Each input is decoded as
 * it is and once more with its digests made to fit, as an attacker would. What
 * decodes must encode to the same bytes. */

#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIGEST_BYTES = WHET_HASH_TEXT_BYTES - 1,
    BYTE_COUNT_AT = 16,
    DIGEST_AT = 24,
    HEAD_BYTES = DIGEST_AT + DIGEST_BYTES
};

static void decode(const uint8_t *data, size_t size)
{
    whet_image image;
    whet_buf again = {0};

    if (whet_image_decode(&image, data, size, NULL) != WHET_OK) {
        if (image.bytes != NULL || image.kernel_count != 0)
            abort();
        return;
    }
    whet_image_encode(&again, &image);
    /* Bytes behind the NUL of a kernel's name may differ. */
    if (again.failed || again.bytes != size)
        abort();
    whet_buf_deinit(&again);
    whet_image_deinit(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t byte_count = 0;
    size_t body, i;
    uint8_t *copy;
    whet_hash hash;

    decode(data, size);
    if (size < HEAD_BYTES + DIGEST_BYTES || (copy = malloc(size)) == NULL)
        return 0;
    memcpy(copy, data, size);
    body = size - DIGEST_BYTES;
    for (i = 0; i < 8; i++)
        byte_count |= (uint64_t)copy[BYTE_COUNT_AT + i] << (8 * i);
    if (byte_count <= body - HEAD_BYTES) {
        hash = whet_hash_bytes(copy + body - byte_count, (size_t)byte_count);
        memcpy(copy + DIGEST_AT, hash.text, DIGEST_BYTES);
    }
    hash = whet_hash_bytes(copy, body);
    memcpy(copy + body, hash.text, DIGEST_BYTES);
    decode(copy, size);
    free(copy);
    return 0;
}
