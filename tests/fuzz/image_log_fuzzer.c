/* Logs of compilers, added to an image of three kernels. Names and counts of
 * kernels are not the log's to change. */

#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"axpy", "staged", "k"};
    whet_image image;
    uint32_t i;

    memset(&image, 0, sizeof image);
    image.kernel_count = 3;
    for (i = 0; i < 3; i++)
        (void)whet_strcopy(image.kernels[i].name, sizeof image.kernels[i].name,
                           names[i]);
    whet_image_add_log(&image, (const char *)data, size);
    for (i = 0; i < WHET_KERNEL_MAX; i++)
        if (strcmp(image.kernels[i].name, i < 3 ? names[i] : "") != 0 ||
            image.kernels[i].arg_count != 0)
            abort();
    if (image.kernel_count != 3)
        abort();
    return 0;
}
