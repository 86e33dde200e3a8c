/* What OpenCL devices there are: `whet __build opencl list` loads the drivers,
 * asks them, and writes a plain array to its parent. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain_priv.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Queries of two vendors' extensions; the core has none for the width. */
enum { WARP_SIZE_NV = 0x4003, WAVEFRONT_WIDTH_AMD = 0x4043 };

struct list {
    char magic[8];
    uint32_t info_bytes;
    uint32_t count;
};

static const char list_magic[] = "whetlst1";
static const uint64_t list_timeout_ns = 60000000000u;

/* Escaped, cut and NUL-terminated, whatever the driver wrote. */
static void copy_text(char *text, size_t text_bytes, const char *raw,
                      size_t raw_bytes)
{
    whet_buf escaped = {0};

    whet_buf_escape(&escaped, raw, strnlen(raw, raw_bytes), false);
    (void)whet_strcopy(text, text_bytes, whet_buf_str(&escaped));
    whet_buf_deinit(&escaped);
}

static void get_text(char *text, size_t text_bytes, const whet_opencl_api *api,
                     cl_device_id device, cl_device_info what)
{
    char raw[1024] = "";

    if (api->get_device_info(device, what, sizeof raw, raw, NULL) == CL_SUCCESS)
        copy_text(text, text_bytes, raw, sizeof raw);
}

static void get_platform_text(char *text, size_t text_bytes,
                              const whet_opencl_api *api,
                              cl_platform_id platform, cl_platform_info what)
{
    char raw[1024] = "";

    if (api->get_platform_info(platform, what, sizeof raw, raw, NULL) ==
        CL_SUCCESS)
        copy_text(text, text_bytes, raw, sizeof raw);
}

static void get_platform(whet_opencl_info *out, const whet_opencl_api *api,
                         cl_device_id device)
{
    cl_platform_id platform = NULL;

    if (api->get_device_info(device, CL_DEVICE_PLATFORM, sizeof platform,
                             &platform, NULL) != CL_SUCCESS)
        return;
    get_platform_text(out->platform, sizeof out->platform, api, platform,
                      CL_PLATFORM_NAME);
    get_platform_text(out->platform_version, sizeof out->platform_version, api,
                      platform, CL_PLATFORM_VERSION);
}

static uint32_t get_u32(const whet_opencl_api *api, cl_device_id device,
                        cl_device_info what)
{
    cl_uint value = 0;

    if (api->get_device_info(device, what, sizeof value, &value, NULL) !=
        CL_SUCCESS)
        return 0;
    return value;
}

static uint64_t get_u64(const whet_opencl_api *api, cl_device_id device,
                        cl_device_info what)
{
    cl_ulong value = 0;

    if (api->get_device_info(device, what, sizeof value, &value, NULL) !=
        CL_SUCCESS)
        return 0;
    return value;
}

/* The host's cores run one work-item at a time as far as a kernel can tell. */
static uint32_t get_wave_size(const whet_opencl_api *api, cl_device_id device,
                              bool is_cpu)
{
    uint32_t size;

    if (is_cpu)
        return 1;
    size = get_u32(api, device, WARP_SIZE_NV);
    return size != 0 ? size : get_u32(api, device, WAVEFRONT_WIDTH_AMD);
}

