/* What comes out of the child that lists GPUs, in which a driver ran: records
 * of devices, and whether they are fit to print. The same bytes are looked at
 * as an image. */

#include "device/gpu_priv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes);
    size_t i;

    if (length == bytes)
        abort();
    for (i = 0; i < length; i++)
        if ((unsigned char)text[i] < 32 || text[i] == 127)
            abort();
}

static void check_facts(const whet_device_facts *facts)
{
    check_text(facts->backend, sizeof facts->backend);
    check_text(facts->name, sizeof facts->name);
    check_text(facts->arch, sizeof facts->arch);
    check_text(facts->arch_features, sizeof facts->arch_features);
    check_text(facts->arch_evidence, sizeof facts->arch_evidence);
    check_text(facts->driver, sizeof facts->driver);
    check_text(facts->pci, sizeof facts->pci);
    check_text(facts->id, sizeof facts->id);
    if (facts->has_ecc > WHET_KNOWN_YES ||
        facts->has_pageable_access > WHET_KNOWN_YES ||
        facts->is_exclusive > WHET_KNOWN_YES ||
        facts->evidence != WHET_EVIDENCE_MEASURED)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    uint32_t count = 0;
    whet_err err = {0};
    uint32_t i;

    if (found == NULL)
        return 0;
    if (whet_gpu__list_parse(found, &count, "cuda", data, size, &err) !=
            WHET_OK &&
        (count != 0 || err.msg[0] == '\0'))
        abort();
    for (i = 0; i < count; i++)
        check_facts(&found[i]);
    free(found);
    (void)whet_gpu__check_image(data, size, 190, "CUDA", &err);
    return 0;
}
