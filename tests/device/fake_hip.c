/* A small HIP runtime for tests: the functions in use, over memory of the host.
 * Compiled twice, as ROCm's and (FAKE_HIP_DTK) as DTK's, which differ in
 * attribute numbers, in the property struct, and in what they answer to an
 * image of another architecture. Kernels are C functions, known by name; their
 * images are looked into for that name only. Time is the system's, plus what
 * fills of memory pretend to take.
 *
 * What goes wrong is in the file name that the library was opened by, behind
 * the last dash:
 *
 *   none       sees no device            unready  cannot start
 *   crash      dies when it is started   full     has no memory
 *   alien      takes no image            garbage  tells nonsense by number
 *   hip4       numbers as in HIP 4       limits   no limits of a launch
 *   hang       never answers
 *   noisy      writes to stdout, and dies in its exit handler, as DTK's may
 */

#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    OK = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    NOT_INITIALIZED = 3,
    BAD_CONFIGURATION = 9,
    NO_DEVICE = 100,
    BAD_DEVICE = 101,
    BAD_IMAGE = 200,
    NO_BINARY = 209,
    BAD_KERNEL_FILE = 218,
    NO_SHARED_OBJECT = 303,
    BAD_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    OUT_OF_RESOURCES = 701,
    LAUNCH_FAILURE = 719,

    DEVICE_COUNT = 2,
    LDS_BYTES = 65536,
    AMDGPU = 224
};

static const size_t memory_bytes = (size_t)1 << 30;

#ifdef FAKE_HIP_DTK
static const char arch_text[] = "gfx936:sramecc+:xnack-";
static const int bus_numbers[DEVICE_COUNT] = {0x09, 0x36};
static const int version_number = 60325422;
#else
static const char arch_text[] = "gfx90a:sramecc+:xnack-";
static const int bus_numbers[DEVICE_COUNT] = {0xc1, 0xc6};
static const int version_number = 60241134;
#endif

struct kernel {
    const char *name;
    int items_max;
    int (*run)(void **params);
};

struct event {
    uint64_t at_ns;
    bool is_recorded;
};

/* The runtime's state; a fake is allowed some. */
static struct {
    bool is_started;
    int device, sticky;
    size_t used_bytes;
    uint64_t ahead_ns; /* of the system's clock */
    struct event events[8];
    size_t event_count;
    char *image;
    size_t image_bytes;
} fake;

static bool is_mode(const char *word)
{
    Dl_info info;
    const char *dash;
    size_t bytes = strlen(word);

    if (dladdr((void *)&fake, &info) == 0 || info.dli_fname == NULL)
        return false;
    dash = strrchr(info.dli_fname, '-');
    return dash != NULL && strncmp(dash + 1, word, bytes) == 0 &&
           strncmp(dash + 1 + bytes, ".so", 3) == 0;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- kernels -------------------------------------------------------------- */

static void spin_until(uint64_t end_ns)
{
    while (now_ns() < end_ns)
        ;
}

static void multiply(void **params, float error)
{
    const float *a = *(const float **)params[0];
    const float *b = *(const float **)params[1];
    float *c = *(float **)params[2];
    int m = *(int *)params[3], n = *(int *)params[4], k = *(int *)params[5];
    int i, j, l;

    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) {
            float sum = 0;

            for (l = 0; l < k; l++)
                sum += a[(size_t)i * (size_t)k + (size_t)l] *
                       b[(size_t)l * (size_t)n + (size_t)j];
            c[(size_t)i * (size_t)n + (size_t)j] = sum + error;
        }
}

/* So long that no noise of the machine makes it the faster one. */
static int gemm(void **params)
{
    uint64_t begin_ns = now_ns();

    multiply(params, 0);
    spin_until(begin_ns + 4000000);
    return OK;
}

static int gemm_fast(void **params)
{
    multiply(params, 0);
    return OK;
}

static int gemm_wrong(void **params)
{
    multiply(params, 1);
    return OK;
}

static int gemm_refused(void **params)
{
    (void)params;
    return LAUNCH_FAILURE;
}

/* Told only by the next call that waits, and by all later ones. */
static int gemm_fault(void **params)
{
    (void)params;
    fake.sticky = ILLEGAL_ADDRESS;
    return OK;
}

static int gemm_endless(void **params)
{
    (void)params;
    for (;;)
        (void)pause();
    return OK;
}

static const struct kernel kernels[] = {
    {"gemm", 1024, gemm},
    {"gemm_fast", 256, gemm_fast},
    {"gemm_wrong", 256, gemm_wrong},
    {"gemm_refused", 256, gemm_refused},
    {"gemm_fault", 256, gemm_fault},
    {"gemm_endless", 256, gemm_endless},
};

