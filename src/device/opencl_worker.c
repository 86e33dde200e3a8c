/* The OpenCL back-end inside a worker: loads machine code, never source, and
 * launches what the bound plan says. After worker_open no thread is started
 * and no program is run, so that the worker can be sealed there.
 *
 * Buffers use the judge's memory in place, so that filling, poisoning and
 * sealing need no copy and no driver. */

#include "device/opencl_priv.h"
#include "toolchain/opencl.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOT_MAX = 64,
    ALIGN_BYTES = 64 /* of a vector of 16 floats */
};

/* One launch of a slot, ready to go. */
struct launch {
    cl_kernel kernel;
    size_t global[3];
    size_t local[3];
};

/* A plan bound to memory. */
struct slot {
    cl_mem buffers[WHET_BUFFER_MAX];
    uint32_t buffer_count;
    struct launch launches[WHET_LAUNCH_MAX];
    uint32_t launch_count;
};

struct whet_worker_ctx {
    whet_opencl_api api;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    uint64_t lds_bytes;
    struct slot *slots[SLOT_MAX];
};

static void free_slot(struct slot *slot, const whet_opencl_api *api)
{
    uint32_t i;

    if (slot == NULL)
        return;
    for (i = 0; i < slot->launch_count; i++)
        if (slot->launches[i].kernel != NULL)
            (void)api->release_kernel(slot->launches[i].kernel);
    for (i = 0; i < slot->buffer_count; i++)
        if (slot->buffers[i] != NULL)
            (void)api->release_mem_object(slot->buffers[i]);
    free(slot);
}

void whet_opencl__worker_close(whet_worker_ctx *ctx)
{
    size_t i;

    if (ctx == NULL)
        return;
    for (i = 0; i < SLOT_MAX; i++)
        free_slot(ctx->slots[i], &ctx->api);
    if (ctx->program != NULL)
        (void)ctx->api.release_program(ctx->program);
    if (ctx->queue != NULL)
        (void)ctx->api.release_command_queue(ctx->queue);
    if (ctx->context != NULL)
        (void)ctx->api.release_context(ctx->context);
    free(ctx);
}

/* The driver starts its threads when its devices are asked for, and the last
 * ones at the latest with the first queue. */
whet_status whet_opencl__worker_open(whet_worker_ctx **out, uint32_t index,
                                     whet_err *err)
{
    whet_worker_ctx *ctx = calloc(1, sizeof *ctx);
    cl_ulong lds = 0;
    cl_int rc = CL_SUCCESS;
    whet_status st;

    *out = NULL;
    if (ctx == NULL)
        return whet_err_set(err, WHET_ENOMEM, "OpenCL: out of memory");
    if ((st = whet_opencl_load(&ctx->api, err)) != WHET_OK)
        goto out;
    st = whet_opencl_device(&ctx->device, &ctx->api, index, err);
    if (st != WHET_OK)
        goto out;
    (void)ctx->api.get_device_info(ctx->device, CL_DEVICE_LOCAL_MEM_SIZE,
                                   sizeof lds, &lds, NULL);
    ctx->lds_bytes = lds;
    ctx->context =
        ctx->api.create_context(NULL, 1, &ctx->device, NULL, NULL, &rc);
    if (rc != CL_SUCCESS || ctx->context == NULL) {
        st = whet_opencl_fail(err, rc, "cannot make a context");
        goto out;
    }
    ctx->queue =
        ctx->api.create_command_queue(ctx->context, ctx->device, 0, &rc);
    if (rc != CL_SUCCESS || ctx->queue == NULL) {
        st = whet_opencl_fail(err, rc, "cannot make a queue");
        goto out;
    }
    if ((rc = ctx->api.finish(ctx->queue)) != CL_SUCCESS) {
        st = whet_opencl_fail(err, rc, "the new queue does not work");
        goto out;
    }
    *out = ctx;
    ctx = NULL;
out:
    whet_opencl__worker_close(ctx);
    return st;
}

