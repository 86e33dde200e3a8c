/* The CUDA back-end: the driver interface through libcuda, opened at run time
 * by versioned names, with prototypes of our own. Names, parameters and
 * numbers are those of NVIDIA's driver API reference and cuda.h of CUDA 13.0;
 * where a function exists in several versions the name says which. */

#include "device/cuda_priv.h"
#include "device/live_priv.h"
#include "device/replay_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ELF_MACHINE_CUDA = 190,
    FUNCTION_DYNAMIC_SHARED_MAX = 8, /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_
                                        SIZE_BYTES */
    CODE_NO_DEVICE = 100
};

/* Calls that have no place in the common table. */
struct calls {
    int (*device_get)(int *device, int ordinal);
    int (*primary_retain)(whet_gpu_handle *context, int device);
    int (*set_current)(whet_gpu_handle context);
    int (*function_set)(whet_gpu_handle function, int attribute, int value);
    int (*synchronize)(void);
    int (*set_limit)(int limit, size_t value); /* these two may be absent */
    int (*reset_persisting)(void);
};

/* What the table of symbols fills. */
struct loaded {
    whet_gpu_api api;
    struct calls calls;
};

#define API(member, name)                                                      \
    {                                                                          \
        {name}, offsetof(struct loaded, api.member), true                      \
    }
#define OWN(member, name)                                                      \
    {                                                                          \
        {name}, offsetof(struct loaded, calls.member), true                    \
    }

static const whet_gpu_symbol symbols[] = {
    API(init, "cuInit"),
    API(driver_version, "cuDriverGetVersion"),
    API(device_count, "cuDeviceGetCount"),
    API(device_name, "cuDeviceGetName"),
    API(device_memory, "cuDeviceTotalMem_v2"),
    API(device_attribute, "cuDeviceGetAttribute"),
    API(device_pci, "cuDeviceGetPCIBusId"),
    API(stream_create, "cuStreamCreate"),
    API(stream_synchronize, "cuStreamSynchronize"),
    API(memory_allocate, "cuMemAlloc_v2"),
    API(memory_info, "cuMemGetInfo_v2"),
    API(host_register, "cuMemHostRegister_v2"),
    API(copy_in, "cuMemcpyHtoDAsync_v2"),
    API(copy_out, "cuMemcpyDtoHAsync_v2"),
    API(fill_u32, "cuMemsetD32Async"),
    API(event_create, "cuEventCreate"),
    API(event_record, "cuEventRecord"),
    API(event_synchronize, "cuEventSynchronize"),
    {{"cuEventElapsedTime", "cuEventElapsedTime_v2"},
     offsetof(struct loaded, api.event_elapsed_ms),
     true},
    API(module_load, "cuModuleLoadData"),
    API(module_function, "cuModuleGetFunction"),
    API(function_attribute, "cuFuncGetAttribute"),
    /* From CUDA 12.4 on. */
    {{"cuFuncGetParamInfo"},
     offsetof(struct loaded, api.function_parameter),
     false},
    API(launch, "cuLaunchKernel"),
    OWN(device_get, "cuDeviceGet"),
    OWN(primary_retain, "cuDevicePrimaryCtxRetain"),
    OWN(set_current, "cuCtxSetCurrent"),
    OWN(function_set, "cuFuncSetAttribute"),
    OWN(synchronize, "cuCtxSynchronize"),
    {{"cuCtxSetLimit"}, offsetof(struct loaded, calls.set_limit), false},
    {{"cuCtxResetPersistingL2Cache"},
     offsetof(struct loaded, calls.reset_persisting),
     false},
};