/* --- start and facts ------------------------------------------------------ */

EXPORT int hipInit(unsigned flags);
EXPORT int hipDriverGetVersion(int *out);
EXPORT int hipGetDeviceCount(int *out);
EXPORT int hipDeviceGetName(char *out, int bytes, int device);
EXPORT int hipDeviceTotalMem(size_t *out, int device);
EXPORT int hipDeviceGetAttribute(int *out, int number, int device);
EXPORT int hipDeviceGetPCIBusId(char *out, int bytes, int device);
EXPORT int hipGetDeviceProperties(void *out, int device);
EXPORT int hipSetDevice(int device);
EXPORT int hipGetDevice(int *out);
EXPORT int hipPeekAtLastError(void);
EXPORT int hipStreamCreateWithFlags(void **out, unsigned flags);
EXPORT int hipStreamSynchronize(void *stream);
EXPORT int hipMalloc(void **out, size_t bytes);
EXPORT int hipMemGetInfo(size_t *free_out, size_t *total_out);
EXPORT int hipHostRegister(void *host, size_t bytes, unsigned flags);
EXPORT int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream);
EXPORT int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream);
EXPORT int hipMemsetD32Async(void *to, int value, size_t count, void *stream);
EXPORT int hipEventCreateWithFlags(void **out, unsigned flags);
EXPORT int hipEventRecord(void *event, void *stream);
EXPORT int hipEventSynchronize(void *event);
EXPORT int hipEventElapsedTime(float *out, void *begin, void *end);
EXPORT int hipModuleLoadData(void **out, const void *image);
EXPORT int hipModuleGetFunction(void **out, void *module, const char *name);
EXPORT int hipFuncGetAttribute(int *out, int attribute, void *function);
EXPORT int hipModuleLaunchKernel(void *function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes,
                                 void *stream, void **params, void **extra);
#ifndef FAKE_HIP_DTK
EXPORT int hipGetDevicePropertiesR0600(void *out, int device);
#endif

static void die(void)
{
    abort();
}

int hipInit(unsigned flags)
{
    if (flags != 0)
        return INVALID;
    if (is_mode("none"))
        return NO_DEVICE;
    if (is_mode("unready"))
        return NO_SHARED_OBJECT;
    if (is_mode("crash"))
        abort();
    while (is_mode("hang"))
        (void)pause();
    if (is_mode("noisy")) {
        printf("a runtime's greeting\n");
        (void)fflush(stdout);
        (void)atexit(die);
    }
    fake.is_started = true;
    return OK;
}

int hipDriverGetVersion(int *out)
{
    *out = version_number;
    return OK;
}

int hipGetDeviceCount(int *out)
{
    *out = fake.is_started ? DEVICE_COUNT : 0;
    return fake.is_started ? OK : NO_DEVICE;
}

static bool is_device(int device)
{
    return fake.is_started && device >= 0 && device < DEVICE_COUNT;
}

int hipDeviceGetName(char *out, int bytes, int device)
{
    if (!is_device(device))
        return BAD_DEVICE;
    /* An escape for a terminal, which nobody wants to see carried out. */
    snprintf(out, (size_t)bytes, "Fake %s %d\033[2J",
             arch_text[4] == '3' ? "DCU" : "GPU", device);
    return OK;
}

int hipDeviceTotalMem(size_t *out, int device)
{
    *out = memory_bytes;
    return is_device(device) ? OK : BAD_DEVICE;
}

/* In one order for all numberings; see what(). */
enum {
    ITEMS,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    GRID_X,
    GRID_Y,
    GRID_Z,
    LDS,
    CONSTANT,
    WAVE,
    REGISTERS,
    CLOCK,
    MEMORY_CLOCK,
    BUS_WIDTH,
    UNITS,
    MODE,
    L2,
    UNIT_ITEMS,
    MAJOR,
    MINOR,
    CONCURRENT,
    PCI_BUS,
    PCI_DEVICE,
    UNIT_LDS,
    ECC,
    PAGEABLE,
    NOTHING
};

