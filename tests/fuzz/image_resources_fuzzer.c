/* Device images from a build child: code objects and cubins. Each input is
 * read as it is and once more as the metadata note of a small code object, so
 * that mutations reach the MessagePack walker. What is read must survive the
 * image codec. */

#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

enum { WRAP_BYTES = 120 + 20 };

static void read_image(const uint8_t *data, size_t size)
{
    whet_image image, again;
    whet_buf text = {0};

    memset(&image, 0, sizeof image);
    image.bytes = malloc(size + (size == 0));
    if (image.bytes == NULL)
        return;
    memcpy(image.bytes, data, size);
    image.byte_count = size;
    image.hash = whet_hash_bytes(data, size);
    if (whet_image_read_resources(&image, NULL) == WHET_OK) {
        whet_image_encode(&text, &image);
        if (whet_image_decode(&again, text.data, text.bytes, NULL) != WHET_OK ||
            memcmp(again.kernels, image.kernels, sizeof again.kernels) != 0)
            abort();
        whet_image_deinit(&again);
        whet_buf_deinit(&text);
    } else if (image.kernel_count != 0) {
        abort();
    }
    whet_image_deinit(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t head[WRAP_BYTES] = {
        0x7f,        'E',        'L',       'F',        2,        1,
        [16] = 3,    [18] = 224, 0,         [32] = 64,  0,        0,
        [48] = 0x3f, [54] = 56,  0,         1,          [64] = 4, 0,
        0,           [72] = 120, [120] = 7, [128] = 32, 0,        [132] = 'A',
        'M',         'D',        'G',       'P',        'U'};
    uint8_t *copy;
    size_t i;

    read_image(data, size);
    if (size > 1 << 20 || (copy = malloc(WRAP_BYTES + size)) == NULL)
        return 0;
    memcpy(copy, head, WRAP_BYTES);
    if (size > 0)
        memcpy(copy + WRAP_BYTES, data, size);
    for (i = 0; i < 4; i++) {
        copy[64 + 32 + i] = (uint8_t)((20 + size) >> (8 * i));
        copy[124 + i] = (uint8_t)(size >> (8 * i));
    }
    read_image(copy, WRAP_BYTES + size);
    free(copy);
    return 0;
}