const int whet_cuda__numbering[WHET_GPU_ATTRIBUTE_COUNT] = {
    [WHET_GPU_CU_COUNT] = 16,        [WHET_GPU_WAVE_SIZE] = 10,
    [WHET_GPU_LDS_GROUP_BYTES] = 8,  [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = 97,
    [WHET_GPU_LDS_CU_BYTES] = 81,    [WHET_GPU_CU_REGISTERS] = 82,
    [WHET_GPU_CU_ITEMS_MAX] = 39,    [WHET_GPU_GROUP_ITEMS_MAX] = 1,
    [WHET_GPU_BLOCK_X_MAX] = 2,      [WHET_GPU_BLOCK_Y_MAX] = 3,
    [WHET_GPU_BLOCK_Z_MAX] = 4,      [WHET_GPU_GRID_X_MAX] = 5,
    [WHET_GPU_GRID_Y_MAX] = 6,       [WHET_GPU_GRID_Z_MAX] = 7,
    [WHET_GPU_CLOCK_KHZ] = 13,       [WHET_GPU_MEMORY_CLOCK_KHZ] = 36,
    [WHET_GPU_L2_BYTES] = 38,        [WHET_GPU_ECC] = 32,
    [WHET_GPU_PAGEABLE_ACCESS] = 88, [WHET_GPU_COMPUTE_MODE] = 20,
    [WHET_GPU_ARCH_MAJOR] = 75,      [WHET_GPU_ARCH_MINOR] = 76,
    [WHET_GPU_PCI_DOMAIN] = 50,      [WHET_GPU_PCI_BUS] = 33,
    [WHET_GPU_PCI_DEVICE] = 34,
};

/* --- what the families do differently ------------------------------------- */

/* Kernels get no heap and no cache lines of their own, and what they print goes
 * into the smallest buffer there is: nobody reads it. A driver that knows a
 * limit not, or rounds it up, is taken as it is. */
static void set_limits(const struct calls *calls)
{
    enum {
        LIMIT_PRINTF_FIFO_SIZE = 1,
        LIMIT_MALLOC_HEAP_SIZE = 2,
        LIMIT_PERSISTING_L2_CACHE_SIZE = 6
    };

    if (calls->set_limit == NULL)
        return;
    (void)calls->set_limit(LIMIT_PRINTF_FIFO_SIZE, 1024);
    (void)calls->set_limit(LIMIT_MALLOC_HEAP_SIZE, 0);
    (void)calls->set_limit(LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
}

/* The primary context is the one that NVIDIA's libraries use too. */
static int make_current(const whet_gpu_api *api, int device)
{
    const struct calls *calls = api->vendor;
    whet_gpu_handle context = NULL;
    int handle = 0;
    int code = calls->device_get(&handle, device);

    if (code == 0)
        code = calls->primary_retain(&context, handle);
    if (code == 0)
        code = calls->set_current(context);
    if (code == 0)
        set_limits(calls);
    return code;
}

static int reset_cache(const whet_gpu_api *api)
{
    const struct calls *calls = api->vendor;

    return calls->reset_persisting != NULL ? calls->reset_persisting() : 0;
}

static int allow_shared(const whet_gpu_api *api, whet_gpu_handle function,
                        unsigned bytes)
{
    const struct calls *calls = api->vendor;

    return calls->function_set(function, FUNCTION_DYNAMIC_SHARED_MAX,
                               (int)bytes);
}

/* There is no call that asks for it; every one that waits returns it. */
static int last_error(const whet_gpu_api *api)
{
    const struct calls *calls = api->vendor;

    return calls->synchronize();
}

/* --- finding the driver --------------------------------------------------- */

/* The file that the user names, or NULL. */
static const char *given_path(void)
{
    const char *given = getenv("WHET_CUDA_LIBRARY");

    return given != NULL && given[0] != '\0' ? given : NULL;
}

static void list_paths(whet_gpu_paths *paths)
{
    static const char *const patterns[] = {
        "libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/lib64/nvidia*/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/usr/local/cuda*/compat/libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1"};
    const char *given = given_path();
    size_t i;

    if (given != NULL) {
        whet_gpu__paths_add(paths, given);
        return;
    }
    for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        whet_gpu__paths_add(paths, patterns[i]);
}

/* Does the driver behind the table see devices? A toolkit's stub, which is
 * there to link against, fails at once. */
static whet_status start(struct loaded *loaded, int *count_out,
                         const char *path, whet_err *err)
{
    whet_gpu_api *api = &loaded->api;
    char what[320];
    int code = api->init(0);

    if (code == 0)
        code = api->device_count(count_out);
    if (code == 0 && *count_out < 1)
        code = CODE_NO_DEVICE;
    if (code == 0)
        return WHET_OK;
    snprintf(what, sizeof what, "%s", path);
    (void)whet_gpu__fail(err, api, code, what);
    return WHET_EUNSUPPORTED;
}

static whet_status try_path(struct loaded *loaded, int *count_out,
                            bool *was_opened_out, const char *path,
                            whet_err *err)
{
    void *handle = NULL;
    char file[200];
    whet_status st;

    memset(loaded, 0, sizeof *loaded);
    loaded->api.name = "CUDA";
    loaded->api.numbering = whet_cuda__numbering;
    loaded->api.elf_machine = ELF_MACHINE_CUDA;
    loaded->api.make_current = make_current;
    loaded->api.allow_shared = allow_shared;
    loaded->api.last_error = last_error;
    loaded->api.reset_cache = reset_cache;
    loaded->api.explain = whet_cuda__explain;
    st = whet_gpu__load(loaded, &handle, path, symbols,
                        sizeof symbols / sizeof symbols[0], err);
    /* A file that is there and cannot be opened is worth telling, too. */
    *was_opened_out =
        handle != NULL || (path[0] == '/' && access(path, F_OK) == 0);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "CUDA");
    whet_gpu__library_file(file, sizeof file, handle);
    if ((st = start(loaded, count_out, file[0] != '\0' ? file : path, err)) !=
        WHET_OK)
        return st;
    snprintf(loaded->api.library, sizeof loaded->api.library,
             "%s (sees %d device%s)", file[0] != '\0' ? file : path, *count_out,
             *count_out == 1 ? "" : "s");
    return WHET_OK;
}

static whet_status absent(const whet_err *why, whet_err *err)
{
    if (why->code != WHET_OK)
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s", why->msg);
    if (given_path() != NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "CUDA: no file %s; correct or unset "
                            "WHET_CUDA_LIBRARY",
                            given_path());
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "CUDA: no libcuda.so.1 (driver not installed); install "
                        "NVIDIA's driver, or name its file in "
                        "WHET_CUDA_LIBRARY");
}

