/* A small driver for tests: the functions of libcuda that are in use, over
 * memory of the host and a clock of its own. Kernels are C functions, known by
 * name. What goes wrong is in the file name that the library was opened by:
 * fake_cuda_kit.c makes copies NUMBER-MODE.so of it.
 *
 *   none       sees no device          stub    cannot be started
 *   hang       never answers           crash   dies when it is started
 *   noisy      writes to stdout, and dies in its exit handler
 *   full       has no memory           bare    tells few attributes
 *   unloadable takes no image
 */

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    OK = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    NOT_INITIALIZED = 3,
    STUB = 34,
    NO_DEVICE = 100,
    BAD_DEVICE = 101,
    BAD_IMAGE = 200,
    BAD_CONTEXT = 201,
    BAD_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    OUT_OF_RESOURCES = 701,

    DEVICE_COUNT = 2,
    BLOCK_MAX = 1024,
    SHARED_DEFAULT = 49152,
    SHARED_OPTIN = 232448
};

static const size_t memory_bytes = (size_t)1 << 30;

/* Offset and bytes of a kernel's parameters, and what it does. */
struct kernel {
    const char *name;
    size_t sizes[8];
    size_t count;
    int items_max, shared_bytes;
    int (*run)(unsigned items, void **params);
    int dynamic_max;
};

struct event {
    uint64_t at_ns;
    bool is_recorded;
};

/* The driver's state; a fake is allowed some. */
static struct {
    bool is_started, is_loaded, has_context;
    int sticky;
    size_t used_bytes;
    uint64_t now_ns; /* of the device */
    struct event events[8];
    size_t event_count;
} fake;

static const char *mode(void)
{
    Dl_info info;
    const char *dash;

    if (dladdr((void *)&fake, &info) == 0 || info.dli_fname == NULL)
        return "";
    dash = strrchr(info.dli_fname, '-');
    return dash != NULL ? dash + 1 : "";
}

static bool is_mode(const char *word)
{
    size_t bytes = strlen(word);

    return strncmp(mode(), word, bytes) == 0 &&
           strcmp(mode() + bytes, ".so") == 0;
}

/* --- kernels -------------------------------------------------------------- */

static int saxpy(unsigned items, void **params)
{
    const float *x = *(const float **)params[0];
    float *y = *(float **)params[1];
    int n = *(int *)params[2];
    float a = *(float *)params[3];
    unsigned i;

    for (i = 0; i < items && (int)i < n; i++)
        y[i] += a * x[i];
    return OK;
}

static int wide(unsigned items, void **params)
{
    double *out = *(double **)params[0];

    (void)items;
    out[0] = (double)*(int64_t *)params[1];
    out[1] = *(double *)params[2];
    return OK;
}

static int stray(unsigned items, void **params)
{
    (void)items;
    (void)params;
    /* Told only by the next call that waits. */
    fake.sticky = ILLEGAL_ADDRESS;
    return OK;
}

static int greedy(unsigned items, void **params)
{
    (void)items;
    (void)params;
    return OUT_OF_RESOURCES;
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

/* Far slower than the fast one; the judge believes no events that tell more
 * than its own clock. */
static int gemm(unsigned items, void **params)
{
    (void)items;
    multiply(params, 0);
    usleep(5000);
    fake.now_ns += 4000000;
    return OK;
}

static int gemm_fast(unsigned items, void **params)
{
    (void)items;
    multiply(params, 0);
    return OK;
}

static int gemm_wrong(unsigned items, void **params)
{
    (void)items;
    multiply(params, 1);
    return OK;
}

#define GEMM_SIZES {8, 8, 8, 4, 4, 4}, 6

static struct kernel kernels[] = {
    {"gemm", GEMM_SIZES, BLOCK_MAX, 0, gemm, SHARED_DEFAULT},
    {"gemm_fast", GEMM_SIZES, 256, 0, gemm_fast, SHARED_DEFAULT},
    {"gemm_wrong", GEMM_SIZES, 256, 0, gemm_wrong, SHARED_DEFAULT},
    {"gemm_fault", GEMM_SIZES, 256, 0, stray, SHARED_DEFAULT},
    {"saxpy", {8, 8, 4, 4}, 4, 256, 0, saxpy, SHARED_DEFAULT},
    {"wide", {8, 8, 8}, 3, BLOCK_MAX, 1024, wide, SHARED_DEFAULT - 1024},
    {"stray", {8}, 1, BLOCK_MAX, 0, stray, SHARED_DEFAULT},
    {"greedy", {8}, 1, BLOCK_MAX, 0, greedy, SHARED_DEFAULT},
};

/* --- start and facts ------------------------------------------------------ */

EXPORT int cuInit(unsigned flags);
EXPORT int cuDriverGetVersion(int *out);
EXPORT int cuDeviceGetCount(int *out);
EXPORT int cuDeviceGet(int *out, int ordinal);
EXPORT int cuDeviceGetName(char *out, int bytes, int device);
EXPORT int cuDeviceTotalMem_v2(size_t *out, int device);
EXPORT int cuDeviceGetAttribute(int *out, int number, int device);
EXPORT int cuDeviceGetPCIBusId(char *out, int bytes, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **out, int device);
EXPORT int cuCtxSetCurrent(void *context);
EXPORT int cuCtxSynchronize(void);
EXPORT int cuStreamCreate(void **out, unsigned flags);
EXPORT int cuStreamSynchronize(void *stream);
EXPORT int cuMemAlloc_v2(uint64_t *out, size_t bytes);
EXPORT int cuMemGetInfo_v2(size_t *free_out, size_t *total_out);
EXPORT int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags);
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                                void *stream);
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                                void *stream);
EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t count,
                            void *stream);
