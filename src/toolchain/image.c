/* Images as bytes, for the cache and for the pipe from a build child. The
 * decoder's input is hostile: every count is checked before it is used, and
 * two digests must fit. Layout, little-endian:
 *
 *   8 magic, u32 version, u32 kernel count, u64 byte count, 64 digest of the
 *   bytes in hex; per kernel: 64 name, u32 argument count, 32 x u32 argument
 *   kinds, 32 x u8 argument sizes, 9 x u64 facts, u32 wave size; the bytes; 64
 *   digest of everything before. */

#include "toolchain/toolchain.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 2,
    MAGIC_BYTES = 8,
    DIGEST_BYTES = WHET_HASH_TEXT_BYTES - 1,
    FACT_COUNT = 9,
    HEAD_BYTES = MAGIC_BYTES + 4 + 4 + 8 + DIGEST_BYTES,
    KERNEL_BYTES = WHET_KERNEL_NAME_BYTES + 4 + 5 * WHET_KERNEL_ARG_MAX +
                   8 * FACT_COUNT + 4
};

static const char magic[MAGIC_BYTES + 1] = "whetimg1";

/* The facts of 8 bytes, in the order of the file. */
static const size_t fact_at[FACT_COUNT] = {
    offsetof(whet_kernel_facts, lds_bytes),
    offsetof(whet_kernel_facts, private_bytes),
    offsetof(whet_kernel_facts, group_items_max),
    offsetof(whet_kernel_facts, register_count),
    offsetof(whet_kernel_facts, accumulator_count),
    offsetof(whet_kernel_facts, scalar_count),
    offsetof(whet_kernel_facts, spill_bytes),
    offsetof(whet_kernel_facts, spill_count),
    offsetof(whet_kernel_facts, scalar_spill_count),
};

void whet_image_deinit(whet_image *image)
{
    free(image->bytes);
    memset(image, 0, sizeof *image);
}

const whet_kernel_facts *whet_image_kernel(const whet_image *image,
                                           const char *name)
{
    uint32_t i;

    for (i = 0; i < image->kernel_count; i++)
        if (strcmp(image->kernels[i].name, name) == 0)
            return &image->kernels[i];
    return NULL;
}

static void put_u64(whet_buf *out, uint64_t value, size_t bytes)
{
    unsigned char text[8];
    size_t i;

    for (i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> (8 * i));
    whet_buf_add(out, text, bytes);
}

static void put_kernel(whet_buf *out, const whet_kernel_facts *kernel)
{
    char name[WHET_KERNEL_NAME_BYTES] = {0};
    size_t i;

    (void)whet_strcopy(name, sizeof name, kernel->name);
    whet_buf_add(out, name, sizeof name);
    put_u64(out, kernel->arg_count, 4);
    for (i = 0; i < WHET_KERNEL_ARG_MAX; i++)
        put_u64(out, kernel->args[i], 4);
    whet_buf_add(out, kernel->arg_bytes, sizeof kernel->arg_bytes);
    for (i = 0; i < FACT_COUNT; i++) {
        uint64_t fact;

        memcpy(&fact, (const char *)kernel + fact_at[i], sizeof fact);
        put_u64(out, fact, 8);
    }
    put_u64(out, kernel->wave_size, 4);
}

void whet_image_encode(whet_buf *out, const whet_image *image)
{
    size_t start = out->bytes;
    whet_hash digest;
    uint32_t i;

    whet_buf_add(out, magic, MAGIC_BYTES);
    put_u64(out, VERSION, 4);
    put_u64(out, image->kernel_count, 4);
    put_u64(out, image->byte_count, 8);
    whet_buf_add(out, image->hash.text, DIGEST_BYTES);
    for (i = 0; i < image->kernel_count; i++)
        put_kernel(out, &image->kernels[i]);
    whet_buf_add(out, image->bytes, image->byte_count);
    if (out->failed)
        return;
    digest = whet_hash_bytes(out->data + start, out->bytes - start);
    whet_buf_add(out, digest.text, DIGEST_BYTES);
}

static uint64_t get_u64(const unsigned char **at, size_t bytes)
{
    uint64_t value = 0;
    size_t i;

    for (i = 0; i < bytes; i++)
        value |= (uint64_t)(*at)[i] << (8 * i);
    *at += bytes;
    return value;
}

static bool digest_fits(const unsigned char *digest, const void *data,
                        size_t bytes)
{
    whet_hash hash = whet_hash_bytes(data, bytes);

    return memcmp(hash.text, digest, DIGEST_BYTES) == 0;
}

