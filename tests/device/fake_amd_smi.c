/* Both management libraries of AMD in one file for tests: two cards, the second
 * of Hygon's vendor number and with nothing to tell but its address. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The build hides what is not asked for. */
#pragma GCC visibility push(default)

enum { OK = 0, NOT_SUPPORTED = 2 };

struct process {
    uint32_t pid, pasid;
    uint64_t vram_bytes, sdma_us;
    uint32_t cu_pct;
};

/* --- rocm-smi --- */

int rsmi_init(uint64_t flags);
int rsmi_init(uint64_t flags)
{
    return flags == 0 ? OK : 1;
}

int rsmi_num_monitor_devices(uint32_t *out);
int rsmi_num_monitor_devices(uint32_t *out)
{
    *out = 2;
    return OK;
}

int rsmi_dev_pci_id_get(uint32_t index, uint64_t *out);
int rsmi_dev_pci_id_get(uint32_t index, uint64_t *out)
{
    *out = index == 0 ? 0x2600 : (1ull << 32 | 0x3608);
    return OK;
}

int rsmi_dev_vendor_id_get(uint32_t index, uint16_t *out);
int rsmi_dev_vendor_id_get(uint32_t index, uint16_t *out)
{
    *out = index == 0 ? 0x1002 : 0x1d94;
    return OK;
}

int rsmi_dev_name_get(uint32_t index, char *out, size_t bytes);
int rsmi_dev_name_get(uint32_t index, char *out, size_t bytes)
{
    snprintf(out, bytes, "Fake MI");
    return index == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_dev_memory_total_get(uint32_t index, int type, uint64_t *out);
int rsmi_dev_memory_total_get(uint32_t index, int type, uint64_t *out)
{
    *out = 64ull << 30;
    return index == 0 && type == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_dev_memory_usage_get(uint32_t index, int type, uint64_t *out);
int rsmi_dev_memory_usage_get(uint32_t index, int type, uint64_t *out)
{
    *out = 16ull << 30;
    return index == 0 && type == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_dev_busy_percent_get(uint32_t index, uint32_t *out);
int rsmi_dev_busy_percent_get(uint32_t index, uint32_t *out)
{
    *out = 99;
    return index == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_dev_temp_metric_get(uint32_t index, uint32_t sensor, int metric,
                             int64_t *out);
int rsmi_dev_temp_metric_get(uint32_t index, uint32_t sensor, int metric,
                             int64_t *out)
{
    *out = 61500;
    /* Only the edge sensor. */
    return index == 0 && sensor == 0 && metric == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_dev_power_ave_get(uint32_t index, uint32_t sensor, uint64_t *out);
int rsmi_dev_power_ave_get(uint32_t index, uint32_t sensor, uint64_t *out)
{
    *out = 250000000;
    return index == 0 && sensor == 0 ? OK : NOT_SUPPORTED;
}

int rsmi_compute_process_info_get(struct process *out, uint32_t *count);
int rsmi_compute_process_info_get(struct process *out, uint32_t *count)
{
    if (*count < 1)
        return 1;
    out[0] = (struct process){.pid = 99, .vram_bytes = 4096};
    *count = 1;
    return OK;
}

int rsmi_compute_process_gpus_get(uint32_t pid, uint32_t *out, uint32_t *count);
int rsmi_compute_process_gpus_get(uint32_t pid, uint32_t *out, uint32_t *count)
{
    out[0] = 0;
    *count = 1;
    return pid == 99 ? OK : 1;
}

/* --- amdsmi --- */

static const char sockets[1] = {0};
static const char processors[2] = {0, 1};

int amdsmi_init(uint64_t flags);
int amdsmi_init(uint64_t flags)
{
    return flags == 2 ? OK : 1;
}

int amdsmi_get_socket_handles(uint32_t *count, void **out);
int amdsmi_get_socket_handles(uint32_t *count, void **out)
{
    out[0] = (void *)&sockets[0];
    *count = 1;
    return OK;
}

int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **out);
int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **out)
{
    out[0] = (void *)&processors[0];
    out[1] = (void *)&processors[1];
    *count = 2;
    return socket == &sockets[0] ? OK : 1;
}

int amdsmi_get_gpu_device_bdf(void *processor, uint64_t *out);
int amdsmi_get_gpu_device_bdf(void *processor, uint64_t *out)
{
    *out = processor == &processors[0] ? 0x2600 : (1ull << 16 | 0x3608);
    return OK;
}

int amdsmi_get_gpu_memory_total(void *processor, int type, uint64_t *out);
int amdsmi_get_gpu_memory_total(void *processor, int type, uint64_t *out)
{
    *out = 64ull << 30;
    return processor == &processors[0] && type == 0 ? OK : NOT_SUPPORTED;
}

int amdsmi_get_gpu_activity(void *processor, uint32_t out[16]);
int amdsmi_get_gpu_activity(void *processor, uint32_t out[16])
{
    memset(out, 0xff, 16 * sizeof out[0]);
    if (processor == &processors[0])
        out[0] = 12;
    return OK;
}

int amdsmi_get_temp_metric(void *processor, int sensor, int metric,
                           int64_t *out);
int amdsmi_get_temp_metric(void *processor, int sensor, int metric,
                           int64_t *out)
{
    *out = sensor == 1 ? 70 : 60;
    return processor == &processors[0] && metric == 0 ? OK : NOT_SUPPORTED;
}