whet_status whet_opencl__worker_load(whet_worker_ctx *ctx, const void *image,
                                     size_t bytes, whet_err *err)
{
    const unsigned char *binary = image;
    cl_int loaded = CL_SUCCESS;
    cl_int rc = CL_SUCCESS;

    if (ctx->program != NULL)
        return whet_err_set(err, WHET_EFAIL, "OpenCL: an image is loaded");
    ctx->program = ctx->api.create_program_with_binary(
        ctx->context, 1, &ctx->device, &bytes, &binary, &loaded, &rc);
    if (rc != CL_SUCCESS || loaded != CL_SUCCESS || ctx->program == NULL)
        return whet_opencl_fail(err, rc != CL_SUCCESS ? rc : loaded,
                                "cannot load the image");
    rc = ctx->api.build_program(ctx->program, 1, &ctx->device, "", NULL, NULL);
    if (rc != CL_SUCCESS)
        return whet_opencl_fail(err, rc, "cannot link the image");
    return WHET_OK;
}

static whet_status make_buffers(struct slot *slot, whet_worker_ctx *ctx,
                                const whet_bound_plan *plan,
                                void *const *address, whet_err *err)
{
    uint32_t i;

    for (i = 0; i < plan->buffer_count; i++) {
        cl_int rc = CL_SUCCESS;

        if ((uintptr_t)address[i] % ALIGN_BYTES != 0)
            return whet_err_set(err, WHET_EINVAL,
                                "OpenCL: buffer %u is not aligned to %d bytes",
                                i, ALIGN_BYTES);
        slot->buffers[i] = ctx->api.create_buffer(
            ctx->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
            (size_t)plan->buffers[i].bytes, address[i], &rc);
        slot->buffer_count = i + 1;
        if (rc != CL_SUCCESS || slot->buffers[i] == NULL)
            return whet_err_set(err, WHET_EFAIL,
                                "OpenCL: buffer %u of %llu bytes: %s (%d)", i,
                                (unsigned long long)plan->buffers[i].bytes,
                                whet_opencl_error_name(rc), (int)rc);
    }
    return WHET_OK;
}

/* Returns an OpenCL code. */
static cl_int set_arg(const whet_worker_ctx *ctx, const struct slot *slot,
                      cl_kernel kernel, cl_uint index,
                      const whet_bound_arg *arg)
{
    const cl_mem *buffer;
    cl_int i32 = (cl_int)arg->value;
    cl_long i64 = arg->value;
    cl_float f32 = (cl_float)arg->real;
    cl_double f64 = arg->real;

    switch (arg->kind) {
    case WHET_ARG_BUFFER:
        if (arg->buffer >= slot->buffer_count)
            return CL_INVALID_ARG_VALUE;
        buffer = &slot->buffers[arg->buffer];
        return ctx->api.set_kernel_arg(kernel, index, sizeof *buffer, buffer);
    case WHET_ARG_I32:
        return ctx->api.set_kernel_arg(kernel, index, sizeof i32, &i32);
    case WHET_ARG_I64:
        return ctx->api.set_kernel_arg(kernel, index, sizeof i64, &i64);
    case WHET_ARG_F32:
        return ctx->api.set_kernel_arg(kernel, index, sizeof f32, &f32);
    case WHET_ARG_F64:
        return ctx->api.set_kernel_arg(kernel, index, sizeof f64, &f64);
    case WHET_ARG_SHARED:
        if (arg->value <= 0)
            return CL_INVALID_ARG_SIZE;
        return ctx->api.set_kernel_arg(kernel, index, (size_t)arg->value, NULL);
    default:
        return CL_INVALID_ARG_VALUE;
    }
}

static whet_status set_sizes(struct launch *launch,
                             const whet_bound_launch *bound, whet_err *err)
{
    size_t i;

    for (i = 0; i < 3; i++) {
        launch->local[i] = (size_t)bound->block[i];
        if (bound->grid[i] == 0 || bound->block[i] == 0 ||
            __builtin_mul_overflow(bound->grid[i], bound->block[i],
                                   &launch->global[i]))
            return whet_err_set(err, WHET_EINVAL,
                                "OpenCL: kernel %s: grid %llu times block "
                                "%llu is 0 or too large",
                                bound->kernel,
                                (unsigned long long)bound->grid[i],
                                (unsigned long long)bound->block[i]);
    }
    return WHET_OK;
}

static whet_status check_lds(const whet_worker_ctx *ctx,
                             const struct launch *launch,
                             const whet_bound_launch *bound, whet_err *err)
{
    cl_ulong lds = 0;

    (void)ctx->api.get_kernel_work_group_info(launch->kernel, ctx->device,
                                              CL_KERNEL_LOCAL_MEM_SIZE,
                                              sizeof lds, &lds, NULL);
    if (ctx->lds_bytes != 0 && lds > ctx->lds_bytes)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "OpenCL: kernel %s needs %llu bytes of LDS, the "
                            "device has %llu",
                            bound->kernel, (unsigned long long)lds,
                            (unsigned long long)ctx->lds_bytes);
    return WHET_OK;
}

