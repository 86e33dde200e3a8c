/* See image_kit.h. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void image_kit_read(whet_buf *out, const char *name)
{
    char *path = whet_asprintf("%s/images/%s", getenv("WHET_TEST_DATA"), name);
    whet_err err = {0};

    assert_non_null(path);
    if (whet_fs_read(out, path, 1 << 20, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    free(path);
}

static void put(whet_buf *out, uint64_t value, size_t bytes)
{
    while (bytes-- > 0) {
        whet_buf_add(out, &(unsigned char){value & 0xff}, 1);
        value >>= 8;
    }
}

void image_kit_wrap(whet_buf *out, const void *metadata, size_t bytes)
{
    static const unsigned char ident[16] = {0x7f, 'E', 'L', 'F', 2,
                                            1,    1,   64,  2};

    whet_buf_add(out, ident, sizeof ident);
    put(out, 3, 2); /* A shared object. */
    put(out, WHET_ELF__MACHINE_AMDGPU, 2);
    put(out, 1, 4);
    put(out, 0, 8);
    put(out, 64, 8); /* Segments. */
    put(out, 0, 8);  /* No sections. */
    put(out, 0x2f, 4);
    put(out, 64, 2);
    put(out, 56, 2);
    put(out, 1, 2);
    put(out, 64, 2);
    put(out, 0, 4);
    put(out, 4, 4); /* PT_NOTE */
    put(out, 4, 4);
    put(out, 120, 8);
    put(out, 0, 16);
    put(out, 12 + 8 + bytes, 8);
    put(out, 12 + 8 + bytes, 8);
    put(out, 4, 8);
    put(out, 7, 4);
    put(out, bytes, 4);
    put(out, 32, 4); /* NT_AMDGPU_METADATA */
    whet_buf_add(out, "AMDGPU\0", 8);
    whet_buf_add(out, metadata, bytes);
    assert_false(out->failed);
}

whet_status image_kit_resources(whet_image *image, const whet_buf *data,
                                whet_err *err)
{
    memset(image, 0, sizeof *image);
    image->bytes = data->data;
    image->byte_count = data->bytes;
    return whet_image_read_resources(image, err);
}

void image_kit_expect_refused(const whet_buf *data, whet_status status,
                              const char *word)
{
    whet_image image;
    whet_err err = {0};

    assert_int_equal(image_kit_resources(&image, data, &err), status);
    if (strstr(err.msg, word) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", word, err.msg);
    assert_int_equal(image.kernel_count, 0);
}

const whet_kernel_facts *image_kit_kernel(const whet_image *image,
                                          const char *name)
{
    const whet_kernel_facts *kernel = whet_image_kernel(image, name);

    if (kernel == NULL)
        fail_msg("no kernel %s", name);
    return kernel;
}
