/* Finding a HIP runtime that sees devices, and filling the table of calls from
 * it. Runs only in listing children and workers. */

#include "device/hip_priv.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    HYGON = 0x1d94, /* PCI vendor */
    NO_DEVICE = 100,
    BAD_DEVICE = 101,
    TRY_TIMEOUT_S = 20, /* a third of what a list of devices may take */
    REASON_BYTES = 300,
    PROPERTY_BYTES = 16384 /* no release's struct has a quarter of that */
};

#define ROW(field, ...)                                                        \
    {                                                                          \
        {__VA_ARGS__}, offsetof(whet_gpu_api, field), true                     \
    }
#define OPTIONAL_ROW(field, ...)                                               \
    {                                                                          \
        {__VA_ARGS__}, offsetof(whet_gpu_api, field), false                    \
    }

static const whet_gpu_symbol symbols[] = {
    ROW(init, "hipInit"),
    ROW(driver_version, "hipDriverGetVersion"),
    ROW(device_count, "hipGetDeviceCount"),
    ROW(device_name, "hipDeviceGetName"),
    ROW(device_memory, "hipDeviceTotalMem"),
    ROW(device_attribute, "hipDeviceGetAttribute"),
    OPTIONAL_ROW(device_pci, "hipDeviceGetPCIBusId"),
    ROW(stream_create, "hipStreamCreateWithFlags"),
    ROW(stream_synchronize, "hipStreamSynchronize"),
    ROW(memory_allocate, "hipMalloc"),
    ROW(memory_info, "hipMemGetInfo"),
    ROW(host_register, "hipHostRegister"),
    ROW(copy_in, "hipMemcpyHtoDAsync"),
    ROW(copy_out, "hipMemcpyDtoHAsync"),
    ROW(fill_u32, "hipMemsetD32Async"),
    ROW(event_create, "hipEventCreateWithFlags"),
    ROW(event_record, "hipEventRecord"),
    ROW(event_synchronize, "hipEventSynchronize"),
    ROW(event_elapsed_ms, "hipEventElapsedTime"),
    ROW(module_load, "hipModuleLoadData"),
    ROW(module_function, "hipModuleGetFunction"),
    OPTIONAL_ROW(function_attribute, "hipFuncGetAttribute"),
    ROW(launch, "hipModuleLaunchKernel"),
};

static const whet_gpu_symbol vendor_symbols[] = {
    {{"hipSetDevice"}, offsetof(whet_hip_vendor, set_device), true},
    {{"hipGetDevice"}, offsetof(whet_hip_vendor, get_device), true},
    {{"hipPeekAtLastError"},
     offsetof(whet_hip_vendor, peek_at_last_error),
     true},
    {{"hipGetDeviceProperties"}, offsetof(whet_hip_vendor, properties), false},
    {{"hipGetDevicePropertiesR0600"},
     offsetof(whet_hip_vendor, properties_r0600),
     false},
};

static const char *const rocm_names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                         "libamdhip64.so.5", "libamdhip64.so",
                                         NULL};
static const char *const dtk_names[] = {"libgalaxyhip.so.5", "libgalaxyhip.so",
                                        NULL};
/* DTK 26.04 carries this name too. */
static const char *const dtk_other_names[] = {"libamdhip64.so.5", NULL};

/* --- where to look -------------------------------------------------------- */

void whet_hip__search_env(whet_hip_search *out)
{
    memset(out, 0, sizeof *out);
    out->libraries = getenv("WHET_HIP_LIBRARY");
    out->rocm_path = getenv("ROCM_PATH");
    out->dtk_path = getenv("DTKROOT");
    if (out->dtk_path == NULL)
        out->dtk_path = getenv("DTK_ROOT");
    out->sysfs = getenv("WHET_HIP_SYSFS");
    out->configured_arch = getenv("WHET_HIP_ARCH");
}