EXPORT int cuEventCreate(void **out, unsigned flags);
EXPORT int cuEventRecord(void *event, void *stream);
EXPORT int cuEventSynchronize(void *event);
EXPORT int cuEventElapsedTime(float *out, void *begin, void *end);
EXPORT int cuModuleLoadData(void **out, const void *image);
EXPORT int cuModuleGetFunction(void **out, void *module, const char *name);
EXPORT int cuFuncGetAttribute(int *out, int attribute, void *function);
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value);
EXPORT int cuFuncGetParamInfo(void *function, size_t index, size_t *offset_out,
                              size_t *bytes_out);
EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream,
                          void **params, void **extra);

/* For tests: nanoseconds that the device has worked. */
EXPORT uint64_t fake_cuda_now_ns(void);

uint64_t fake_cuda_now_ns(void)
{
    return fake.now_ns;
}

static void die(void)
{
    abort();
}

int cuInit(unsigned flags)
{
    if (flags != 0)
        return INVALID;
    if (is_mode("stub"))
        return STUB;
    if (is_mode("crash"))
        abort();
    while (is_mode("hang"))
        pause();
    if (is_mode("noisy")) {
        printf("a driver's greeting\n");
        (void)fflush(stdout);
        (void)atexit(die);
    }
    fake.is_started = true;
    return OK;
}

int cuDriverGetVersion(int *out)
{
    *out = 12040;
    return OK;
}

int cuDeviceGetCount(int *out)
{
    *out = is_mode("none") ? 0 : DEVICE_COUNT;
    return fake.is_started ? OK : NOT_INITIALIZED;
}

static bool is_device(int device)
{
    return fake.is_started && device >= 0 && device < DEVICE_COUNT;
}

int cuDeviceGet(int *out, int ordinal)
{
    *out = ordinal;
    return is_device(ordinal) ? OK : BAD_DEVICE;
}

int cuDeviceGetName(char *out, int bytes, int device)
{
    if (!is_device(device))
        return BAD_DEVICE;
    /* An escape for a terminal, which nobody wants to see carried out. */
    snprintf(out, (size_t)bytes, "Fake GPU %d\033[2J", device);
    return OK;
}

int cuDeviceTotalMem_v2(size_t *out, int device)
{
    *out = memory_bytes;
    return is_device(device) ? OK : BAD_DEVICE;
}

int cuDeviceGetAttribute(int *out, int number, int device)
{
    static const int values[][2] = {
        {1, BLOCK_MAX},    {2, 1024},     {3, 1024},   {4, 64},
        {5, 2147483647},   {6, 65535},    {7, 65535},  {8, SHARED_DEFAULT},
        {10, 32},          {13, 1980000}, {16, 132},   {20, 0},
        {32, 1},           {33, 0xc1},    {34, 0},     {36, 2619000},
        {38, 4 << 20},     {39, 2048},    {50, 0},     {75, 9},
        {76, 0},           {81, 233472},  {82, 65536}, {88, 0},
        {97, SHARED_OPTIN}};
    size_t i;

    if (!is_device(device))
        return BAD_DEVICE;
    if (is_mode("bare") && number != 75 && number != 76)
        return INVALID;
    for (i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i][0] == number) {
            *out = values[i][1] + (number == 33 ? device : 0);
            return OK;
        }
    return INVALID;
}

int cuDeviceGetPCIBusId(char *out, int bytes, int device)
{
    if (!is_device(device))
        return BAD_DEVICE;
    snprintf(out, (size_t)bytes, "00000000:%02X:00.0", 0xc1 + device);
    return OK;
}

/* --- context, memory ------------------------------------------------------ */

int cuDevicePrimaryCtxRetain(void **out, int device)
{
    *out = &fake;
    return is_device(device) ? OK : BAD_DEVICE;
}

int cuCtxSetCurrent(void *context)
{
    fake.has_context = context == &fake;
    return fake.has_context ? OK : BAD_CONTEXT;
}

/* Once a kernel has failed, every call fails. */
static int check(void)
{
    if (!fake.has_context)
        return BAD_CONTEXT;
    return fake.sticky;
}

