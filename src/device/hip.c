/* The HIP back-end: facts of devices, put together from the runtime, the kernel
 * driver and the architecture's record, and the ops over the shared worker. */

#include "device/hip_priv.h"
#include "device/live_priv.h"
#include "device/replay_priv.h"
#include "device/visible_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work-items of a launch that the dispatch packet can count. */
static const uint64_t grid_items_max = UINT32_MAX;

/* Where toolkits keep their tools. */
static const char tool_dirs[] = "/opt/rocm/bin:/opt/dtk/bin:/opt/hyhal/bin";

/* Version of the kernel driver, "" if it does not tell. */
static void read_kernel_driver(char text[40], const char *sysfs)
{
    static const char *const names[] = {"amdgpu", "hycu", "hydcu"};
    whet_buf version = {0};
    whet_buf safe = {0};
    char path[300];
    size_t i;

    text[0] = '\0';
    for (i = 0; i < sizeof names / sizeof names[0] && text[0] == '\0'; i++) {
        snprintf(path, sizeof path, "%.200s/module/%s/version", sysfs,
                 names[i]);
        whet_buf_deinit(&version);
        if (whet_fs_read(&version, path, 4096, NULL) != WHET_OK)
            continue;
        whet_buf_escape(&safe, whet_buf_str(&version),
                        strcspn(whet_buf_str(&version), "\n"), false);
        snprintf(text, 40, ", %s %.20s", names[i], whet_buf_str(&safe));
    }
    whet_buf_deinit(&version);
    whet_buf_deinit(&safe);
}

static void fill_driver(whet_device_facts *out, const whet_gpu_api *api,
                        const char *sysfs)
{
    const whet_hip_vendor *vendor = api->vendor;
    const char *file = strrchr(api->library, '/');
    char version[32] = "?", kernel[40], text[400];
    int number = 0;

    if (api->driver_version(&number) == 0)
        whet_hip__version(version, number);
    read_kernel_driver(kernel, sysfs);
    snprintf(text, sizeof text, "HIP %s (%s, %s numbers)%s", version,
             file != NULL ? file + 1 : api->library, vendor->numbering->name,
             kernel);
    whet_strcopy(out->driver, sizeof out->driver, text);
}

static uint64_t known(const whet_figure *figure)
{
    return figure->is_known && figure->trust != WHET_TRUST_NONE &&
                   figure->value > 0 && figure->value < 1e12
               ? (uint64_t)figure->value
               : 0;
}

/* What the runtime did not tell: first from the kernel driver, then from the
 * record. Numbers that make no sense count as not told. */
static void complete(whet_device_facts *out, const whet_hip_agent *agent,
                     const whet_arch *record)
{
    whet_limits *limits = &out->limits;
    size_t i;

    if (limits->wave_size != 32 && limits->wave_size != 64)
        limits->wave_size = agent->wave_size > 0
                                ? agent->wave_size
                                : (uint32_t)known(&record->wave_size);
    if (limits->cu_count == 0 || limits->cu_count > 4096)
        limits->cu_count = agent->cu_count;
    if (out->lds_cu_bytes == 0)
        out->lds_cu_bytes = agent->lds_bytes > 0 ? agent->lds_bytes
                                                 : known(&record->lds_cu_bytes);
    if (limits->lds_bytes == 0)
        limits->lds_bytes = known(&record->lds_group_bytes);
    if (limits->lds_bytes == 0)
        limits->lds_bytes = out->lds_cu_bytes;
    if (limits->group_items_max < 64 || limits->group_items_max > 4096)
        limits->group_items_max = known(&record->group_items_max);
    if (out->llc_bytes == 0)
        out->llc_bytes = known(&record->l2_bytes);
    if (out->clock_mhz == 0)
        out->clock_mhz = agent->clock_mhz;
    if (out->cu_items_max == 0)
        out->cu_items_max =
            agent->simd_per_cu * agent->waves_per_simd * limits->wave_size;
    for (i = 0; i < 3; i++) {
        if (limits->block_max[i] == 0 || limits->block_max[i] > 4096)
            limits->block_max[i] = limits->group_items_max;
        if (limits->grid_max[i] == 0)
            limits->grid_max[i] = limits->group_items_max > 0
                                      ? grid_items_max / limits->group_items_max
                                      : 0;
    }
}