bool whet_hip__is_dtk(const char *path)
{
    const char *name = strrchr(path, '/');

    name = name != NULL ? name + 1 : path;
    return strncmp(name, "libgalaxyhip", 12) == 0 ||
           strstr(path, "/dtk/") != NULL || strstr(path, "/dtk-") != NULL;
}

/* Folders of two toolkits are often links to one. */
static bool is_listed(const whet_gpu_paths *paths, const char *file)
{
    char ours[PATH_MAX], theirs[PATH_MAX];
    uint32_t i;

    if (realpath(file, ours) == NULL)
        return true;
    for (i = 0; i < paths->count; i++)
        if (paths->path[i][0] == '/' &&
            realpath(paths->path[i], theirs) != NULL &&
            strcmp(ours, theirs) == 0)
            return true;
    return false;
}

/* The first of the names that exists in a folder: the rest are links to it. */
static void add_folder(whet_gpu_paths *paths, const char *folder,
                       const char *below, const char *const *names)
{
    char file[PATH_MAX];
    size_t i;

    for (i = 0; names[i] != NULL; i++) {
        int n =
            snprintf(file, sizeof file, "%s/%s/%s", folder, below, names[i]);

        if (n < 0 || (size_t)n >= sizeof file || !whet_fs_exists(file))
            continue;
        if (!is_listed(paths, file))
            whet_gpu__paths_add(paths, file);
        return;
    }
}

static void add_rocm(whet_gpu_paths *paths, const char *folder)
{
    add_folder(paths, folder, "lib", rocm_names);
}

static void add_dtk(whet_gpu_paths *paths, const char *folder)
{
    add_folder(paths, folder, "hip/lib", dtk_names);
    add_folder(paths, folder, "lib", dtk_names);
    add_folder(paths, folder, "hip/lib", dtk_other_names);
    add_folder(paths, folder, "lib", dtk_other_names);
}

/* OPT/NAME, and OPT/NAME-VERSION with the highest version first. */
static void add_installed(whet_gpu_paths *paths, const char *opt,
                          const char *name,
                          void (*add)(whet_gpu_paths *, const char *))
{
    char pattern[256];
    whet_gpu_paths folders = {0};
    uint32_t i;

    snprintf(pattern, sizeof pattern, "%.200s/%s", opt, name);
    whet_gpu__paths_add(&folders, pattern);
    snprintf(pattern, sizeof pattern, "%.200s/%s-*", opt, name);
    whet_gpu__paths_add(&folders, pattern);
    for (i = 0; i < folders.count; i++)
        add(paths, folders.path[i]);
}

static void add_loader(whet_gpu_paths *paths, const char *const *names)
{
    size_t i;

    for (i = 0; names[i] != NULL; i++)
        whet_gpu__paths_add(paths, names[i]);
}

/* DTK's env.sh sets ROCM_PATH to its own folder. */
static bool is_dtk_folder(const char *folder)
{
    char file[PATH_MAX];

    snprintf(file, sizeof file, "%.4000s/", folder);
    return whet_hip__is_dtk(file);
}

static void add_group(whet_gpu_paths *paths, const whet_hip_search *search,
                      bool is_dtk)
{
    const char *opt = search->opt != NULL ? search->opt : "/opt";
    const char *folder = is_dtk ? search->dtk_path : search->rocm_path;
    const char *rocm = search->rocm_path;

    if (!search->skips_loader)
        add_loader(paths, is_dtk ? dtk_names : rocm_names);
    if (is_dtk && rocm != NULL && is_dtk_folder(rocm))
        add_dtk(paths, rocm);
    if (folder != NULL && folder[0] == '/') {
        if (is_dtk)
            add_dtk(paths, folder);
        else if (!is_dtk_folder(folder))
            add_rocm(paths, folder);
    }
    add_installed(paths, opt, is_dtk ? "dtk" : "rocm",
                  is_dtk ? add_dtk : add_rocm);
}