static whet_status get_kernel(whet_kernel_facts *out, const unsigned char **at,
                              whet_err *err)
{
    const char *name = (const char *)*at;
    size_t name_bytes = strnlen(name, WHET_KERNEL_NAME_BYTES);
    size_t i;

    if (!whet_is_identifier(name, name_bytes))
        return whet_err_set(err, WHET_EINVAL,
                            "image: a kernel's name is not an identifier of "
                            "at most %d bytes",
                            WHET_KERNEL_NAME_BYTES - 1);
    memcpy(out->name, name, name_bytes);
    *at += WHET_KERNEL_NAME_BYTES;
    out->arg_count = (uint32_t)get_u64(at, 4);
    if (out->arg_count > WHET_KERNEL_ARG_MAX && out->arg_count != UINT32_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: kernel %s has %u arguments, at most %d",
                            out->name, out->arg_count, WHET_KERNEL_ARG_MAX);
    for (i = 0; i < WHET_KERNEL_ARG_MAX; i++) {
        out->args[i] = (uint32_t)get_u64(at, 4);
        if (out->args[i] > WHET_IMAGE_ARG_F64)
            return whet_err_set(err, WHET_EINVAL,
                                "image: kernel %s has an argument of unknown "
                                "kind %u",
                                out->name, out->args[i]);
    }
    memcpy(out->arg_bytes, *at, sizeof out->arg_bytes);
    *at += sizeof out->arg_bytes;
    for (i = 0; i < FACT_COUNT; i++) {
        uint64_t fact = get_u64(at, 8);

        memcpy((char *)out + fact_at[i], &fact, sizeof fact);
    }
    out->wave_size = (uint32_t)get_u64(at, 4);
    return WHET_OK;
}

static whet_status get_kernels(whet_image *image, const unsigned char **at,
                               whet_err *err)
{
    uint32_t i, j;
    whet_status st;

    for (i = 0; i < image->kernel_count; i++) {
        if ((st = get_kernel(&image->kernels[i], at, err)) != WHET_OK)
            return st;
        for (j = 0; j < i; j++)
            if (strcmp(image->kernels[i].name, image->kernels[j].name) == 0)
                return whet_err_set(err, WHET_EINVAL,
                                    "image: two kernels named %s",
                                    image->kernels[i].name);
    }
    return WHET_OK;
}

whet_status whet_image_decode(whet_image *image, const void *data, size_t bytes,
                              whet_err *err)
{
    const unsigned char *at = data;
    uint64_t byte_count, version;
    uint32_t kernel_count;
    size_t body_bytes;
    whet_status st;

    memset(image, 0, sizeof *image);
    if (bytes < HEAD_BYTES + DIGEST_BYTES ||
        memcmp(at, magic, MAGIC_BYTES) != 0)
        return whet_err_set(err, WHET_EINVAL, "image: not an image");
    at += MAGIC_BYTES;
    version = get_u64(&at, 4);
    kernel_count = (uint32_t)get_u64(&at, 4);
    byte_count = get_u64(&at, 8);
    if (version != VERSION)
        return whet_err_set(err, WHET_EINVAL, "image: version %u, expected %d",
                            (unsigned)version, VERSION);
    if (kernel_count > WHET_KERNEL_MAX || byte_count == 0 ||
        byte_count > WHET_IMAGE_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: %u kernels and %llu bytes, expected at "
                            "most %d and 1 to %d",
                            kernel_count, (unsigned long long)byte_count,
                            WHET_KERNEL_MAX, WHET_IMAGE_BYTES_MAX);
    body_bytes =
        HEAD_BYTES + (size_t)kernel_count * KERNEL_BYTES + (size_t)byte_count;
    if (bytes != body_bytes + DIGEST_BYTES)
        return whet_err_set(err, WHET_EINVAL,
                            "image: %zu bytes long, expected %zu", bytes,
                            body_bytes + DIGEST_BYTES);
    if (!digest_fits((const unsigned char *)data + body_bytes, data,
                     body_bytes) ||
        !digest_fits(at, (const unsigned char *)data + body_bytes - byte_count,
                     (size_t)byte_count))
        return whet_err_set(err, WHET_EINVAL, "image: its digest is wrong");
    memcpy(image->hash.text, at, DIGEST_BYTES);
    at += DIGEST_BYTES;
    image->kernel_count = kernel_count;
    if ((st = get_kernels(image, &at, err)) != WHET_OK)
        goto out;
    image->bytes = malloc((size_t)byte_count);
    if (image->bytes == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "image: out of memory");
        goto out;
    }
    memcpy(image->bytes, at, (size_t)byte_count);
    image->byte_count = (size_t)byte_count;
out:
    if (st != WHET_OK)
        whet_image_deinit(image);
    return st;
}