static whet_status make_launch(struct launch *launch, whet_worker_ctx *ctx,
                               const struct slot *slot,
                               const whet_bound_launch *bound, whet_err *err)
{
    cl_int rc = CL_SUCCESS;
    cl_uint arg_count = 0;
    cl_uint i;
    whet_status st;

    launch->kernel = ctx->api.create_kernel(ctx->program, bound->kernel, &rc);
    if (rc != CL_SUCCESS || launch->kernel == NULL)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "OpenCL: the image has no kernel %s: %s (%d)",
                            bound->kernel, whet_opencl_error_name(rc), (int)rc);
    rc = ctx->api.get_kernel_info(launch->kernel, CL_KERNEL_NUM_ARGS,
                                  sizeof arg_count, &arg_count, NULL);
    if (rc != CL_SUCCESS || arg_count != bound->arg_count)
        return whet_err_set(err, WHET_EINVAL,
                            "OpenCL: kernel %s takes %u arguments, the plan "
                            "gives %u",
                            bound->kernel, arg_count, bound->arg_count);
    for (i = 0; i < bound->arg_count; i++) {
        rc = set_arg(ctx, slot, launch->kernel, i, &bound->args[i]);
        if (rc != CL_SUCCESS)
            return whet_err_set(
                err, WHET_EINVAL, "OpenCL: kernel %s, argument %u: %s (%d)",
                bound->kernel, i, whet_opencl_error_name(rc), (int)rc);
    }
    if ((st = set_sizes(launch, bound, err)) != WHET_OK)
        return st;
    return check_lds(ctx, launch, bound, err);
}

whet_status whet_opencl__worker_prepare(whet_worker_ctx *ctx, uint32_t slot,
                                        const whet_bound_plan *plan,
                                        void *const *address, whet_err *err)
{
    struct slot *made;
    whet_status st;
    uint32_t i;

    if (slot >= SLOT_MAX || plan->buffer_count > WHET_BUFFER_MAX ||
        plan->launch_count > WHET_LAUNCH_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "OpenCL: slot %u or its plan is out of range",
                            slot);
    if (ctx->program == NULL)
        return whet_err_set(err, WHET_EFAIL, "OpenCL: no image is loaded");
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return whet_err_set(err, WHET_ENOMEM, "OpenCL: out of memory");
    st = make_buffers(made, ctx, plan, address, err);
    for (i = 0; st == WHET_OK && i < plan->launch_count; i++) {
        made->launch_count = i + 1;
        st =
            make_launch(&made->launches[i], ctx, made, &plan->launches[i], err);
    }
    if (st != WHET_OK) {
        free_slot(made, &ctx->api);
        return st;
    }
    free_slot(ctx->slots[slot], &ctx->api);
    ctx->slots[slot] = made;
    return WHET_OK;
}

/* On an in-order queue each launch sees what those before it wrote. */
whet_status whet_opencl__worker_run(whet_worker_ctx *ctx, uint32_t slot,
                                    uint64_t *elapsed_ns_out, whet_err *err)
{
    const struct slot *ready = slot < SLOT_MAX ? ctx->slots[slot] : NULL;
    cl_int rc = CL_SUCCESS;
    uint32_t i;

    *elapsed_ns_out = 0;
    if (ready == NULL)
        return whet_err_set(err, WHET_EINVAL, "OpenCL: slot %u is not ready",
                            slot);
    for (i = 0; i < ready->launch_count && rc == CL_SUCCESS; i++) {
        const struct launch *launch = &ready->launches[i];

        rc = ctx->api.enqueue_nd_range_kernel(ctx->queue, launch->kernel, 3,
                                              NULL, launch->global,
                                              launch->local, 0, NULL, NULL);
    }
    if (rc != CL_SUCCESS) {
        (void)ctx->api.finish(ctx->queue);
        return whet_opencl_fail(err, rc, "cannot launch");
    }
    rc = ctx->api.finish(ctx->queue);
    return rc == CL_SUCCESS ? WHET_OK
                            : whet_opencl_fail(err, rc, "a launch failed");
}