/* Does the kernel driver show a DCU? */
static bool has_hygon(const char *sysfs)
{
    whet_hip_agents *found = calloc(1, sizeof *found);
    bool has = false;
    uint32_t i;

    if (found != NULL && whet_hip__read_kfd(found, sysfs, NULL) == WHET_OK)
        for (i = 0; i < found->count; i++)
            has = has || found->agents[i].vendor_id == HYGON;
    free(found);
    return has;
}

void whet_hip__paths(whet_gpu_paths *out, const whet_hip_search *search)
{
    const char *at = search->libraries;
    bool dtk_first;

    memset(out, 0, sizeof *out);
    if (at != NULL && at[0] != '\0') {
        while (*at != '\0') {
            size_t bytes = strcspn(at, ":");
            char path[sizeof out->path[0]];

            if (bytes > 0 && bytes < sizeof path) {
                memcpy(path, at, bytes);
                path[bytes] = '\0';
                whet_gpu__paths_add(out, path);
            }
            at += bytes;
            at += *at == ':';
        }
        return;
    }
    dtk_first = has_hygon(search->sysfs != NULL ? search->sysfs : "/sys");
    add_group(out, search, dtk_first);
    add_group(out, search, !dtk_first);
}

/* --- what the families do differently ------------------------------------- */

static int make_current(const whet_gpu_api *api, int device)
{
    const whet_hip_vendor *vendor = api->vendor;

    return vendor->set_device(device);
}

static int last_error(const whet_gpu_api *api)
{
    const whet_hip_vendor *vendor = api->vendor;

    return vendor->peek_at_last_error();
}

/* Dynamic LDS needs no consent here, but a launch with too much of it fails in
 * ways that name no cause. */
static int allow_shared(const whet_gpu_api *api, whet_gpu_handle function,
                        unsigned bytes)
{
    enum { SHARED_BYTES = 1, OUT_OF_RESOURCES = 701, USUAL = 64 << 10 };
    const whet_hip_vendor *vendor = api->vendor;
    int limit = 0, fixed = 0, device = 0;
    int code = vendor->get_device(&device);

    if (code != 0)
        return code;
    if (!whet_gpu__attribute(&limit, api, WHET_GPU_LDS_GROUP_BYTES, device) ||
        limit == 0)
        limit = USUAL;
    if (api->function_attribute == NULL ||
        api->function_attribute(&fixed, SHARED_BYTES, function) != 0 ||
        fixed < 0)
        fixed = 0;
    return (uint64_t)bytes + (uint64_t)fixed > (uint64_t)limit
               ? OUT_OF_RESOURCES
               : 0;
}

/* --- loading -------------------------------------------------------------- */

void whet_hip__version(char text[32], int number)
{
    /* HIP_VERSION of hip_version.h: major * 10^7 + minor * 10^5 + patch. */
    snprintf(text, 32, "%d.%d.%d", number / 10000000, number / 100000 % 100,
             number % 100000);
}

/* Of a code, as short as it gets: "100 hipErrorNoDevice". */
static void name_code(char text[64], int code)
{
    const whet_gpu_error *row = whet_hip__explain(code);

    snprintf(text, 64, "%d%s%s", code, row != NULL ? " " : "",
             row != NULL ? row->name : "");
}

/* The file itself: two names often lead to one. */
static void name_library(whet_gpu_api *out, void *handle, const char *path)
{
    char real[PATH_MAX];

    whet_gpu__library_file(out->library, sizeof out->library, handle);
    if (out->library[0] == '\0')
        (void)whet_strcopy(out->library, sizeof out->library, path);
    if (realpath(out->library, real) != NULL &&
        strlen(real) < sizeof out->library)
        (void)whet_strcopy(out->library, sizeof out->library, real);
}

