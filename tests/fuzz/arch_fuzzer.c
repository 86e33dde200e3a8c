/* Records of architectures, which people write. Whatever is read must give an
 * occupancy without trapping, however odd the figures. */

#include "device/arch_priv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const whet_kernel_facts facts = {.register_count = 40,
                                            .scalar_count = 90,
                                            .accumulator_count = 8,
                                            .lds_bytes = 2112};
    whet_arch *arch = malloc(sizeof *arch);
    whet_err err = {0};
    whet_occupancy occupancy;

    if (arch == NULL)
        return 0;
    if (whet_arch__parse(arch, (const char *)data, size, "arch", &err) ==
        WHET_OK) {
        occupancy = whet_arch_occupancy(arch, &facts, 256, 1024);
        if (occupancy.bound_by == NULL ||
            memchr(arch->name, '\0', sizeof arch->name) == NULL)
            abort();
    } else if (err.msg[0] == '\0' || arch->name[0] != '\0') {
        abort();
    }
    free(arch);
    return 0;
}