/* The register file as the record knows it: the runtime's number is one for
 * compatibility (a wave of 64 lanes; DCUs report half of what there is). */
static uint64_t registers(const whet_arch *record, uint64_t told)
{
    uint64_t per_lane = known(&record->vgpr_simd_count);
    uint64_t simds = known(&record->simds_cu);
    uint64_t lanes = known(&record->wave_size);

    return per_lane > 0 && simds > 0 && lanes > 0 ? per_lane * simds * lanes
                                                  : told;
}

/* Everything about one device. */
static whet_status describe(whet_device_facts *out, const whet_gpu_api *api,
                            const whet_hip_search *search, int index,
                            const whet_visible_map *visible, whet_err *err)
{
    const char *sysfs = search->sysfs != NULL ? search->sysfs : "/sys";
    char runtime[96];
    whet_arch *record = calloc(1, sizeof *record);
    whet_hip_arch found;
    whet_status st;

    memset(out, 0, sizeof *out);
    if (record == NULL)
        return whet_err_set(err, WHET_ENOMEM, "HIP: out of memory");
    st = whet_gpu__facts(out, api, index, err);
    if (st != WHET_OK)
        goto out;
    whet_strcopy(out->backend, sizeof out->backend, "hip");
    if ((uint32_t)index < visible->count)
        out->physical_index = visible->physical[index];
    whet_hip__runtime_arch(runtime, api, index);
    whet_hip__arch(&found,
                   &(whet_hip_arch_opts){.sysfs = sysfs,
                                         .tool_dirs = tool_dirs,
                                         .skips_tools = search->skips_tools,
                                         .runtime = runtime,
                                         .configured = search->configured_arch,
                                         .pci = out->pci,
                                         .ordinal = out->physical_index});
    whet_strcopy(out->arch, sizeof out->arch, found.arch);
    whet_strcopy(out->arch_features, sizeof out->arch_features, found.features);
    whet_strcopy(out->arch_evidence, sizeof out->arch_evidence, found.evidence);
    if (whet_arch_load(record, found.arch, NULL) != WHET_OK)
        memset(record, 0, sizeof *record);
    complete(out, &found.agent, record);
    out->register_count = registers(record, out->register_count);
    out->has_f16 = true;
    out->has_f64 = true; /* in software on some */
    fill_driver(out, api, sysfs);
    whet_replay__identify(out);
out:
    free(record);
    return st;
}

/* How many cards there are before variables hide some, by the kernel driver;
 * the runtime counts only those it shows. */
static uint32_t physical_count(const whet_hip_search *search, uint32_t shown)
{
    whet_hip_agents *agents = calloc(1, sizeof *agents);
    uint32_t count = 0;

    if (agents != NULL &&
        whet_hip__read_kfd(agents,
                           search->sysfs != NULL ? search->sysfs : "/sys",
                           NULL) == WHET_OK)
        count = agents->count;
    free(agents);
    return count > shown ? count : shown;
}

whet_status whet_hip__enumerate(whet_device_facts *out, uint32_t *count_out,
                                whet_err *err)
{
    whet_hip_search search;
    whet_visible_env env;
    whet_visible_map visible;
    whet_gpu_api api;
    int count = 0;
    int i, code;
    whet_status st;

    *count_out = 0;
    whet_hip__search_env(&search);
    if ((st = whet_hip__open(&api, &search, err)) != WHET_OK)
        return st;
    if ((code = api.device_count(&count)) != 0) {
        st = whet_gpu__fail(err, &api, code, "number of devices");
        goto out;
    }
    whet_visible__env(&env);
    whet_visible__map(&visible, WHET_VISIBLE_HIP, &env, NULL,
                      physical_count(&search, (uint32_t)count));
    for (i = 0; i < count && i < WHET_DEVICE_LIST_MAX && st == WHET_OK; i++) {
        st = describe(&out[i], &api, &search, i, &visible, err);
        if (st == WHET_OK)
            *count_out = (uint32_t)i + 1;
    }
out:
    free(api.vendor);
    return st;
}