/* Load one library and see whether it shows devices. */
static whet_status load(whet_gpu_api *out, whet_hip_vendor *vendor,
                        const char *path, whet_err *err)
{
    void *handle = NULL;
    char name[64];
    int count = 0;
    int code;
    whet_status st;

    st = whet_gpu__load(out, &handle, path, symbols,
                        sizeof symbols / sizeof symbols[0], err);
    if (st == WHET_OK)
        st = whet_gpu__load(vendor, &handle, path, vendor_symbols,
                            sizeof vendor_symbols / sizeof vendor_symbols[0],
                            err);
    if (st != WHET_OK)
        return st;
    if ((code = out->init(0)) == 0)
        code = out->device_count(&count);
    name_library(out, handle, path);
    name_code(name, code != 0 ? code : NO_DEVICE);
    /* HIP 5.2 starts with 101 where there is none. */
    if (code == NO_DEVICE || code == BAD_DEVICE || (code == 0 && count <= 0))
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s: sees no device (%s)",
                            out->library, name);
    if (code != 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s: does not start (%s)",
                            out->library, name);
    return WHET_OK;
}

/* Body of the forked child: never returns. */
static void try_in_child(const char *path, unsigned timeout_s, int fd)
{
    whet_gpu_api api;
    whet_hip_vendor vendor;
    whet_err err = {0};
    ssize_t written = 0;

    memset(&api, 0, sizeof api);
    alarm(timeout_s);
    if (load(&api, &vendor, path, &err) == WHET_OK)
        _exit(0);
    written = write(fd, err.msg, strlen(err.msg));
    _exit(written < 0 ? 2 : 1);
}

