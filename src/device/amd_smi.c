/* Cards through AMD's two management libraries, opened in a child. Prototypes
 * and layouts are our own, after rocm_smi/rocm_smi.h (librocm-smi-dev 5.2.3)
 * and amd_smi/amdsmi.h (ROCm 5.6 to 7). Calls whose records changed between
 * releases (amdsmi's power, clocks, names) are left alone: what they would
 * tell comes from sysfs. */

#include "device/gpu_priv.h"
#include "device/inventory_priv.h"

#include <stdio.h>
#include <string.h>

enum {
    SUCCESS = 0,             /* of both */
    TEMPERATURE_EDGE = 0,    /* of both */
    TEMPERATURE_HOTSPOT = 1, /* of both; "junction" */
    TEMPERATURE_CURRENT = 0, /* of both */
    MEMORY_VRAM = 0,         /* of both */
    AMDSMI_INIT_AMD_GPUS = 1 << 1,
    RSMI_COMPONENT_DRIVER = 0,
    VENDOR_AMD = 0x1002,
    VENDOR_HYGON = 0x1d94,
    SOCKET_MAX = 64,
    PROCESS_MAX = 256
};

/* Of both libraries; 5.x releases of amdsmi answered thousandths of a degree
 * where later ones answer degrees, and no card runs at 1000 C. */
static void set_temperature(whet_card *card, int64_t value, bool is_milli)
{
    double celsius =
        is_milli || value >= 1000 ? (double)value / 1000 : (double)value;

    if (value > 0)
        card->temperature_c = whet_inventory__known(celsius);
}

/* --- rocm-smi ------------------------------------------------------------- */

struct rsmi_process {
    uint32_t pid, pasid;
    uint64_t vram_bytes, sdma_us;
    uint32_t cu_pct;
};

_Static_assert(sizeof(struct rsmi_process) == 32, "rsmi_process_info_t");

struct rsmi {
    int (*init)(uint64_t flags);
    int (*count)(uint32_t *out);
    int (*pci)(uint32_t index, uint64_t *out);
    int (*vendor)(uint32_t index, uint16_t *out);
    int (*name)(uint32_t index, char *out, size_t bytes);
    int (*unique)(uint32_t index, uint64_t *out);
    int (*memory_total)(uint32_t index, int type, uint64_t *out);
    int (*memory_used)(uint32_t index, int type, uint64_t *out);
    int (*busy)(uint32_t index, uint32_t *pct_out);
    int (*temperature)(uint32_t index, uint32_t sensor, int metric,
                       int64_t *milli_out);
    int (*power)(uint32_t index, uint32_t sensor, uint64_t *microwatts_out);
    int (*version)(int component, char *out, uint32_t bytes);
    int (*processes)(struct rsmi_process *out, uint32_t *count);
    int (*process_cards)(uint32_t pid, uint32_t *out, uint32_t *count);
};

#define RSMI(field, required, name)                                            \
    {                                                                          \
        .names = {name}, .offset = offsetof(struct rsmi, field),               \
        .is_required = required                                                \
    }

static const whet_gpu_symbol rsmi_symbols[] = {
    RSMI(init, true, "rsmi_init"),
    RSMI(count, true, "rsmi_num_monitor_devices"),
    RSMI(pci, false, "rsmi_dev_pci_id_get"),
    RSMI(vendor, false, "rsmi_dev_vendor_id_get"),
    RSMI(name, false, "rsmi_dev_name_get"),
    RSMI(unique, false, "rsmi_dev_unique_id_get"),
    RSMI(memory_total, false, "rsmi_dev_memory_total_get"),
    RSMI(memory_used, false, "rsmi_dev_memory_usage_get"),
    RSMI(busy, false, "rsmi_dev_busy_percent_get"),
    RSMI(temperature, false, "rsmi_dev_temp_metric_get"),
    RSMI(power, false, "rsmi_dev_power_ave_get"),
    RSMI(version, false, "rsmi_version_str_get"),
    RSMI(processes, false, "rsmi_compute_process_info_get"),
    RSMI(process_cards, false, "rsmi_compute_process_gpus_get"),
};