static void get_info(whet_opencl_info *out, const whet_opencl_api *api,
                     cl_device_id device, uint32_t index)
{
    cl_device_type type = 0;
    size_t group = 0;
    size_t block[3] = {0};
    char extensions[4096] = "";
    size_t i;

    memset(out, 0, sizeof *out);
    (void)api->get_device_info(device, CL_DEVICE_TYPE, sizeof type, &type,
                               NULL);
    (void)api->get_device_info(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                               sizeof group, &group, NULL);
    (void)api->get_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                               sizeof block, block, NULL);
    (void)api->get_device_info(device, CL_DEVICE_EXTENSIONS,
                               sizeof extensions - 1, extensions, NULL);
    out->index = index;
    out->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    out->is_usable = get_u32(api, device, CL_DEVICE_AVAILABLE) &&
                     get_u32(api, device, CL_DEVICE_COMPILER_AVAILABLE);
    out->has_f64 = strstr(extensions, "cl_khr_fp64") != NULL;
    out->has_f16 = strstr(extensions, "cl_khr_fp16") != NULL;
    out->cu_count = get_u32(api, device, CL_DEVICE_MAX_COMPUTE_UNITS);
    out->clock_mhz = get_u32(api, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    out->wave_size = get_wave_size(api, device, out->is_cpu);
    out->lds_bytes = get_u64(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
    out->memory_bytes = get_u64(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    out->llc_bytes = get_u64(api, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    out->group_items_max = group;
    for (i = 0; i < 3; i++)
        out->block_max[i] = block[i];
    get_text(out->name, sizeof out->name, api, device, CL_DEVICE_NAME);
    get_text(out->version, sizeof out->version, api, device, CL_DEVICE_VERSION);
    get_text(out->driver, sizeof out->driver, api, device, CL_DRIVER_VERSION);
    get_platform(out, api, device);
}

int whet_opencl__list_main(void)
{
    struct list head = {.info_bytes = sizeof(whet_opencl_info)};
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    cl_device_id devices[WHET_OPENCL_DEVICE_MAX];
    whet_opencl_api api;
    whet_err err = {0};
    uint32_t i;

    /* A driver may print to stdout: only our bytes go to the parent. */
    int to = dup(STDOUT_FILENO);
    FILE *out = to >= 0 ? fdopen(to, "wb") : NULL;

    if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    if (whet_opencl_load(&api, &err) != WHET_OK ||
        whet_opencl_devices(devices, &head.count, &api, &err) != WHET_OK) {
        memcpy(head.magic, "whetlst0", sizeof head.magic);
        (void)fwrite(&head, sizeof head, 1, out);
        (void)fwrite(err.msg, sizeof err.msg, 1, out);
        (void)fflush(out);
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    }
    for (i = 0; i < head.count; i++)
        get_info(&infos[i], &api, devices[i], i);
    memcpy(head.magic, list_magic, sizeof head.magic);
    if (fwrite(&head, sizeof head, 1, out) != 1 ||
        fwrite(infos, sizeof infos[0], head.count, out) != head.count ||
        fflush(out) != 0)
        return WHET_TOOLCHAIN__CHILD_UNUSABLE;
    /* Without the drivers' exit handlers, which may hang or crash. */
    _exit(0);
}

/* The child's own words, or how it ended. */
static whet_status explain(const whet_process_result *result, whet_err *err)
{
    char how[96];
    char line[256];

    if (result->kind == WHET_EXIT_CODE &&
        result->code == WHET_TOOLCHAIN__CHILD_UNUSABLE &&
        result->out.bytes > sizeof(struct list)) {
        const char *text = result->out.data + sizeof(struct list);

        return whet_err_set(err, WHET_EUNSUPPORTED, "%s", text);
    }
    whet_exit_describe(how, sizeof how, result->kind, result->code);
    whet_toolchain__first_line(line, sizeof line, &result->err);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "OpenCL: a driver failed while devices were listed: "
                        "%s%s%s",
                        how, line[0] != '\0' ? ": " : "", line);
}

static whet_status parse(whet_opencl_info *out, uint32_t *count_out,
                         const whet_buf *data, whet_err *err)
{
    struct list head = {0};
    uint32_t i;

    if (data->bytes >= sizeof head)
        memcpy(&head, data->data, sizeof head);
    if (memcmp(head.magic, list_magic, sizeof head.magic) != 0 ||
        head.info_bytes != sizeof *out || head.count > WHET_OPENCL_DEVICE_MAX ||
        data->bytes != sizeof head + head.count * sizeof *out)
        return whet_err_set(err, WHET_EFAIL,
                            "OpenCL: the list of devices is malformed");
    memcpy(out, data->data + sizeof head, head.count * sizeof *out);
    for (i = 0; i < head.count; i++) {
        out[i].name[sizeof out[i].name - 1] = '\0';
        out[i].version[sizeof out[i].version - 1] = '\0';
        out[i].driver[sizeof out[i].driver - 1] = '\0';
        out[i].platform[sizeof out[i].platform - 1] = '\0';
        out[i].platform_version[sizeof out[i].platform_version - 1] = '\0';
    }
    *count_out = head.count;
    return WHET_OK;
}

whet_status whet_opencl_list(whet_opencl_info *out, uint32_t *count_out,
                             whet_err *err)
{
    static const char *const words[] = {"opencl", "list", NULL};
    const whet_toolchain_run run = {.words = words,
                                    .env = whet_opencl_env,
                                    .stdout_max_bytes = 1 << 20,
                                    .timeout_ns = list_timeout_ns};
    whet_process_result result = {0};
    whet_opencl_api api;
    whet_status st;

    *count_out = 0;
    /* Cheap, and tells of a missing loader without a child. */
    if ((st = whet_opencl_load(&api, err)) != WHET_OK)
        return st;
    if ((st = whet_toolchain__run(&result, &run, err)) != WHET_OK)
        goto out;
    if (result.kind != WHET_EXIT_CODE || result.code != 0)
        st = explain(&result, err);
    else
        st = parse(out, count_out, &result.out, err);
out:
    whet_process_result_deinit(&result);
    return st;
}