/* Would this library do? `reason` is filled if not. */
static bool try_path(char reason[REASON_BYTES], const char *path,
                     unsigned timeout_s)
{
    int tube[2], status = 0;
    size_t used = 0;
    ssize_t n;
    pid_t pid;

    snprintf(reason, REASON_BYTES, "%.200s: died while it was tried", path);
    if (pipe(tube) != 0)
        return true; /* then let the real attempt tell */
    pid = fork();
    if (pid == 0) {
        close(tube[0]);
        try_in_child(path, timeout_s, tube[1]);
    }
    close(tube[1]);
    while (pid > 0 && used < REASON_BYTES - 1) {
        n = read(tube[0], reason + used, REASON_BYTES - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
        reason[used] = '\0';
    }
    close(tube[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(reason, REASON_BYTES, "%.200s: no answer for %u s", path,
                 timeout_s);
    return pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Is the reason only that the loader knows no such name? */
static bool is_absent(const char *reason, const char *path)
{
    size_t bytes = strlen(path);

    return path[0] != '/' && strncmp(reason, path, bytes) == 0 &&
           strncmp(reason + bytes, ": cannot open shared object file", 32) == 0;
}

static whet_status refuse(whet_err *err, const whet_buf *reasons)
{
    if (reasons->bytes == 0)
        return whet_err_set(
            err, WHET_EUNSUPPORTED,
            "HIP: no runtime (libamdhip64, libgalaxyhip); install ROCm or DTK, "
            "or name its file in WHET_HIP_LIBRARY");
    if (strstr(whet_buf_str(reasons), "sees no device") != NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED, "HIP: %.380s; %s",
                            whet_buf_str(reasons),
                            whet_hip__explain(NO_DEVICE)->remedy);
    return whet_err_set(err, WHET_EUNSUPPORTED, "HIP: %.440s",
                        whet_buf_str(reasons));
}

static void clean_env(void)
{
    static const char *const names[] = {
        "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "AMD_SERIALIZE_COPY",
        "AMD_LOG_LEVEL",       "HIP_TRACE_API",        "HIP_DB"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

/* Which candidate does it? Its index, or -1 with all reasons. */
static int choose(whet_buf *reasons, const whet_gpu_paths *paths,
                  unsigned timeout_s)
{
    char reason[REASON_BYTES];
    uint32_t i;

    for (i = 0; i < paths->count; i++) {
        if (try_path(reason, paths->path[i], timeout_s))
            return (int)i;
        if (!is_absent(reason, paths->path[i]) &&
            strstr(whet_buf_str(reasons), reason) == NULL)
            whet_buf_printf(reasons, "%s%s", reasons->bytes > 0 ? "; " : "",
                            reason);
    }
    return -1;
}

whet_status whet_hip__open(whet_gpu_api *out, const whet_hip_search *search,
                           whet_err *err)
{
    whet_gpu_paths *paths = calloc(1, sizeof *paths);
    whet_hip_vendor *vendor = calloc(1, sizeof *vendor);
    whet_buf reasons = {0};
    int chosen = 0;
    whet_err why = {0};
    whet_status st = WHET_OK;

    memset(out, 0, sizeof *out);
    if (paths == NULL || vendor == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "HIP: out of memory");
        goto out;
    }
    clean_env();
    whet_hip__paths(paths, search);
    if (paths->count != 1)
        chosen = choose(&reasons, paths,
                        search->try_timeout_s != 0 ? search->try_timeout_s
                                                   : TRY_TIMEOUT_S);
    if (chosen >= 0 && paths->count > 0) {
        st = load(out, vendor, paths->path[chosen], &why);
        if (st != WHET_OK)
            whet_buf_printf(&reasons, "%s%s", reasons.bytes > 0 ? "; " : "",
                            why.msg);
    }
    if (chosen < 0 || paths->count == 0 || st != WHET_OK) {
        st = refuse(err, &reasons);
        goto out;
    }
    out->name = "HIP";
    out->elf_machine = 224; /* EM_AMDGPU */
    out->make_current = make_current;
    out->allow_shared = allow_shared;
    out->last_error = last_error;
    out->explain = whet_hip__explain;
    vendor->numbering =
        whet_hip__numbering(out, whet_hip__is_dtk(out->library));
    out->numbering = vendor->numbering->number;
    out->vendor = vendor;
    vendor = NULL;
out:
    whet_buf_deinit(&reasons);
    free(vendor);
    free(paths);
    return st;
}

/* --- architecture, as the runtime says ------------------------------------ */

/* "gfx..." at `at`, if it is one and ends within the struct. */
static bool take_arch(char text[96], const char *at, size_t room)
{
    char arch[WHET_HIP__ARCH_BYTES], features[WHET_HIP__FEATURE_BYTES];
    size_t bytes = strnlen(at, room < 96 ? room : 96);

    if (bytes >= 96 || bytes == room ||
        !whet_hip__split_arch(arch, features, at, bytes))
        return false;
    memcpy(text, at, bytes + 1);
    return true;
}

/* Field gcnArchName: at byte 1160 of hipDeviceProp_tR0600 (ROCm 6 on) and at
 * 396 of the struct before (792 bytes in HIP 5.2.3, compared with the header by
 * a test). DTK's layout changes from release to release, so the text is looked
 * for behind the name (as FlagOS does), and taken only if it is one. */
void whet_hip__runtime_arch(char text[96], const whet_gpu_api *api, int device)
{
    enum { R0600 = 1160, BEFORE = 396, NAME_BYTES = 256 };
    const whet_hip_vendor *vendor = api->vendor;
    char *bytes = calloc(1, PROPERTY_BYTES);
    size_t i;

    text[0] = '\0';
    if (bytes == NULL)
        return;
    if (vendor->properties_r0600 != NULL &&
        vendor->properties_r0600(bytes, device) == 0 &&
        take_arch(text, bytes + R0600, PROPERTY_BYTES - R0600))
        goto out;
    memset(bytes, 0, PROPERTY_BYTES);
    if (vendor->properties == NULL || vendor->properties(bytes, device) != 0 ||
        take_arch(text, bytes + BEFORE, PROPERTY_BYTES - BEFORE) ||
        !whet_hip__is_dtk(api->library))
        goto out;
    for (i = NAME_BYTES; i + 96 < PROPERTY_BYTES; i++)
        if (memcmp(bytes + i, "gfx", 3) == 0 &&
            take_arch(text, bytes + i, PROPERTY_BYTES - i))
            break;
out:
    free(bytes);
}
