/* The OpenCL API, opened at run time from a table of names, and the numbering
 * of devices. A missing library is a fact with a remedy, not a failure. */

#include "toolchain/opencl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORM_MAX = 16 };

/* Of the loader's extension cl_khr_icd; newer than the core header. */
#define PLATFORM_NOT_FOUND (-1001)

#define REMEDY "apt-get install ocl-icd-libopencl1 pocl-opencl-icd"

struct symbol {
    const char *name;
    size_t offset;
};

#define ROW(name, field)                                                       \
    {                                                                          \
        name, offsetof(whet_opencl_api, field)                                 \
    }

static const struct symbol symbols[] = {
    ROW("clGetPlatformIDs", get_platform_ids),
    ROW("clGetPlatformInfo", get_platform_info),
    ROW("clGetDeviceIDs", get_device_ids),
    ROW("clGetDeviceInfo", get_device_info),
    ROW("clCreateContext", create_context),
    ROW("clReleaseContext", release_context),
    ROW("clCreateCommandQueue", create_command_queue),
    ROW("clReleaseCommandQueue", release_command_queue),
    ROW("clCreateProgramWithSource", create_program_with_source),
    ROW("clCreateProgramWithBinary", create_program_with_binary),
    ROW("clBuildProgram", build_program),
    ROW("clGetProgramInfo", get_program_info),
    ROW("clGetProgramBuildInfo", get_program_build_info),
    ROW("clReleaseProgram", release_program),
    ROW("clCreateKernelsInProgram", create_kernels_in_program),
    ROW("clCreateKernel", create_kernel),
    ROW("clReleaseKernel", release_kernel),
    ROW("clGetKernelInfo", get_kernel_info),
    ROW("clGetKernelArgInfo", get_kernel_arg_info),
    ROW("clGetKernelWorkGroupInfo", get_kernel_work_group_info),
    ROW("clSetKernelArg", set_kernel_arg),
    ROW("clCreateBuffer", create_buffer),
    ROW("clReleaseMemObject", release_mem_object),
    ROW("clEnqueueNDRangeKernel", enqueue_nd_range_kernel),
    ROW("clFinish", finish),
};

const char *const whet_opencl_env[] = {
    "PATH=/usr/bin:/bin", /* the driver's linker, in builds */
    "HOME=/tmp", "LC_ALL=C", "POCL_CACHE_DIR=/tmp/pocl",
    /* Code for any work-group size at build time: a worker has no compiler. */
    "POCL_WORK_GROUP_SPECIALIZATION=0", NULL};

const whet_sandbox_bind whet_opencl_binds[WHET_OPENCL_BIND_COUNT] = {
    {.host_path = "/etc/OpenCL/vendors", .optional = true},
    /* Drivers learn the number and the kind of cores here. */
    {.host_path = "/sys/devices/system/cpu", .optional = true},
    {.host_path = "/sys/devices/system/node", .optional = true},
    {.host_path = "/proc/cpuinfo", .optional = true},
};

whet_status whet_opencl_load(whet_opencl_api *api, whet_err *err)
{
    const char *path = getenv("WHET_OPENCL_LIBRARY");
    void *library;
    size_t i;

    memset(api, 0, sizeof *api);
    if (path == NULL || path[0] == '\0')
        path = "libOpenCL.so.1";
    library = whet_fs_is_loadable(path)
                  ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                  : NULL;
    if (library == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "OpenCL: %s cannot be opened: %s", path, REMEDY);
    for (i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);

        if (symbol == NULL) {
            memset(api, 0, sizeof *api);
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "OpenCL: %s lacks %s, expected version 1.2 or "
                                "later: %s",
                                path, symbols[i].name, REMEDY);
        }
        /* A copy of the bytes: ISO C has no cast from void * to a function. */
        memcpy((char *)api + symbols[i].offset, &symbol, sizeof symbol);
    }
    return WHET_OK;
}

const char *whet_opencl_error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } rows[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
        {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
        {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
        {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
        {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
        {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
        {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return rows[i].name;
    return "OpenCL error";
}

whet_status whet_opencl_fail(whet_err *err, cl_int code, const char *what)
{
    whet_status st = WHET_EFAIL;

    if (code == CL_OUT_OF_HOST_MEMORY)
        st = WHET_ENOMEM;
    return whet_err_set(err, st, "OpenCL: %s: %s (%d)", what,
                        whet_opencl_error_name(code), (int)code);
}

whet_status whet_opencl_devices(cl_device_id *out, uint32_t *count_out,
                                const whet_opencl_api *api, whet_err *err)
{
    cl_platform_id platforms[PLATFORM_MAX];
    cl_uint platform_count = 0;
    cl_uint i;
    cl_int rc = api->get_platform_ids(PLATFORM_MAX, platforms, &platform_count);

    *count_out = 0;
    if (rc == PLATFORM_NOT_FOUND || (rc == CL_SUCCESS && platform_count == 0))
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "OpenCL: no driver is installed: %s", REMEDY);
    if (rc != CL_SUCCESS)
        return whet_opencl_fail(err, rc, "cannot list platforms");
    if (platform_count > PLATFORM_MAX)
        platform_count = PLATFORM_MAX;
    for (i = 0; i < platform_count; i++) {
        cl_uint room = WHET_OPENCL_DEVICE_MAX - *count_out;
        cl_uint found = 0;

        if (room == 0)
            break;
        /* A platform without devices says so by an error code. */
        rc = api->get_device_ids(platforms[i], CL_DEVICE_TYPE_ALL, room,
                                 out + *count_out, &found);
        if (rc == CL_SUCCESS)
            *count_out += found < room ? found : room;
    }
    if (*count_out == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "OpenCL: the installed drivers have no device: %s",
                            REMEDY);
    return WHET_OK;
}

whet_status whet_opencl_device(cl_device_id *out, const whet_opencl_api *api,
                               uint32_t index, whet_err *err)
{
    cl_device_id all[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    whet_status st = whet_opencl_devices(all, &count, api, err);

    *out = NULL;
    if (st != WHET_OK)
        return st;
    if (index >= count)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "OpenCL: no device %u, there are %u", index, count);
    *out = all[index];
    return WHET_OK;
}
