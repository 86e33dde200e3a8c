/* Cards through NVIDIA's management library, opened in a child. Prototypes and
 * layouts are our own, after the NVML API reference (docs.nvidia.com/deploy/
 * nvml-api: nvmlPciInfo_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlUtilization_t,
 * nvmlProcessInfo_t, nvmlViolationTime_t) and checked against the ctypes of the
 * nvidia-ml-py package, 13.615. */

#include "device/gpu_priv.h"
#include "device/inventory_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVML_SUCCESS = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_TEMPERATURE_GPU = 0,
    NVML_POLICY_POWER = 0,
    NVML_POLICY_THERMAL = 1,
    NVML_ECC_CORRECTED = 0,
    NVML_ECC_UNCORRECTED = 1,
    NVML_ECC_VOLATILE = 0,
    PROCESS_MAX = 256,
    /* Some releases of 2023 (driver 535.43 to 535.86) wrote a longer record;
     * room for it keeps them from writing past the end. */
    PROCESS_BYTES_MAX = 40
};

struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char text[32];
};

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

struct nvml_utilization {
    unsigned gpu, memory;
};

struct nvml_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

struct nvml_violation {
    unsigned long long reference_us, violation_ns;
};

_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo_t");

/* Size and version in one word, as the API's macros make it. */
static const unsigned memory_v2_version = 40u | 2u << 24;

struct nvml {
    int (*init)(void);
    const char *(*error_text)(int code);
    int (*device_count)(unsigned *out);
    int (*device)(unsigned index, void **out);
    int (*name)(void *device, char *out, unsigned bytes);
    int (*uuid)(void *device, char *out, unsigned bytes);
    int (*pci)(void *device, struct nvml_pci *out);
    int (*memory)(void *device, struct nvml_memory *out);
    int (*memory_v2)(void *device, struct nvml_memory_v2 *inout);
    int (*utilization)(void *device, struct nvml_utilization *out);
    int (*temperature)(void *device, int sensor, unsigned *celsius_out);
    int (*power)(void *device, unsigned *milliwatts_out);
    int (*clock)(void *device, int which, unsigned *mhz_out);
    int (*violation)(void *device, int policy, struct nvml_violation *out);
    int (*reasons)(void *device, unsigned long long *bits_out);
    int (*ecc)(void *device, int kind, int counter, unsigned long long *out);
    int (*processes)(void *device, unsigned *count, void *out);
    int (*capability)(void *device, int *major_out, int *minor_out);
    int (*driver)(char *out, unsigned bytes);
};

#define ROW(field, required, ...)                                              \
    {                                                                          \
        .names = {__VA_ARGS__}, .offset = offsetof(struct nvml, field),        \
        .is_required = required                                                \
    }