whet_status whet_cuda__load(whet_gpu_api *api, int *count_out, whet_err *err)
{
    whet_gpu_paths *paths = calloc(1, sizeof *paths);
    struct calls *calls = calloc(1, sizeof *calls);
    struct loaded loaded;
    whet_err first = {0};
    whet_status st = WHET_EUNSUPPORTED;
    uint32_t i;

    *count_out = 0;
    if (paths == NULL || calls == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "CUDA: out of memory");
        goto out;
    }
    list_paths(paths);
    for (i = 0; i < paths->count && st != WHET_OK; i++) {
        bool was_opened = false;
        whet_err why = {0};

        st = try_path(&loaded, count_out, &was_opened, paths->path[i], &why);
        if (st != WHET_OK && was_opened && first.code == WHET_OK)
            first = why;
    }
    if (st != WHET_OK) {
        st = absent(&first, err);
        goto out;
    }
    *calls = loaded.calls;
    *api = loaded.api;
    api->vendor = calls;
    calls = NULL;
out:
    free(calls);
    free(paths);
    return st;
}

/* --- facts ---------------------------------------------------------------- */

void whet_cuda__arch(char *text, size_t text_bytes, int major, int minor)
{
    snprintf(text, text_bytes, "sm_%d%d%s", major, minor,
             major >= 9 ? "a" : "");
}

void whet_cuda__release(char *text, size_t text_bytes, const char *version)
{
    const char *at = strstr(version, "Kernel Module");

    text[0] = '\0';
    while (at != NULL && *at != '\0' && *at != '\n') {
        size_t bytes = strspn(at, "0123456789.");

        /* The first word of digits and points, as in "x86_64  580.65.06". */
        if (bytes > 2 && at[-1] == ' ' && memchr(at, '.', bytes) != NULL) {
            snprintf(text, text_bytes, "%.*s", (int)bytes, at);
            return;
        }
        at += bytes > 0 ? bytes : 1;
    }
}

static void fill_driver(whet_device_facts *out, const whet_gpu_api *api)
{
    whet_buf text = {0};
    char release[32] = "";
    int version = 0;

    if (whet_fs_read(&text, "/proc/driver/nvidia/version", 4096, NULL) ==
        WHET_OK)
        whet_cuda__release(release, sizeof release, whet_buf_str(&text));
    whet_buf_deinit(&text);
    if (api->driver_version(&version) != 0 || version < 0)
        version = 0;
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d%s%s", version / 1000,
             version % 1000 / 10, release[0] != '\0' ? ", driver " : "",
             release);
}