static const int values[] = {[ITEMS] = 1024,
                             [BLOCK_X] = 1024,
                             [BLOCK_Y] = 1024,
                             [BLOCK_Z] = 1024,
                             [GRID_X] = INT32_MAX,
                             [GRID_Y] = 65536,
                             [GRID_Z] = 65536,
                             [LDS] = LDS_BYTES,
                             [CONSTANT] = INT32_MAX,
                             [WAVE] = 64,
                             [REGISTERS] = 65536,
                             [CLOCK] = 1500000,
                             [MEMORY_CLOCK] = 800000,
                             [BUS_WIDTH] = 4096,
                             [UNITS] = 80,
                             [MODE] = 0,
                             [L2] = 1 << 20,
                             [UNIT_ITEMS] = 2560,
                             [MAJOR] = 9,
                             [MINOR] = 3,
                             [CONCURRENT] = 1,
                             [PCI_BUS] = 0,
                             [PCI_DEVICE] = 0,
                             [UNIT_LDS] = LDS_BYTES,
                             [ECC] = 1,
                             [PAGEABLE] = 0,
                             [NOTHING] = 0};

/* Which fact does a number stand for? */
static int what(int number)
{
    if (is_mode("hip4"))
        return number >= 0 && number <= UNIT_LDS ? number
               : number == 41                    ? ECC
               : number == 50                    ? PAGEABLE
                                                 : NOTHING;
#ifdef FAKE_HIP_DTK
    if (number == 10002)
        return UNIT_LDS;
    if (is_mode("limits") && number < 25)
        return NOTHING;
    return number >= 18 && number <= 40 ? number - 18 : NOTHING;
#else
    {
        static const int rows[][2] = {
            {0, ECC},           {5, CLOCK},       {6, MODE},
            {8, CONCURRENT},    {19, L2},         {23, MAJOR},
            {26, BLOCK_X},      {27, BLOCK_Y},    {28, BLOCK_Z},
            {29, GRID_X},       {30, GRID_Y},     {31, GRID_Z},
            {56, ITEMS},        {57, UNIT_ITEMS}, {59, BUS_WIDTH},
            {60, MEMORY_CLOCK}, {61, MINOR},      {63, UNITS},
            {65, PAGEABLE},     {67, PCI_BUS},    {68, PCI_DEVICE},
            {71, REGISTERS},    {74, LDS},        {83, CONSTANT},
            {87, WAVE},         {10002, UNIT_LDS}};
        size_t i;

        for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (rows[i][0] == number)
                return rows[i][1];
        return NOTHING;
    }
#endif
}

int hipDeviceGetAttribute(int *out, int number, int device)
{
    int fact = what(number);

    if (!is_device(device))
        return BAD_DEVICE;
    if (is_mode("garbage")) {
        *out = (int)(0x9e3779b9u * (unsigned)(number + 1));
        return OK;
    }
    if (fact == NOTHING)
        return INVALID;
    *out = fact == PCI_BUS ? bus_numbers[device] : values[fact];
    return OK;
}

int hipDeviceGetPCIBusId(char *out, int bytes, int device)
{
    if (!is_device(device))
        return BAD_DEVICE;
    snprintf(out, (size_t)bytes, "0000:%02x:00.0", bus_numbers[device]);
    return OK;
}

/* 792 bytes; DTK's text lies elsewhere in them. */
int hipGetDeviceProperties(void *out, int device)
{
    char *bytes = out;

    if (!is_device(device))
        return BAD_DEVICE;
    memset(bytes, 0xee, 792);
    (void)hipDeviceGetName(bytes, 256, device);
#ifdef FAKE_HIP_DTK
    memcpy(bytes + 300, "gfx", 4); /* no architecture */
    memcpy(bytes + 412, arch_text, sizeof arch_text);
#else
    memcpy(bytes + 396, arch_text, sizeof arch_text);
#endif
    return OK;
}

#ifndef FAKE_HIP_DTK
int hipGetDevicePropertiesR0600(void *out, int device)
{
    char *bytes = out;

    if (!is_device(device))
        return BAD_DEVICE;
    memset(bytes, 0xee, 1472);
    memcpy(bytes + 1160, arch_text, sizeof arch_text);
    return OK;
}
#endif

/* --- device, memory ------------------------------------------------------- */

int hipSetDevice(int device)
{
    fake.device = device;
    return is_device(device) ? OK : BAD_DEVICE;
}

int hipGetDevice(int *out)
{
    *out = fake.device;
    return OK;
}

int hipPeekAtLastError(void)
{
    return fake.sticky;
}

/* Once a kernel has failed, every call fails. The null stream is nobody's. */
static int check(const void *stream)
{
    if (!fake.is_started)
        return NOT_INITIALIZED;
    if (stream != &fake.ahead_ns)
        return BAD_HANDLE;
    return fake.sticky;
}

int hipStreamCreateWithFlags(void **out, unsigned flags)
{
    *out = &fake.ahead_ns;
    return flags == 1 ? check(*out) : INVALID;
}

int hipStreamSynchronize(void *stream)
{
    return check(stream);
}