static void rsmi_names(whet_card *card, const struct rsmi *rsmi, uint32_t index)
{
    uint64_t value = 0;
    uint16_t vendor = 0;

    /* Domain in the upper half, then bus, device and function (its header). */
    if (rsmi->pci != NULL && rsmi->pci(index, &value) == SUCCESS)
        whet_inventory__pci_from(card->pci, value >> 32, value >> 8 & 0xff,
                                 value >> 3 & 0x1f, value & 7);
    if (rsmi->vendor != NULL && rsmi->vendor(index, &vendor) == SUCCESS) {
        if (vendor == VENDOR_AMD)
            (void)whet_strcopy(card->vendor, sizeof card->vendor, "amd");
        else if (vendor == VENDOR_HYGON)
            (void)whet_strcopy(card->vendor, sizeof card->vendor, "hygon");
    }
    if (rsmi->name != NULL &&
        rsmi->name(index, card->name, sizeof card->name) != SUCCESS)
        card->name[0] = '\0';
    if (rsmi->unique != NULL && rsmi->unique(index, &value) == SUCCESS)
        snprintf(card->uuid, sizeof card->uuid, "0x%llx",
                 (unsigned long long)value);
    if (rsmi->version != NULL &&
        rsmi->version(RSMI_COMPONENT_DRIVER, card->driver,
                      sizeof card->driver) != SUCCESS)
        card->driver[0] = '\0';
}

static void rsmi_load(whet_card *card, const struct rsmi *rsmi, uint32_t index)
{
    uint64_t value = 0;
    uint32_t pct = 0;
    int64_t milli = 0;

    if (rsmi->memory_total != NULL &&
        rsmi->memory_total(index, MEMORY_VRAM, &value) == SUCCESS)
        card->memory_total_bytes = whet_inventory__known((double)value);
    if (rsmi->memory_used != NULL &&
        rsmi->memory_used(index, MEMORY_VRAM, &value) == SUCCESS)
        card->memory_used_bytes = whet_inventory__known((double)value);
    if (rsmi->busy != NULL && rsmi->busy(index, &pct) == SUCCESS && pct <= 100)
        card->use_pct = whet_inventory__known(pct);
    if (rsmi->temperature != NULL &&
        (rsmi->temperature(index, TEMPERATURE_HOTSPOT, TEMPERATURE_CURRENT,
                           &milli) == SUCCESS ||
         rsmi->temperature(index, TEMPERATURE_EDGE, TEMPERATURE_CURRENT,
                           &milli) == SUCCESS))
        set_temperature(card, milli, true);
    if (rsmi->power != NULL && rsmi->power(index, 0, &value) == SUCCESS)
        card->power_w = whet_inventory__known((double)value / 1e6);
}

static void rsmi_add_process(whet_card *card,
                             const struct rsmi_process *process, bool is_only)
{
    whet_card_process *to;

    if (card->process_count >= WHET_CARD_PROCESS_MAX)
        return;
    to = &card->processes[card->process_count++];
    to->pid = process->pid;
    /* The library tells the sum over all cards of a process. */
    if (is_only)
        to->memory_bytes = whet_inventory__known((double)process->vram_bytes);
}

static void rsmi_processes(whet_cards *cards, const struct rsmi *rsmi)
{
    struct rsmi_process list[PROCESS_MAX] = {{0}};
    uint32_t count = PROCESS_MAX;

    if (rsmi->processes == NULL || rsmi->process_cards == NULL ||
        rsmi->processes(list, &count) != SUCCESS)
        return;
    for (uint32_t i = 0; i < cards->count; i++)
        cards->items[i].knows_processes = true;
    for (uint32_t i = 0; i < count && i < PROCESS_MAX; i++) {
        uint32_t on[WHET_CARD_MAX] = {0};
        uint32_t on_count = WHET_CARD_MAX;

        if (rsmi->process_cards(list[i].pid, on, &on_count) != SUCCESS)
            continue;
        for (uint32_t j = 0; j < on_count && j < WHET_CARD_MAX; j++)
            if (on[j] < cards->count)
                rsmi_add_process(&cards->items[on[j]], &list[i], on_count == 1);
    }
}

