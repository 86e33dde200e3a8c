/* A management library of two cards for tests, after the NVML reference. What
 * it does wrong is in the name of the file that it was opened by, since the
 * child that opens it gets no other word: ".none", ".init", ".crash", ".print"
 * or ".wild" (numbers and texts that cannot be) anywhere in it. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build hides what is not asked for. */
#pragma GCC visibility push(default)

struct pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char text[32];
};

struct memory {
    unsigned long long total, free, used;
};

struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

struct process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

enum { OK = 0, BAD_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_DRIVER = 9 };

static int is_mode(const char *word)
{
    static const char here = 0;
    Dl_info info = {0};

    return dladdr(&here, &info) != 0 && strstr(info.dli_fname, word) != NULL;
}

/* Handles are addresses of these. */
static const char cards[2] = {0, 1};

static int index_of(void *device)
{
    return (int)(*(const char *)device);
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    if (is_mode(".print"))
        printf("noise on stdout\n");
    if (is_mode(".crash"))
        abort();
    return is_mode(".init") ? NO_DRIVER : OK;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
    return code == NO_DRIVER ? "Driver Not Loaded" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetCount_v2(unsigned *out)
{
    *out = is_mode(".none") ? 0 : is_mode(".wild") ? ~0u : 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    if (index >= 2)
        return BAD_ARGUMENT;
    *out = (void *)&cards[index];
    return OK;
}

int nvmlDeviceGetName(void *device, char *out, unsigned bytes);
int nvmlDeviceGetName(void *device, char *out, unsigned bytes)
{
    /* The second one tries a terminal. */
    snprintf(out, bytes, "%s",
             index_of(device) == 0 ? "Fake H200" : "Fake \033[31mH200");
    return OK;
}

int nvmlDeviceGetUUID(void *device, char *out, unsigned bytes);
int nvmlDeviceGetUUID(void *device, char *out, unsigned bytes)
{
    snprintf(out, bytes, "GPU-%08d-0000", index_of(device));
    return OK;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *out);
int nvmlDeviceGetPciInfo_v3(void *device, struct pci *out)
{
    memset(out, 0, sizeof *out);
    out->bus = index_of(device) == 0 ? 0xc1 : 0xd1;
    snprintf(out->text, sizeof out->text, "00000000:%02X:00.0", out->bus);
    return OK;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *out);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *out)
{
    (void)device;
    *out = (struct memory){.total = 1000, .free = 0, .used = 1000};
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *inout);
int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *inout)
{
    if (inout->version != (40u | 2u << 24))
        return BAD_ARGUMENT;
    inout->total = 150ull << 30;
    inout->used = index_of(device) == 0 ? 75ull << 30 : 3ull << 30;
    inout->reserved = 1u << 30;
    return OK;
}

int nvmlDeviceGetViolationStatus(void *device, int policy,
                                 unsigned long long out[2]);
int nvmlDeviceGetViolationStatus(void *device, int policy,
                                 unsigned long long out[2])
{
    out[0] = 99;
    out[1] = policy == 0 ? 1000 : 234;
    return index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

/* Under the name of older releases; the card is idle and braked. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device,
                                              unsigned long long *out);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device,
                                              unsigned long long *out)
{
    *out = 0x81;
    return index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEccErrors(void *device, int kind, int counter,
                                unsigned long long *out);
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int counter,
                                unsigned long long *out)
{
    *out = kind == 0 ? 5 : 2;
    return index_of(device) == 0 && counter == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2]);
int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2])
{
    out[0] = 42;
    out[1] = 7;
    return index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out)
{
    *out = is_mode(".wild") ? ~0u : 51;
    return sensor == 0 && index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts_out);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts_out)
{
    *milliwatts_out = is_mode(".wild") ? ~0u : 123456;
    return index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz_out);
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz_out)
{
    *mhz_out = which == 1 ? 1980 : 3201;
    return index_of(device) == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *out);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *out)
{
    if (index_of(device) != 0)
        return NOT_SUPPORTED;
    if (*count < 2)
        return 7;
    out[0] = (struct process){.pid = 4711, .memory_bytes = 1u << 30};
    out[1] = (struct process){.pid = 4712, .memory_bytes = ~0ull};
    *count = 2;
    return OK;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor);
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    (void)device;
    *major = is_mode(".wild") ? -2000000000 : 9;
    *minor = 0;
    return OK;
}

int nvmlSystemGetDriverVersion(char *out, unsigned bytes);
int nvmlSystemGetDriverVersion(char *out, unsigned bytes)
{
    if (is_mode(".wild"))
        memset(out, 'D', bytes);
    else
        snprintf(out, bytes, "580.1");
    return OK;
}