/* Never freed by anyone: kept where a leak checker finds it. Aligned to less
 * than a page, as runtimes may do. */
int hipMalloc(void **out, size_t bytes)
{
    static char *volatile kept[64]; /* else optimised away */
    static size_t count;

    if (is_mode("full") || bytes > memory_bytes - fake.used_bytes ||
        count == sizeof kept / sizeof kept[0])
        return NO_MEMORY;
    kept[count] = aligned_alloc(4096, (bytes + 256 + 4095) / 4096 * 4096);
    if (kept[count] == NULL)
        return NO_MEMORY;
    fake.used_bytes += bytes;
    *out = kept[count++] + 256;
    return fake.sticky;
}

int hipMemGetInfo(size_t *free_out, size_t *total_out)
{
    *free_out = memory_bytes - fake.used_bytes;
    *total_out = memory_bytes;
    return fake.sticky;
}

int hipHostRegister(void *host, size_t bytes, unsigned flags)
{
    return host == NULL || bytes == 0 || flags != 0 ? INVALID : fake.sticky;
}

int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream)
{
    int code = check(stream);

    if (code == OK)
        memcpy(to, from, bytes);
    return code;
}

int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream)
{
    int code = check(stream);

    if (code == OK)
        memcpy(to, from, bytes);
    return code;
}

/* Pretends to take as long as a card of 1 TB/s would, and touches both ends. */
int hipMemsetD32Async(void *to, int value, size_t count, void *stream)
{
    int *words = to;
    int code = check(stream);

    if (code != OK || count == 0)
        return code != OK ? code : INVALID;
    words[0] = words[count - 1] = value;
    fake.ahead_ns += count * 4 / 1000;
    return OK;
}

/* --- events --------------------------------------------------------------- */

int hipEventCreateWithFlags(void **out, unsigned flags)
{
    if (flags != 0 ||
        fake.event_count == sizeof fake.events / sizeof fake.events[0])
        return INVALID;
    *out = &fake.events[fake.event_count++];
    return fake.sticky;
}

int hipEventRecord(void *event, void *stream)
{
    struct event *at = event;

    at->at_ns = now_ns() + fake.ahead_ns;
    at->is_recorded = true;
    return check(stream);
}

int hipEventSynchronize(void *event)
{
    return ((struct event *)event)->is_recorded ? fake.sticky : NOT_READY;
}

int hipEventElapsedTime(float *out, void *begin, void *end)
{
    const struct event *from = begin, *to = end;

    if (!from->is_recorded || !to->is_recorded)
        return NOT_READY;
    *out = (float)((double)(to->at_ns - from->at_ns) / 1e6);
    return fake.sticky;
}

/* --- modules -------------------------------------------------------------- */

int hipModuleLoadData(void **out, const void *image)
{
    Elf64_Ehdr head;

    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != AMDGPU)
        return BAD_IMAGE;
    if (is_mode("alien"))
#ifdef FAKE_HIP_DTK
        return BAD_KERNEL_FILE;
#else
        return NO_BINARY;
#endif
    /* The section headers are last. */
    fake.image_bytes = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    free(fake.image);
    fake.image = malloc(fake.image_bytes);
    if (fake.image == NULL)
        return NO_MEMORY;
    memcpy(fake.image, image, fake.image_bytes);
    *out = &fake.image;
    return fake.sticky;
}

int hipModuleGetFunction(void **out, void *module, const char *name)
{
    size_t i;

    if (module != &fake.image)
        return BAD_HANDLE;
    for (i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i].name, name) == 0 &&
            memmem(fake.image, fake.image_bytes, name, strlen(name) + 1) !=
                NULL) {
            *out = (void *)(uintptr_t)&kernels[i];
            return fake.sticky;
        }
    return NOT_FOUND;
}

int hipFuncGetAttribute(int *out, int attribute, void *function)
{
    const struct kernel *kernel = function;

    if (attribute != 0 && attribute != 1)
        return INVALID;
    *out = attribute == 0 ? kernel->items_max : 0;
    return fake.sticky;
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream,
                          void **params, void **extra)
{
    const struct kernel *kernel = function;
    uint64_t block = (uint64_t)block_x * block_y * block_z;
    int code = check(stream);

    if (code != OK)
        return code;
    if (extra != NULL || block == 0 || grid_x == 0 || grid_y == 0 ||
        grid_z == 0)
        return BAD_CONFIGURATION;
    if (block > (uint64_t)kernel->items_max || shared_bytes > LDS_BYTES)
        return OUT_OF_RESOURCES;
    return kernel->run(params);
}