static whet_status rsmi_read(whet_cards *cards, const char *path, whet_err *err)
{
    struct rsmi rsmi = {0};
    uint32_t count = 0;
    void *handle = NULL;
    whet_status st =
        whet_gpu__load(&rsmi, &handle, path, rsmi_symbols,
                       sizeof rsmi_symbols / sizeof rsmi_symbols[0], err);
    int code;

    if (st != WHET_OK)
        return st;
    if ((code = rsmi.init(0)) != SUCCESS)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "rocm-smi library: rsmi_init: error %d", code);
    if ((code = rsmi.count(&count)) != SUCCESS || count == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "rocm-smi library: no card (status %d)", code);
    for (uint32_t i = 0; i < count; i++) {
        whet_card *card = whet_inventory__new_card(cards);

        if (card == NULL)
            break;
        card->physical_index = i;
        rsmi_names(card, &rsmi, i);
        rsmi_load(card, &rsmi, i);
    }
    rsmi_processes(cards, &rsmi);
    return WHET_OK;
}

/* --- amdsmi --------------------------------------------------------------- */

/* amdsmi_engine_usage_t */
struct amdsmi_usage {
    uint32_t gfx_pct, umc_pct, mm_pct, reserved[13];
};

struct amdsmi {
    int (*init)(uint64_t flags);
    int (*sockets)(uint32_t *count, void **out);
    int (*processors)(void *socket, uint32_t *count, void **out);
    int (*pci)(void *processor, uint64_t *out);
    int (*uuid)(void *processor, unsigned *bytes, char *out);
    int (*memory_total)(void *processor, int type, uint64_t *out);
    int (*memory_used)(void *processor, int type, uint64_t *out);
    int (*usage)(void *processor, struct amdsmi_usage *out);
    int (*temperature)(void *processor, int sensor, int metric, int64_t *out);
};

#define AMDSMI(field, required, ...)                                           \
    {                                                                          \
        .names = {__VA_ARGS__}, .offset = offsetof(struct amdsmi, field),      \
        .is_required = required                                                \
    }

static const whet_gpu_symbol amdsmi_symbols[] = {
    AMDSMI(init, true, "amdsmi_init"),
    AMDSMI(sockets, true, "amdsmi_get_socket_handles"),
    AMDSMI(processors, true, "amdsmi_get_processor_handles"),
    AMDSMI(pci, true, "amdsmi_get_gpu_device_bdf"),
    AMDSMI(uuid, false, "amdsmi_get_gpu_device_uuid"),
    AMDSMI(memory_total, false, "amdsmi_get_gpu_memory_total"),
    AMDSMI(memory_used, false, "amdsmi_get_gpu_memory_usage"),
    AMDSMI(usage, false, "amdsmi_get_gpu_activity"),
    AMDSMI(temperature, false, "amdsmi_get_temp_metric"),
};

