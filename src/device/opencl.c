/* The OpenCL back-end as the supervisor sees it: facts, clock, secrets. No
 * driver is loaded here; a child lists the devices. Only CPU devices are
 * offered: the judge hands over memory of its own, and its clock and freezer
 * hold for native code. */

#include "toolchain/opencl.h"
#include "device/live_priv.h"
#include "device/opencl_priv.h"
#include "device/replay_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL names no limit but the width of size_t, which this leaves room for. */
static const uint64_t grid_max = UINT32_MAX;

static void fill_facts(whet_device_facts *out, const whet_opencl_info *info)
{
    size_t i;

    memset(out, 0, sizeof *out);
    (void)whet_strcopy(out->backend, sizeof out->backend, "opencl");
    out->index = info->index;
    out->physical_index = UINT32_MAX;
    (void)whet_strcopy(out->name, sizeof out->name, info->name);
    /* The driver's compiler decides the machine code as much as the core. */
    snprintf(out->arch, sizeof out->arch, "%.60s %.30s", info->name,
             info->driver);
    snprintf(out->driver, sizeof out->driver, "%.60s %.30s", info->platform,
             info->driver);
    out->is_cpu = info->is_cpu;
    out->has_f64 = info->has_f64;
    out->has_f16 = info->has_f16;
    out->clock_mhz = info->clock_mhz;
    out->llc_bytes = info->llc_bytes;
    out->limits.wave_size = info->wave_size;
    out->limits.cu_count = info->cu_count;
    out->limits.lds_bytes = info->lds_bytes;
    out->limits.group_items_max = info->group_items_max;
    out->limits.memory_bytes = info->memory_bytes;
    for (i = 0; i < 3; i++) {
        out->limits.block_max[i] = info->block_max[i];
        out->limits.grid_max[i] = grid_max;
    }
    out->evidence = WHET_EVIDENCE_MEASURED;
    whet_replay__identify(out);
}

static whet_status probe(whet_device_facts *out, uint32_t *count_out,
                         whet_err *err)
{
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    uint32_t i;
    whet_status st = whet_opencl_list(infos, &count, err);

    *count_out = 0;
    if (st != WHET_OK)
        return st;
    for (i = 0; i < count && *count_out < WHET_DEVICE_LIST_MAX; i++)
        if (infos[i].is_cpu && infos[i].is_usable)
            fill_facts(&out[(*count_out)++], &infos[i]);
    if (*count_out == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "OpenCL: none of %u devices is a CPU with a "
                            "compiler: apt-get install pocl-opencl-icd",
                            count);
    return WHET_OK;
}

/* The wanted one among those found; `selector` "" takes the first. */
static whet_status choose(whet_device_facts *out,
                          const whet_device_facts *found, uint32_t count,
                          const char *selector, whet_err *err)
{
    char *end = NULL;
    unsigned long wanted = strtoul(selector, &end, 10);
    uint32_t i;

    if (selector[0] != '\0' &&
        (selector[0] < '0' || selector[0] > '9' || *end != '\0'))
        return whet_err_set(err, WHET_EINVAL,
                            "device opencl:%s: expected a number", selector);
    for (i = 0; i < count; i++)
        if (selector[0] == '\0' || found[i].index == wanted) {
            *out = found[i];
            return WHET_OK;
        }
    return whet_err_set(err, WHET_ENOTFOUND,
                        "device opencl:%s: not there; the first is opencl:%u",
                        selector, found[0].index);
}

static whet_status open_device(whet_device **out, const char *selector,
                               whet_err *err)
{
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX + 1, sizeof *found);
    whet_device_facts *chosen = found + WHET_DEVICE_LIST_MAX;
    uint32_t count = 0;
    whet_status st;

    *out = NULL;
    if (found == NULL)
        return whet_err_set(err, WHET_ENOMEM, "OpenCL: out of memory");
    st = probe(found, &count, err);
    if (st == WHET_OK)
        st = choose(chosen, found, count, selector, err);
    if (st == WHET_OK)
        st = whet_live__open_found(out, chosen, err);
    free(found);
    return st;
}

static const char *const toolchains[] = {"opencl", NULL};

const whet_device_ops whet_device_opencl = {
    .name = "opencl",
    .summary = "the CPU through an installed OpenCL driver",
    .selector_help = "number of the device, 0 first",
    .caps = WHET_DEVICE_CAP_LIVE | WHET_DEVICE_CAP_NATIVE,
    .toolchains = toolchains,
    .probe = probe,
    .open = open_device,
    .open_found = whet_live__open_found,
    .close = whet_live__close,
    .facts = whet_live__facts,
    .clock = whet_live__clock,
    .entropy = whet_live__entropy,
    .worker_env = whet_opencl_env,
    .worker_binds = whet_opencl_binds,
    .worker_bind_count = WHET_OPENCL_BIND_COUNT,
    .worker_open = whet_opencl__worker_open,
    .worker_close = whet_opencl__worker_close,
    .worker_load = whet_opencl__worker_load,
    .worker_prepare = whet_opencl__worker_prepare,
    .worker_run = whet_opencl__worker_run,
};
