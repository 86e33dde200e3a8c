#ifndef WHET_OPENCL_H
#define WHET_OPENCL_H

/* OpenCL for this room and for the OpenCL files of the device room, and for
 * nobody else: the API opened at run time, the numbering of devices, and the
 * environment in which drivers run.
 *
 * A driver is loaded only into child processes (`whet __build opencl ...` and
 * workers): it brings a compiler of 60 MB and threads of its own, and it may
 * crash. */

#include "base/base.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_OPENCL_DEVICE_MAX = 32, /**< Devices looked at, all platforms. */
    WHET_OPENCL_BIND_COUNT = 4
};

/** The calls in use, filled by whet_opencl_load from a table of names. */
typedef struct whet_opencl_api {
    cl_int (*get_platform_ids)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int (*get_platform_info)(cl_platform_id, cl_platform_info, size_t,
                                void *, size_t *);
    cl_int (*get_device_ids)(cl_platform_id, cl_device_type, cl_uint,
                             cl_device_id *, cl_uint *);
    cl_int (*get_device_info)(cl_device_id, cl_device_info, size_t, void *,
                              size_t *);
    cl_context (*create_context)(const cl_context_properties *, cl_uint,
                                 const cl_device_id *,
                                 void(CL_CALLBACK *)(const char *, const void *,
                                                     size_t, void *),
                                 void *, cl_int *);
    cl_int (*release_context)(cl_context);
    cl_command_queue (*create_command_queue)(cl_context, cl_device_id,
                                             cl_command_queue_properties,
                                             cl_int *);
    cl_int (*release_command_queue)(cl_command_queue);
    cl_program (*create_program_with_source)(cl_context, cl_uint, const char **,
                                             const size_t *, cl_int *);
    cl_program (*create_program_with_binary)(cl_context, cl_uint,
                                             const cl_device_id *,
                                             const size_t *,
                                             const unsigned char **, cl_int *,
                                             cl_int *);
    cl_int (*build_program)(cl_program, cl_uint, const cl_device_id *,
                            const char *,
                            void(CL_CALLBACK *)(cl_program, void *), void *);
    cl_int (*get_program_info)(cl_program, cl_program_info, size_t, void *,
                               size_t *);
    cl_int (*get_program_build_info)(cl_program, cl_device_id,
                                     cl_program_build_info, size_t, void *,
                                     size_t *);
    cl_int (*release_program)(cl_program);
    cl_int (*create_kernels_in_program)(cl_program, cl_uint, cl_kernel *,
                                        cl_uint *);
    cl_kernel (*create_kernel)(cl_program, const char *, cl_int *);
    cl_int (*release_kernel)(cl_kernel);
    cl_int (*get_kernel_info)(cl_kernel, cl_kernel_info, size_t, void *,
                              size_t *);
    cl_int (*get_kernel_arg_info)(cl_kernel, cl_uint, cl_kernel_arg_info,
                                  size_t, void *, size_t *);
    cl_int (*get_kernel_work_group_info)(cl_kernel, cl_device_id,
                                         cl_kernel_work_group_info, size_t,
                                         void *, size_t *);
    cl_int (*set_kernel_arg)(cl_kernel, cl_uint, size_t, const void *);
    cl_mem (*create_buffer)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    cl_int (*release_mem_object)(cl_mem);
    cl_int (*enqueue_nd_range_kernel)(cl_command_queue, cl_kernel, cl_uint,
                                      const size_t *, const size_t *,
                                      const size_t *, cl_uint, const cl_event *,
                                      cl_event *);
    cl_int (*finish)(cl_command_queue);
} whet_opencl_api;

/**
 * Open the system's OpenCL loader; loads no driver yet. $WHET_OPENCL_LIBRARY
 * names another file, to see how a machine without OpenCL fares. Never
 * unloaded: a driver's threads outlive every handle.
 *
 * @return WHET_EUNSUPPORTED with reason and remedy if the library or one of
 *         its functions is missing
 */
whet_status whet_opencl_load(whet_opencl_api *api, whet_err *err);

/** Name of an OpenCL error code: "CL_INVALID_VALUE", or "OpenCL error". */
const char *whet_opencl_error_name(cl_int code);

/** Fail with "WHAT: NAME (CODE)". */
whet_status whet_opencl_fail(whet_err *err, cl_int code, const char *what);

/**
 * All devices of all platforms in the loader's order; the place in this list
 * is the device's index everywhere. Loads the drivers.
 *
 * @param out  WHET_OPENCL_DEVICE_MAX entries, `*count_out` filled
 * @return WHET_EUNSUPPORTED with reason and remedy if there is none
 */
whet_status whet_opencl_devices(cl_device_id *out, uint32_t *count_out,
                                const whet_opencl_api *api, whet_err *err);

/** The device with this index. WHET_ENOTFOUND if there are fewer. */
whet_status whet_opencl_device(cl_device_id *out, const whet_opencl_api *api,
                               uint32_t index, whet_err *err);

/** What the driver says of a device. Plain data: it crosses a pipe from the
 *  same program. Text is escaped; 0 = unknown. */
typedef struct whet_opencl_info {
    uint32_t index;
    uint32_t is_cpu;    /**< The driver runs kernels on the host's cores. */
    uint32_t is_usable; /**< Available, and has a compiler. */
    uint32_t has_f64;
    uint32_t has_f16;
    uint32_t cu_count;
    uint32_t clock_mhz;
    uint32_t wave_size;
    uint64_t lds_bytes;
    uint64_t memory_bytes;
    uint64_t llc_bytes;
    uint64_t group_items_max;
    uint64_t block_max[3];
    char name[128];
    char version[128]; /**< Of the device, with its target. */
    char driver[96];   /**< Driver version. */
    char platform[96]; /**< Platform name. */
    char platform_version[160];
} whet_opencl_info;

/**
 * List all devices, in a child process without any candidate.
 *
 * @param out  WHET_OPENCL_DEVICE_MAX entries, `*count_out` filled
 * @return WHET_EUNSUPPORTED with reason and remedy if there is none
 */
whet_status whet_opencl_list(whet_opencl_info *out, uint32_t *count_out,
                             whet_err *err);

/** Environment in which drivers build and run kernels, NULL-terminated. */
extern const char *const whet_opencl_env[];

/** Paths that drivers need besides /usr; WHET_OPENCL_BIND_COUNT of them. */
extern const whet_sandbox_bind whet_opencl_binds[];

#ifdef __cplusplus
}
#endif

#endif /* WHET_OPENCL_H */