static const whet_gpu_symbol symbols[] = {
    ROW(init, true, "nvmlInit_v2", "nvmlInit"),
    ROW(error_text, false, "nvmlErrorString"),
    ROW(device_count, true, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
    ROW(device, true, "nvmlDeviceGetHandleByIndex_v2",
        "nvmlDeviceGetHandleByIndex"),
    ROW(name, false, "nvmlDeviceGetName"),
    ROW(uuid, false, "nvmlDeviceGetUUID"),
    /* Older versions have a shorter record: no fallback. */
    ROW(pci, false, "nvmlDeviceGetPciInfo_v3"),
    ROW(memory, false, "nvmlDeviceGetMemoryInfo"),
    ROW(memory_v2, false, "nvmlDeviceGetMemoryInfo_v2"),
    ROW(utilization, false, "nvmlDeviceGetUtilizationRates"),
    ROW(temperature, false, "nvmlDeviceGetTemperature"),
    ROW(power, false, "nvmlDeviceGetPowerUsage"),
    ROW(clock, false, "nvmlDeviceGetClockInfo"),
    ROW(violation, false, "nvmlDeviceGetViolationStatus"),
    ROW(reasons, false, "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons"),
    ROW(ecc, false, "nvmlDeviceGetTotalEccErrors"),
    ROW(processes, false, "nvmlDeviceGetComputeRunningProcesses_v3",
        "nvmlDeviceGetComputeRunningProcesses_v2"),
    ROW(capability, false, "nvmlDeviceGetCudaComputeCapability"),
    ROW(driver, false, "nvmlSystemGetDriverVersion"),
};

static void read_names(whet_card *card, const struct nvml *nvml, void *device)
{
    struct nvml_pci pci = {0};
    int major = 0, minor = 0;

    if (nvml->name != NULL &&
        nvml->name(device, card->name, sizeof card->name) != NVML_SUCCESS)
        card->name[0] = '\0';
    if (nvml->uuid != NULL &&
        nvml->uuid(device, card->uuid, sizeof card->uuid) != NVML_SUCCESS)
        card->uuid[0] = '\0';
    if (nvml->pci != NULL && nvml->pci(device, &pci) == NVML_SUCCESS)
        whet_inventory__pci_from(card->pci, pci.domain, pci.bus, pci.device, 0);
    if (nvml->capability != NULL &&
        nvml->capability(device, &major, &minor) == NVML_SUCCESS && major > 0 &&
        major < 100 && minor >= 0 && minor < 10)
        snprintf(card->arch, sizeof card->arch, "sm_%d%d", major, minor);
}

/* All ones where the driver does not know. */
static whet_reading known_unsigned(unsigned value, double divisor)
{
    whet_reading unknown = {0};

    return value != ~0u ? whet_inventory__known(value / divisor) : unknown;
}

/* Version 2 does not count what the driver keeps for itself as used. */
static void read_memory(whet_card *card, const struct nvml *nvml, void *device)
{
    struct nvml_memory_v2 v2 = {.version = memory_v2_version};
    struct nvml_memory v1 = {0};

    if (nvml->memory_v2 != NULL &&
        nvml->memory_v2(device, &v2) == NVML_SUCCESS) {
        card->memory_total_bytes = whet_inventory__known((double)v2.total);
        card->memory_used_bytes = whet_inventory__known((double)v2.used);
    } else if (nvml->memory != NULL &&
               nvml->memory(device, &v1) == NVML_SUCCESS) {
        card->memory_total_bytes = whet_inventory__known((double)v1.total);
        card->memory_used_bytes = whet_inventory__known((double)v1.used);
    }
}

static void read_load(whet_card *card, const struct nvml *nvml, void *device)
{
    struct nvml_utilization use = {0};
    unsigned value = 0;

    if (nvml->utilization != NULL &&
        nvml->utilization(device, &use) == NVML_SUCCESS && use.gpu <= 100)
        card->use_pct = whet_inventory__known(use.gpu);
    if (nvml->temperature != NULL &&
        nvml->temperature(device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
        card->temperature_c = known_unsigned(value, 1);
    if (nvml->power != NULL && nvml->power(device, &value) == NVML_SUCCESS)
        card->power_w = known_unsigned(value, 1000);
    if (nvml->clock == NULL)
        return;
    if (nvml->clock(device, NVML_CLOCK_SM, &value) == NVML_SUCCESS)
        card->clock_mhz = known_unsigned(value, 1);
    if (nvml->clock(device, NVML_CLOCK_MEM, &value) == NVML_SUCCESS)
        card->memory_clock_mhz = known_unsigned(value, 1);
}

/* What holds the card back, and what its memory went through. */
static void read_troubles(whet_card *card, const struct nvml *nvml,
                          void *device)
{
    struct nvml_violation power = {0}, heat = {0};
    unsigned long long bits = 0, corrected = 0, lost = 0;

    if (nvml->violation != NULL &&
        nvml->violation(device, NVML_POLICY_POWER, &power) == NVML_SUCCESS &&
        nvml->violation(device, NVML_POLICY_THERMAL, &heat) == NVML_SUCCESS)
        card->throttled_ns = whet_inventory__known((double)power.violation_ns +
                                                   (double)heat.violation_ns);
    if (nvml->reasons != NULL && nvml->reasons(device, &bits) == NVML_SUCCESS)
        card->throttle_bits = whet_inventory__known((double)bits);
    if (nvml->ecc != NULL &&
        nvml->ecc(device, NVML_ECC_CORRECTED, NVML_ECC_VOLATILE, &corrected) ==
            NVML_SUCCESS &&
        nvml->ecc(device, NVML_ECC_UNCORRECTED, NVML_ECC_VOLATILE, &lost) ==
            NVML_SUCCESS)
        card->ecc_count =
            whet_inventory__known((double)corrected + (double)lost);
}

static void read_processes(whet_card *card, const struct nvml *nvml,
                           void *device)
{
    unsigned count = PROCESS_MAX;
    struct nvml_process *list = calloc(PROCESS_MAX, PROCESS_BYTES_MAX);

    if (list != NULL && nvml->processes != NULL &&
        nvml->processes(device, &count, list) == NVML_SUCCESS) {
        card->knows_processes = true;
        for (unsigned i = 0; i < count && i < WHET_CARD_PROCESS_MAX; i++) {
            whet_card_process *process = &card->processes[i];

            process->pid = list[i].pid;
            /* All ones where the driver may not tell. */
            if (list[i].memory_bytes != ~0ull)
                process->memory_bytes =
                    whet_inventory__known((double)list[i].memory_bytes);
            card->process_count = i + 1;
        }
    }
    free(list);
}

static whet_status fail(whet_err *err, const struct nvml *nvml, int code,
                        const char *what)
{
    const char *text = nvml->error_text != NULL ? nvml->error_text(code) : NULL;

    return whet_err_set(err, WHET_EUNSUPPORTED, "NVML: %s: %s (%d)", what,
                        text != NULL ? text : "error", code);
}

static whet_status read_cards(whet_cards *cards, const char *path,
                              whet_err *err)
{
    struct nvml nvml = {0};
    char driver[sizeof cards->items[0].driver] = "";
    unsigned count = 0;
    void *handle = NULL;
    whet_status st = whet_gpu__load(&nvml, &handle, path, symbols,
                                    sizeof symbols / sizeof symbols[0], err);
    int code;

    if (st != WHET_OK)
        return st;
    if ((code = nvml.init()) != NVML_SUCCESS)
        return fail(err, &nvml, code, "nvmlInit");
    if ((code = nvml.device_count(&count)) != NVML_SUCCESS)
        return fail(err, &nvml, code, "nvmlDeviceGetCount");
    if (nvml.driver != NULL)
        (void)nvml.driver(driver, sizeof driver);
    /* Texts are the library's, and so is their end. */
    driver[sizeof driver - 1] = '\0';
    for (unsigned i = 0; i < count && i < WHET_CARD_MAX; i++) {
        whet_card *card;
        void *device = NULL;

        /* A card that fell off the bus keeps its number. */
        if (nvml.device(i, &device) != NVML_SUCCESS)
            continue;
        if ((card = whet_inventory__new_card(cards)) == NULL)
            break;
        card->physical_index = i;
        (void)whet_strcopy(card->vendor, sizeof card->vendor, "nvidia");
        (void)whet_strcopy(card->driver, sizeof card->driver, driver);
        read_names(card, &nvml, device);
        read_memory(card, &nvml, device);
        read_load(card, &nvml, device);
        read_troubles(card, &nvml, device);
        read_processes(card, &nvml, device);
    }
    if (cards->count == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "NVML: no card");
    return WHET_OK;
}

static const char *const paths[] = {"libnvidia-ml.so.1", NULL};

const whet_inventory_library whet_inventory_nvml = {
    .word = "nvml",
    .title = "NVML",
    .path_env = "WHET_NVML_LIBRARY",
    .paths = paths,
    .read = read_cards,
};