static whet_status fill_facts(whet_device_facts *out, const whet_gpu_api *api,
                              int index, whet_err *err)
{
    whet_status st = whet_gpu__facts(out, api, index, err);
    int major, minor;

    if (st != WHET_OK)
        return st;
    if (!whet_gpu__attribute(&major, api, WHET_GPU_ARCH_MAJOR, index) ||
        !whet_gpu__attribute(&minor, api, WHET_GPU_ARCH_MINOR, index))
        return whet_err_set(err, WHET_EFAIL,
                            "CUDA: device %d does not tell its architecture",
                            index);
    whet_cuda__arch(out->arch, sizeof out->arch, major, minor);
    (void)whet_strcopy(out->arch_evidence, sizeof out->arch_evidence, "driver");
    (void)whet_strcopy(out->backend, sizeof out->backend, "cuda");
    fill_driver(out, api);
    out->physical_index =
        whet_gpu__visible(getenv("CUDA_VISIBLE_DEVICES"), (uint32_t)index);
    /* From 1.3 and 5.3 on. */
    out->has_f64 = major >= 2;
    out->has_f16 = major > 5 || (major == 5 && minor >= 3);
    whet_replay__identify(out);
    return WHET_OK;
}

static whet_status enumerate(whet_device_facts *out, uint32_t *count_out,
                             whet_err *err)
{
    whet_gpu_api api;
    int count;
    whet_status st = whet_cuda__load(&api, &count, err);
    int i;

    *count_out = 0;
    if (st != WHET_OK)
        return st;
    for (i = 0; st == WHET_OK && i < count && i < WHET_DEVICE_LIST_MAX; i++)
        st = fill_facts(&out[i], &api, i, err);
    if (st == WHET_OK)
        *count_out = (uint32_t)i;
    free(api.vendor);
    return st;
}

/* --- slots ---------------------------------------------------------------- */

static int child_main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return whet_gpu__list_main(enumerate);
    fprintf(stderr, "whet: __device cuda: expected list\n");
    return 2;
}

static whet_status probe(whet_device_facts *out, uint32_t *count_out,
                         whet_err *err)
{
    return whet_gpu__list(out, count_out, "cuda", err);
}

static whet_status open_device(whet_device **out, const char *selector,
                               whet_err *err)
{
    return whet_gpu__open(out, "cuda", selector, err);
}

static whet_status worker_open(whet_worker_ctx **out, uint32_t index,
                               whet_err *err)
{
    whet_gpu_api api;
    int count;
    whet_status st;

    *out = NULL;
    if ((st = whet_cuda__load(&api, &count, err)) != WHET_OK)
        return st;
    if (index >= (uint32_t)count) {
        free(api.vendor);
        return whet_err_set(err, WHET_ENOTFOUND,
                            "device cuda:%u: not there; the driver sees %d",
                            index, count);
    }
    return whet_gpu__worker_new(out, &api, (int)index, err);
}

static const char *const toolchains[] = {"nvrtc", "nvcc", NULL};

/* Numbers follow the slots of the cards, as those of every other tool; no
 * code is compiled here, all of it is loaded before the first call, and
 * nothing is kept in the user's home. */
static const char *const worker_env[] = {
    "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_CACHE_DISABLE=1",
    "CUDA_MODULE_LOADING=EAGER", "CUDA_DISABLE_PTX_JIT=1", NULL};

static const char *const worker_env_names[] = {
    "CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "LD_LIBRARY_PATH",
    "WHET_BLAS_LIBRARY",    "WHET_CUDA_LIBRARY",       NULL};

static const char *const libraries[] = {"cublas", "cublaslt", NULL};

const whet_device_ops whet_device_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs through their driver",
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
    .worker_prepare = whet_gpu__worker_prepare,
    .worker_run = whet_gpu__worker_run,
    .worker_allocate = whet_gpu__worker_allocate,
    .worker_pin = whet_gpu__worker_pin,
    .worker_copy = whet_gpu__worker_copy,
    .worker_fill = whet_gpu__worker_fill,
    .worker_settle = whet_gpu__worker_settle,
    .libraries = libraries,
    .worker_library = whet_gpu__worker_library,
};