/* --- ops ------------------------------------------------------------------ */

static whet_status probe(whet_device_facts *out, uint32_t *count_out,
                         whet_err *err)
{
    *count_out = 0;
    return whet_gpu__list(out, count_out, "hip", err);
}

static whet_status open_device(whet_device **out, const char *selector,
                               whet_err *err)
{
    return whet_gpu__open(out, "hip", selector, err);
}

static int child_main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "list") != 0) {
        fprintf(stderr, "whet: __device hip: expected list\n");
        return 2;
    }
    return whet_gpu__list_main(whet_hip__enumerate);
}

static whet_status worker_open(whet_worker_ctx **out, uint32_t index,
                               whet_err *err)
{
    whet_hip_search search;
    whet_gpu_api api;
    whet_status st;

    *out = NULL;
    whet_hip__search_env(&search);
    if ((st = whet_hip__open(&api, &search, err)) != WHET_OK)
        return st;
    return whet_gpu__worker_new(out, &api, (int)index, err);
}

static const char *const toolchains[] = {"hip", NULL};

/* A launch that waits, a serialised copy or a talking runtime would change what
 * is measured. */
static const char *const worker_env[] = {
    "HIP_LAUNCH_BLOCKING=0", "AMD_SERIALIZE_KERNEL=0", "AMD_SERIALIZE_COPY=0",
    "AMD_LOG_LEVEL=0", NULL};

/* Which library, which cards, and what makes a card usable at all. */
static const char *const worker_env_names[] = {"WHET_BLAS_LIBRARY",
                                               "WHET_HIP_LIBRARY",
                                               "WHET_HIP_SYSFS",
                                               "WHET_HIP_ARCH",
                                               "ROCM_PATH",
                                               "DTKROOT",
                                               "DTK_ROOT",
                                               "HIP_PATH",
                                               "LD_LIBRARY_PATH",
                                               "PATH",
                                               "HIP_VISIBLE_DEVICES",
                                               "ROCR_VISIBLE_DEVICES",
                                               "CUDA_VISIBLE_DEVICES",
                                               "HSA_OVERRIDE_GFX_VERSION",
                                               "HSA_ENABLE_SDMA",
                                               "HSA_XNACK",
                                               "HSA_FORCE_FINE_GRAIN_PCIE",
                                               "GPU_MAX_HW_QUEUES",
                                               "HIP_KERNEL_BATCH_CEILING",
                                               "HIP_KERNEL_EVENT_SYSTENFENCE",
                                               NULL};

static const char *const libraries[] = {"rocblas", "hipblas", NULL};

const whet_device_ops whet_device_hip = {
    .name = "hip",
    .summary = "AMD GPUs and Hygon DCUs through the HIP runtime",
    .selector_help = "number of the device, 0 first, or its PCI address",
    .caps = WHET_DEVICE_CAP_LIVE,
    .toolchains = toolchains,
    .probe = probe,
    .open = open_device,
    .open_found = whet_live__open_found,
    .close = whet_live__close,
    .facts = whet_live__facts,
    .clock = whet_live__clock,
    .entropy = whet_live__entropy,
    .child_main = child_main,
    .worker_env = worker_env,
    .worker_env_names = worker_env_names,
    .worker_open = worker_open,
    .worker_close = whet_gpu__worker_close,
    .worker_load = whet_gpu__worker_load,
    .worker_allocate = whet_gpu__worker_allocate,
    .worker_pin = whet_gpu__worker_pin,
    .worker_copy = whet_gpu__worker_copy,
    .worker_fill = whet_gpu__worker_fill,
    .worker_settle = whet_gpu__worker_settle,
    .libraries = libraries,
    .worker_library = whet_gpu__worker_library,
    .worker_prepare = whet_gpu__worker_prepare,
    .worker_run = whet_gpu__worker_run,
};
