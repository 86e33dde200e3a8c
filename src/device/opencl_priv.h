#ifndef WHET_DEVICE_OPENCL_PRIV_H
#define WHET_DEVICE_OPENCL_PRIV_H

/* Between the supervisor's side of the OpenCL back-end (opencl.c) and the part
 * that runs inside a worker (opencl_worker.c). */

#include "device/device.h"

/** The OpenCL back-end. */
extern const whet_device_ops whet_device_opencl;

/** Slots of whet_device_ops, see there. */
whet_status whet_opencl__worker_open(whet_worker_ctx **out, uint32_t index,
                                     whet_err *err);
void whet_opencl__worker_close(whet_worker_ctx *ctx);
whet_status whet_opencl__worker_load(whet_worker_ctx *ctx, const void *image,
                                     size_t bytes, whet_err *err);
whet_status whet_opencl__worker_prepare(whet_worker_ctx *ctx, uint32_t slot,
                                        const whet_bound_plan *plan,
                                        void *const *address, whet_err *err);
whet_status whet_opencl__worker_run(whet_worker_ctx *ctx, uint32_t slot,
                                    uint64_t *elapsed_ns_out, whet_err *err);

#endif /* WHET_DEVICE_OPENCL_PRIV_H */
