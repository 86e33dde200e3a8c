/* Facts of a GPU through the table of calls: what both families tell in the
 * same way. A number that a driver does not tell stays unknown. */

#include "device/gpu_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KHZ_PER_MHZ = 1000 };

bool whet_gpu__attribute(int *out, const whet_gpu_api *api,
                         whet_gpu_attribute which, int index)
{
    int number = api->numbering[which];

    *out = 0;
    if (number < 0)
        return false;
    if (api->device_attribute(out, number, index) == 0 && *out >= 0)
        return true;
    *out = 0;
    return false;
}

static uint32_t get_u32(const whet_gpu_api *api, whet_gpu_attribute which,
                        int index)
{
    int value;

    (void)whet_gpu__attribute(&value, api, which, index);
    return (uint32_t)value;
}

static whet_known get_known(const whet_gpu_api *api, whet_gpu_attribute which,
                            int index)
{
    int value;

    if (!whet_gpu__attribute(&value, api, which, index))
        return WHET_UNKNOWN;
    return value != 0 ? WHET_KNOWN_YES : WHET_KNOWN_NO;
}

uint32_t whet_gpu__visible(const char *list, uint32_t index)
{
    uint32_t place = 0;

    if (list == NULL)
        return index;
    for (;; place++) {
        char *end = NULL;
        unsigned long value;

        if (!isdigit((unsigned char)*list))
            return UINT32_MAX;
        value = strtoul(list, &end, 10);
        if ((*end != '\0' && *end != ',') || value >= UINT32_MAX)
            return UINT32_MAX;
        if (place == index)
            return (uint32_t)value;
        if (*end == '\0')
            return UINT32_MAX;
        list = end + 1;
    }
}

bool whet_gpu__pci(char *text, size_t text_bytes, const char *address)
{
    unsigned domain, bus, device, function;
    int used = 0;

    text[0] = '\0';
    /* sscanf by itself would let signs and spaces pass. */
    if (strspn(address, "0123456789abcdefABCDEF:.") != strlen(address))
        return false;
    if (sscanf(address, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function,
               &used) != 4 ||
        address[used] != '\0')
        return false;
    snprintf(text, text_bytes, "%04x:%02x:%02x.%x", domain, bus, device,
             function);
    return true;
}

static void fill_pci(whet_device_facts *out, const whet_gpu_api *api, int index)
{
    char raw[64] = "";
    int domain, bus, device;

    if (api->device_pci != NULL &&
        api->device_pci(raw, sizeof raw - 1, index) == 0 &&
        whet_gpu__pci(out->pci, sizeof out->pci, raw))
        return;
    if (whet_gpu__attribute(&domain, api, WHET_GPU_PCI_DOMAIN, index) &&
        whet_gpu__attribute(&bus, api, WHET_GPU_PCI_BUS, index) &&
        whet_gpu__attribute(&device, api, WHET_GPU_PCI_DEVICE, index))
        snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.0",
                 (unsigned)domain, (unsigned)bus & 0xff,
                 (unsigned)device & 0xff);
}

static void fill_limits(whet_limits *out, const whet_gpu_api *api, int index)
{
    static const whet_gpu_attribute blocks[] = {
        WHET_GPU_BLOCK_X_MAX, WHET_GPU_BLOCK_Y_MAX, WHET_GPU_BLOCK_Z_MAX};
    static const whet_gpu_attribute grids[] = {
        WHET_GPU_GRID_X_MAX, WHET_GPU_GRID_Y_MAX, WHET_GPU_GRID_Z_MAX};
    size_t memory = 0;
    size_t i;

    out->wave_size = get_u32(api, WHET_GPU_WAVE_SIZE, index);
    out->cu_count = get_u32(api, WHET_GPU_CU_COUNT, index);
    out->lds_bytes = get_u32(api, WHET_GPU_LDS_GROUP_OPTIN_BYTES, index);
    if (out->lds_bytes == 0)
        out->lds_bytes = get_u32(api, WHET_GPU_LDS_GROUP_BYTES, index);
    out->group_items_max = get_u32(api, WHET_GPU_GROUP_ITEMS_MAX, index);
    for (i = 0; i < 3; i++) {
        out->block_max[i] = get_u32(api, blocks[i], index);
        out->grid_max[i] = get_u32(api, grids[i], index);
    }
    if (api->device_memory(&memory, index) == 0)
        out->memory_bytes = memory;
}

/* 1 and 3 let one thread or one process in. */
static whet_known get_exclusive(const whet_gpu_api *api, int index)
{
    int mode;

    if (!whet_gpu__attribute(&mode, api, WHET_GPU_COMPUTE_MODE, index))
        return WHET_UNKNOWN;
    return mode == 1 || mode == 3 ? WHET_KNOWN_YES : WHET_KNOWN_NO;
}

whet_status whet_gpu__facts(whet_device_facts *out, const whet_gpu_api *api,
                            int index, whet_err *err)
{
    whet_buf name = {0};
    char raw[256] = "";
    int code = api->device_name(raw, sizeof raw - 1, index);
    char what[64];

    if (code != 0) {
        snprintf(what, sizeof what, "name of device %d", index);
        return whet_gpu__fail(err, api, code, what);
    }
    whet_buf_escape(&name, raw, strnlen(raw, sizeof raw - 1), false);
    (void)whet_strcopy(out->name, sizeof out->name, whet_buf_str(&name));
    whet_buf_deinit(&name);
    out->index = (uint32_t)index;
    out->physical_index = UINT32_MAX;
    out->clock_mhz = get_u32(api, WHET_GPU_CLOCK_KHZ, index) / KHZ_PER_MHZ;
    out->memory_clock_mhz =
        get_u32(api, WHET_GPU_MEMORY_CLOCK_KHZ, index) / KHZ_PER_MHZ;
    out->llc_bytes = get_u32(api, WHET_GPU_L2_BYTES, index);
    out->lds_cu_bytes = get_u32(api, WHET_GPU_LDS_CU_BYTES, index);
    out->register_count = get_u32(api, WHET_GPU_CU_REGISTERS, index);
    out->cu_items_max = get_u32(api, WHET_GPU_CU_ITEMS_MAX, index);
    out->has_ecc = get_known(api, WHET_GPU_ECC, index);
    out->has_pageable_access = get_known(api, WHET_GPU_PAGEABLE_ACCESS, index);
    out->is_exclusive = get_exclusive(api, index);
    out->evidence = WHET_EVIDENCE_MEASURED;
    fill_pci(out, api, index);
    fill_limits(&out->limits, api, index);
    return WHET_OK;
}