static void amdsmi_card(whet_card *card, const struct amdsmi *amd, void *at)
{
    struct amdsmi_usage usage = {0};
    unsigned uuid_bytes = sizeof card->uuid;
    uint64_t value = 0;
    int64_t degrees = 0;

    /* amdsmi_bdf_t: function 3 bits, device 5, bus 8, domain above. */
    if (amd->pci(at, &value) == SUCCESS)
        whet_inventory__pci_from(card->pci, value >> 16, value >> 8 & 0xff,
                                 value >> 3 & 0x1f, value & 7);
    if (amd->uuid != NULL && amd->uuid(at, &uuid_bytes, card->uuid) != SUCCESS)
        card->uuid[0] = '\0';
    if (amd->memory_total != NULL &&
        amd->memory_total(at, MEMORY_VRAM, &value) == SUCCESS)
        card->memory_total_bytes = whet_inventory__known((double)value);
    if (amd->memory_used != NULL &&
        amd->memory_used(at, MEMORY_VRAM, &value) == SUCCESS)
        card->memory_used_bytes = whet_inventory__known((double)value);
    /* All ones where it is not told. */
    if (amd->usage != NULL && amd->usage(at, &usage) == SUCCESS &&
        usage.gfx_pct <= 100)
        card->use_pct = whet_inventory__known(usage.gfx_pct);
    if (amd->temperature != NULL &&
        (amd->temperature(at, TEMPERATURE_HOTSPOT, TEMPERATURE_CURRENT,
                          &degrees) == SUCCESS ||
         amd->temperature(at, TEMPERATURE_EDGE, TEMPERATURE_CURRENT,
                          &degrees) == SUCCESS))
        set_temperature(card, degrees, false);
}

static whet_status amdsmi_read(whet_cards *cards, const char *path,
                               whet_err *err)
{
    struct amdsmi amd = {0};
    void *sockets[SOCKET_MAX] = {NULL}, *handle = NULL;
    uint32_t socket_count = SOCKET_MAX;
    whet_status st =
        whet_gpu__load(&amd, &handle, path, amdsmi_symbols,
                       sizeof amdsmi_symbols / sizeof amdsmi_symbols[0], err);
    int code;

    if (st != WHET_OK)
        return st;
    if ((code = amd.init(AMDSMI_INIT_AMD_GPUS)) != SUCCESS)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "amdsmi: amdsmi_init: error %d", code);
    if ((code = amd.sockets(&socket_count, sockets)) != SUCCESS)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "amdsmi: amdsmi_get_socket_handles: error %d",
                            code);
    for (uint32_t i = 0; i < socket_count && i < SOCKET_MAX; i++) {
        void *processors[WHET_CARD_MAX] = {NULL};
        uint32_t count = WHET_CARD_MAX;

        if (amd.processors(sockets[i], &count, processors) != SUCCESS)
            continue;
        for (uint32_t j = 0; j < count && j < WHET_CARD_MAX; j++) {
            whet_card *card = whet_inventory__new_card(cards);

            if (card == NULL)
                break;
            card->physical_index = cards->count - 1;
            amdsmi_card(card, &amd, processors[j]);
        }
    }
    if (cards->count == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "amdsmi: no card");
    return WHET_OK;
}

static const char *const amdsmi_paths[] = {
    "libamd_smi.so",    "/opt/rocm/lib/libamd_smi.so",
    "libamd_smi.so.26", "libamd_smi.so.25",
    "libamd_smi.so.24", NULL};

const whet_inventory_library whet_inventory_amdsmi = {
    .word = "amdsmi",
    .title = "amdsmi",
    .path_env = "WHET_AMDSMI_LIBRARY",
    .paths = amdsmi_paths,
    .read = amdsmi_read,
};

static const char *const rsmi_paths[] = {
    "librocm_smi64.so",
    "/opt/rocm/lib/librocm_smi64.so",
    "/opt/dtk/lib/librocm_smi64.so",
    "/opt/dtk/rocm_smi/lib/librocm_smi64.so",
    "/opt/hyhal/lib/librocm_smi64.so",
    "librocm_smi64.so.7",
    "librocm_smi64.so.6",
    "librocm_smi64.so.5",
    "librocm_smi64.so.1",
    NULL};

const whet_inventory_library whet_inventory_rocm_smi = {
    .word = "rocm-smi",
    .title = "rocm-smi library",
    .path_env = "WHET_ROCM_SMI_LIBRARY",
    .paths = rsmi_paths,
    .read = rsmi_read,
};
