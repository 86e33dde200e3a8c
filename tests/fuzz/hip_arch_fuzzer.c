/* Hostile output of the kernel driver and of tools that tell of GPUs. */

#include "device/hip_priv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text that goes into facts must be plain. */
static void check(const char *text, size_t room)
{
    size_t i;

    if (memchr(text, '\0', room) == NULL)
        abort();
    for (i = 0; text[i] != '\0'; i++)
        if (text[i] < ' ' || text[i] > '~')
            abort();
}

static void check_all(const whet_hip_agents *found)
{
    uint32_t i;

    if (found->count > WHET_HIP__AGENT_MAX)
        abort();
    for (i = 0; i < found->count; i++) {
        check(found->agents[i].arch, sizeof found->agents[i].arch);
        check(found->agents[i].features, sizeof found->agents[i].features);
        check(found->agents[i].pci, sizeof found->agents[i].pci);
        if (strncmp(found->agents[i].arch, "gfx", 3) != 0)
            abort();
    }
}

/* The first byte chooses the reader. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_hip_agents *found;
    const char *text = (const char *)data + 1;
    char arch[WHET_HIP__ARCH_BYTES], features[WHET_HIP__FEATURE_BYTES];
    whet_err err = {0};
    whet_status st = WHET_OK;

    if (size == 0)
        return 0;
    found = calloc(1, sizeof *found);
    if (found == NULL)
        return 0;
    switch (data[0]) {
    case 'k':
        st = whet_hip__parse_kfd(&found->agents[0], text, size - 1, &err);
        found->count = st == WHET_OK;
        break;
    case 'r':
        st = whet_hip__parse_rocminfo(found, text, size - 1, &err);
        break;
    case 'l':
        st = whet_hip__parse_list(found, text, size - 1, &err);
        break;
    default:
        if (whet_hip__split_arch(arch, features, text, size - 1)) {
            check(arch, sizeof arch);
            check(features, sizeof features);
        }
    }
    if (st != WHET_OK && err.msg[0] == '\0')
        abort();
    check_all(found);
    free(found);
    return 0;
}