static int check_stream(const void *stream)
{
    int code = check();

    return code == OK && stream != &fake.now_ns ? BAD_HANDLE : code;
}

int cuCtxSynchronize(void)
{
    return check();
}

int cuStreamCreate(void **out, unsigned flags)
{
    *out = &fake.now_ns;
    return flags == 1 ? check() : INVALID;
}

int cuStreamSynchronize(void *stream)
{
    return check_stream(stream);
}

/* Never freed by anyone: kept where a leak checker finds it. Aligned to less
 * than a page, as drivers may do. */
int cuMemAlloc_v2(uint64_t *out, size_t bytes)
{
    static char *kept[64];
    static size_t count;

    if (is_mode("full") || bytes > memory_bytes - fake.used_bytes)
        return NO_MEMORY;
    if (count == sizeof kept / sizeof kept[0])
        return NO_MEMORY;
    kept[count] = aligned_alloc(4096, (bytes + 512 + 4095) / 4096 * 4096);
    if (kept[count] == NULL)
        return NO_MEMORY;
    fake.used_bytes += bytes;
    *out = (uint64_t)(uintptr_t)kept[count++] + 512;
    return check();
}

int cuMemGetInfo_v2(size_t *free_out, size_t *total_out)
{
    *free_out = memory_bytes - fake.used_bytes;
    *total_out = memory_bytes;
    return check();
}

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    return host == NULL || bytes == 0 || flags != 0 ? INVALID : check();
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream)
{
    int code = check_stream(stream);

    if (code == OK)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return code;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    int code = check_stream(stream);

    if (code == OK)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return code;
}

/* Takes as long as a card of 4 TB/s would, and touches both ends. */
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream)
{
    unsigned *words = (unsigned *)(uintptr_t)to;
    int code = check_stream(stream);

    if (code != OK || count == 0)
        return code != OK ? code : INVALID;
    words[0] = words[count - 1] = value;
    fake.now_ns += count * 4 / 4000;
    return OK;
}

/* --- events --------------------------------------------------------------- */

int cuEventCreate(void **out, unsigned flags)
{
    if (flags != 0 ||
        fake.event_count == sizeof fake.events / sizeof fake.events[0])
        return INVALID;
    *out = &fake.events[fake.event_count++];
    return check();
}

int cuEventRecord(void *event, void *stream)
{
    int code = check_stream(stream);

    ((struct event *)event)->at_ns = fake.now_ns;
    ((struct event *)event)->is_recorded = true;
    return code;
}

int cuEventSynchronize(void *event)
{
    return ((struct event *)event)->is_recorded ? check() : NOT_READY;
}

int cuEventElapsedTime(float *out, void *begin, void *end)
{
    const struct event *from = begin, *to = end;

    if (!from->is_recorded || !to->is_recorded)
        return NOT_READY;
    *out = (float)((double)(to->at_ns - from->at_ns) / 1e6);
    return check();
}

/* --- modules -------------------------------------------------------------- */

int cuModuleLoadData(void **out, const void *image)
{
    if (is_mode("unloadable") || memcmp(image, "\177ELF", 4) != 0)
        return BAD_IMAGE;
    fake.is_loaded = true;
    *out = &fake.is_loaded;
    return check();
}

int cuModuleGetFunction(void **out, void *module, const char *name)
{
    size_t i;

    if (module != &fake.is_loaded)
        return BAD_HANDLE;
    for (i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i].name, name) == 0) {
            *out = &kernels[i];
            return check();
        }
    return NOT_FOUND;
}

int cuFuncGetAttribute(int *out, int attribute, void *function)
{
    const struct kernel *kernel = function;

    if (attribute != 0 && attribute != 1)
        return INVALID;
    *out = attribute == 0 ? kernel->items_max : kernel->shared_bytes;
    return check();
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    struct kernel *kernel = function;

    if (attribute != 8 || value > SHARED_OPTIN - kernel->shared_bytes)
        return INVALID;
    kernel->dynamic_max = value;
    return check();
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset_out,
                       size_t *bytes_out)
{
    const struct kernel *kernel = function;

    if (index >= kernel->count)
        return INVALID;
    *offset_out = index * 8;
    *bytes_out = kernel->sizes[index];
    return check();
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, void *stream,
                   void **params, void **extra)
{
    const struct kernel *kernel = function;
    unsigned block = block_x * block_y * block_z;
    int code = check_stream(stream);

    if (code != OK)
        return code;
    if (extra != NULL || block == 0 || block > (unsigned)kernel->items_max ||
        grid_x == 0 || grid_y == 0 || grid_z == 0 ||
        (int)shared_bytes > kernel->dynamic_max)
        return INVALID;
    fake.now_ns += 2000 + (uint64_t)grid_x * grid_y * grid_z;
    return kernel->run(block * grid_x * grid_y * grid_z, params);
}
