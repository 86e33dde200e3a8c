/* The worker's side of a GPU over a vendor's table of calls. All work goes to
 * one stream, between two events. The process is trusted: of a candidate only
 * device code runs, and device memory is what it can reach. */

#include "device/gpu_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* The same in both families. */
    FLAG_NON_BLOCKING = 1, /* of a stream: not ordered with the null stream */
    CODE_OUT_OF_MEMORY = 2,
    FUNCTION_ITEMS_MAX = 0,
    FUNCTION_SHARED_BYTES = 1,

    ALIGN_BYTES = 4096,
    PIECE_BYTES = 256 << 20, /* of a copy */
    /* Filling so much takes longer than queueing the fill. */
    SCRATCH_BYTES_MIN = 64 << 20,
    FILL_COUNT_MAX = 100000,
    FILL_WORD = 0x5eed5eed
};

/* One launch of a slot, ready to go. `params` points into `values`. */
struct launch {
    whet_gpu_handle function;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    uint64_t values[WHET_ARG_MAX];
    void *params[WHET_ARG_MAX];
};

/* A plan bound to memory, or a routine in its place. */
struct slot {
    struct launch launches[WHET_LAUNCH_MAX];
    uint32_t launch_count;
    whet_gpu_routine routine;
};

struct whet_worker_ctx {
    whet_gpu_api api;
    int index;
    whet_gpu_handle stream;
    whet_gpu_handle begin, end;
    whet_gpu_handle module;
    uint64_t base, bytes; /* of the one allocation */
    uint64_t lds_bytes;   /* without opting in */
    uint64_t reserve_bytes;
    whet_limits limits;

    /* worker_settle */
    uint64_t scratch, scratch_bytes;
    whet_gpu_handle settle_begin, settle_end;
    unsigned fill_count; /* between these events, 0 = never */
    double fill_ns;      /* one of them; 0 = unknown */

    struct slot *slots[WHET_GPU__SLOT_MAX];
};

/* --- begin and end -------------------------------------------------------- */

static void free_slot(struct slot *slot)
{
    if (slot != NULL)
        free(slot->routine.payload);
    free(slot);
}

/* Nothing is given back to the driver: the process ends next, and calls into
 * a driver that just failed may hang. */
void whet_gpu__worker_close(whet_worker_ctx *ctx)
{
    size_t i;

    if (ctx == NULL)
        return;
    for (i = 0; i < WHET_GPU__SLOT_MAX; i++)
        free_slot(ctx->slots[i]);
    free(ctx->api.vendor);
    free(ctx);
}

static whet_status make_queue(whet_worker_ctx *ctx, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    whet_gpu_handle *const events[] = {&ctx->begin, &ctx->end,
                                       &ctx->settle_begin, &ctx->settle_end};
    int code = api->make_current(api, ctx->index);
    size_t i;

    if (code != 0)
        return whet_gpu__fail(err, api, code, "cannot make a context");
    code = api->stream_create(&ctx->stream, FLAG_NON_BLOCKING);
    if (code != 0)
        return whet_gpu__fail(err, api, code, "cannot make a stream");
    for (i = 0; i < sizeof events / sizeof events[0]; i++)
        if ((code = api->event_create(events[i], 0)) != 0)
            return whet_gpu__fail(err, api, code, "cannot make an event");
    code = api->stream_synchronize(ctx->stream);
    return code == 0
               ? WHET_OK
               : whet_gpu__fail(err, api, code, "the new stream does not work");
}

whet_status whet_gpu__worker_new(whet_worker_ctx **out, const whet_gpu_api *api,
                                 int index, whet_err *err)
{
    whet_worker_ctx *ctx = calloc(1, sizeof *ctx);
    whet_device_facts facts = {0};
    whet_status st;
    int value;

    *out = NULL;
    if (ctx == NULL) {
        free(api->vendor);
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", api->name);
    }
    ctx->api = *api;
    ctx->index = index;
    if ((st = whet_gpu__facts(&facts, api, index, err)) != WHET_OK)
        goto out;
    ctx->limits = facts.limits;
    (void)whet_gpu__attribute(&value, api, WHET_GPU_LDS_GROUP_BYTES, index);
    ctx->lds_bytes = (uint64_t)value;
    /* What worker_settle will want, with caches to spare. */
    ctx->reserve_bytes = SCRATCH_BYTES_MIN + 2 * facts.llc_bytes;
    if ((st = make_queue(ctx, err)) != WHET_OK)
        goto out;
    *out = ctx;
    ctx = NULL;
out:
    whet_gpu__worker_close(ctx);
    return st;
}

whet_status whet_gpu__worker_load(whet_worker_ctx *ctx, const void *image,
                                  size_t bytes, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    whet_status st;
    int code;

    if (ctx->module != NULL)
        return whet_err_set(err, WHET_EFAIL, "%s: an image is loaded",
                            api->name);
    if (api->elf_machine != 0) {
        st = whet_gpu__check_image(image, bytes, api->elf_machine, api->name,
                                   err);
        if (st != WHET_OK)
            return st;
    }
    code = api->module_load(&ctx->module, image);
    return code == 0 ? WHET_OK
                     : whet_gpu__fail(err, api, code, "cannot load the image");
}

/* --- memory --------------------------------------------------------------- */

static whet_status no_memory(const whet_worker_ctx *ctx, uint64_t bytes,
                             size_t free_bytes, whet_err *err)
{
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: %.2f GiB of device memory asked for, %.2f GiB of "
                        "%.2f GiB are free (%.2f GiB stay in reserve); take "
                        "smaller workloads, or a card that is not in use",
                        ctx->api.name, (double)bytes / 0x1p30,
                        (double)free_bytes / 0x1p30,
                        (double)ctx->limits.memory_bytes / 0x1p30,
                        (double)ctx->reserve_bytes / 0x1p30);
}

whet_status whet_gpu__worker_allocate(whet_worker_ctx *ctx, uint64_t bytes,
                                      void **base_out, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    size_t free_bytes = 0, total_bytes = 0;
    uint64_t raw = 0;
    int code;

    *base_out = NULL;
    if (ctx->base != 0 || bytes == 0 || bytes > INT64_MAX)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: memory is allocated once, 1 byte or more",
                            api->name);
    code = api->memory_info(&free_bytes, &total_bytes);
    if (code != 0)
        return whet_gpu__fail(err, api, code, "cannot ask for free memory");
    if (free_bytes < ctx->reserve_bytes ||
        bytes > free_bytes - ctx->reserve_bytes)
        return no_memory(ctx, bytes, free_bytes, err);
    code = api->memory_allocate(&raw, (size_t)bytes + ALIGN_BYTES - 1);
    if (code == CODE_OUT_OF_MEMORY)
        return no_memory(ctx, bytes, free_bytes, err);
    if (code != 0)
        return whet_gpu__fail(err, api, code, "cannot allocate memory");
    ctx->base = (raw + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    ctx->bytes = bytes;
    *base_out = (void *)(uintptr_t)ctx->base;
    return WHET_OK;
}

whet_status whet_gpu__worker_pin(whet_worker_ctx *ctx, void *host,
                                 uint64_t bytes, whet_err *err)
{
    int code = ctx->api.host_register(host, (size_t)bytes, 0);

    return code == 0
               ? WHET_OK
               : whet_gpu__fail(err, &ctx->api, code, "cannot pin memory");
}

/* In pieces, since some drivers stage a copy from memory that is not pinned
 * as a whole. */
whet_status whet_gpu__worker_copy(whet_worker_ctx *ctx, bool to_device,
                                  uint64_t offset, void *host, uint64_t bytes,
                                  whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    uint64_t done = 0;
    int code = 0;
    int ended;

    if (offset > ctx->bytes || bytes > ctx->bytes - offset)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: copy of %llu bytes at %llu, expected within "
                            "the %llu bytes allocated",
                            api->name, (unsigned long long)bytes,
                            (unsigned long long)offset,
                            (unsigned long long)ctx->bytes);
    while (done < bytes && code == 0) {
        uint64_t left = bytes - done;
        size_t piece = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        uint64_t device = ctx->base + offset + done;
        char *at = (char *)host + done;

        code = to_device ? api->copy_in(device, at, piece, ctx->stream)
                         : api->copy_out(at, device, piece, ctx->stream);
        done += piece;
    }
    /* Also after a failure: what was queued still uses the host's memory. */
    ended = api->stream_synchronize(ctx->stream);
    if (code == 0)
        code = ended;
    return code == 0
               ? WHET_OK
               : whet_gpu__fail(err, api, code,
                                to_device ? "copy to the device failed"
                                          : "copy from the device failed");
}

whet_status whet_gpu__worker_fill(whet_worker_ctx *ctx, uint64_t offset,
                                  uint32_t word, uint64_t bytes, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    int code = 0;

    if (offset % 4 != 0 || bytes % 4 != 0 || offset > ctx->bytes ||
        bytes > ctx->bytes - offset)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: fill of %llu bytes at %llu, expected whole "
                            "words within the %llu bytes allocated",
                            api->name, (unsigned long long)bytes,
                            (unsigned long long)offset,
                            (unsigned long long)ctx->bytes);
    if (bytes > 0)
        code = api->fill_u32(ctx->base + offset, word, (size_t)(bytes / 4),
                             ctx->stream);
    return code == 0 ? WHET_OK
                     : whet_gpu__fail(err, api, code, "cannot fill memory");
}

/* --- trusted work in front of timed calls --------------------------------- */

static whet_status make_scratch(whet_worker_ctx *ctx, uint64_t flush_bytes,
                                whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    uint64_t bytes =
        flush_bytes > SCRATCH_BYTES_MIN ? flush_bytes : SCRATCH_BYTES_MIN;
    int code;

    if (ctx->scratch_bytes >= bytes)
        return WHET_OK;
    if (bytes > INT64_MAX)
        return whet_err_set(err, WHET_EINVAL, "%s: flush of %llu bytes",
                            api->name, (unsigned long long)bytes);
    /* A smaller one from before is left behind: there is one size in use. */
    bytes = (bytes + 3) / 4 * 4;
    code = api->memory_allocate(&ctx->scratch, (size_t)bytes);
    if (code != 0) {
        ctx->scratch = ctx->scratch_bytes = 0;
        return whet_gpu__fail(err, api, code, "no memory to flush caches with");
    }
    ctx->scratch_bytes = bytes;
    ctx->fill_count = 0;
    ctx->fill_ns = 0;
    return WHET_OK;
}

static int queue_fills(whet_worker_ctx *ctx, unsigned count)
{
    const whet_gpu_api *api = &ctx->api;
    int code = api->event_record(ctx->settle_begin, ctx->stream);
    unsigned i;

    ctx->fill_count = 0;
    for (i = 0; i < count && code == 0; i++)
        code = api->fill_u32(ctx->scratch, FILL_WORD, ctx->scratch_bytes / 4,
                             ctx->stream);
    if (code == 0)
        code = api->event_record(ctx->settle_end, ctx->stream);
    if (code == 0)
        ctx->fill_count = count;
    return code;
}

/* How long one fill took the last time. The clocks rise meanwhile, so that
 * every settling is measured; it has ended, since what followed was waited
 * for. If it has not, the last figure stays. */
static void measure_fills(whet_worker_ctx *ctx)
{
    float ms = 0;

    if (ctx->fill_count == 0)
        return;
    if (ctx->api.event_elapsed_ms(&ms, ctx->settle_begin, ctx->settle_end) ==
            0 &&
        isfinite(ms) && ms > 0)
        ctx->fill_ns = (double)ms * 1e6 / ctx->fill_count;
}

whet_status whet_gpu__worker_settle(whet_worker_ctx *ctx, uint64_t spin_ns,
                                    uint64_t flush_bytes, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    whet_status st = make_scratch(ctx, flush_bytes, err);
    double count = 1;
    int code = 0;

    if (st != WHET_OK)
        return st;
    /* Lines that a kernel asked to be kept would outlive the flush. A card or
     * driver without such lines says so. */
    if (api->reset_cache != NULL)
        (void)api->reset_cache(api);
    /* The first of all also pays for what the driver sets up: twice. */
    if (ctx->fill_count == 0)
        code = queue_fills(ctx, 1);
    if (code == 0 && ctx->fill_ns <= 0) {
        code = queue_fills(ctx, 1);
        if (code == 0)
            code = api->event_synchronize(ctx->settle_end);
    }
    if (code == 0) {
        measure_fills(ctx);
        if (ctx->fill_ns > 0)
            count = ceil((double)spin_ns / ctx->fill_ns);
        count = fmax(1, fmin(count, FILL_COUNT_MAX));
        code = queue_fills(ctx, (unsigned)count);
    }
    return code == 0
               ? WHET_OK
               : whet_gpu__fail(err, api, code, "cannot settle the device");
}

/* --- plans ---------------------------------------------------------------- */

static whet_status refuse(whet_err *err, const whet_worker_ctx *ctx,
                          const whet_bound_launch *bound, const char *what,
                          uint64_t asked, uint64_t most)
{
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: kernel %s: %s %llu, expected 1 to %llu",
                        ctx->api.name, bound->kernel, what,
                        (unsigned long long)asked, (unsigned long long)most);
}

static uint64_t limit(uint64_t known, uint64_t otherwise)
{
    return known != 0 && known < otherwise ? known : otherwise;
}

static whet_status set_sizes(struct launch *launch, const whet_worker_ctx *ctx,
                             const whet_bound_launch *bound, whet_err *err)
{
    static const char *const grids[] = {"grid x", "grid y", "grid z"};
    static const char *const blocks[] = {"block x", "block y", "block z"};
    uint64_t items_max = limit(ctx->limits.group_items_max, UINT32_MAX);
    uint64_t items = 1;
    int built_max = 0;
    size_t i;

    for (i = 0; i < 3; i++) {
        uint64_t grid_max = limit(ctx->limits.grid_max[i], UINT32_MAX);
        uint64_t block_max = limit(ctx->limits.block_max[i], UINT16_MAX);

        if (bound->grid[i] == 0 || bound->grid[i] > grid_max)
            return refuse(err, ctx, bound, grids[i], bound->grid[i], grid_max);
        if (bound->block[i] == 0 || bound->block[i] > block_max)
            return refuse(err, ctx, bound, blocks[i], bound->block[i],
                          block_max);
        launch->grid[i] = (unsigned)bound->grid[i];
        launch->block[i] = (unsigned)bound->block[i];
        items *= bound->block[i];
    }
    if (items > items_max)
        return refuse(err, ctx, bound, "work-items per group", items,
                      items_max);
    /* Beyond what it was built for, some devices warn and compute garbage. */
    if (ctx->api.function_attribute != NULL &&
        ctx->api.function_attribute(&built_max, FUNCTION_ITEMS_MAX,
                                    launch->function) == 0 &&
        built_max > 0 && items > (uint64_t)built_max)
        return refuse(err, ctx, bound,
                      "work-items per group (the kernel was built for fewer)",
                      items, (uint64_t)built_max);
    return WHET_OK;
}

static whet_status set_shared(struct launch *launch, const whet_worker_ctx *ctx,
                              const whet_bound_launch *bound, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    uint64_t all_max = limit(ctx->limits.lds_bytes, INT32_MAX);
    uint64_t dynamic = bound->shared_bytes;
    int built_in = 0;
    int code;

    if (api->function_attribute != NULL)
        (void)api->function_attribute(&built_in, FUNCTION_SHARED_BYTES,
                                      launch->function);
    if (built_in < 0)
        built_in = 0;
    if (dynamic > all_max || (uint64_t)built_in > all_max - dynamic)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s: kernel %s: %llu bytes of dynamic and %d of "
                            "static LDS, expected at most %llu together",
                            api->name, bound->kernel,
                            (unsigned long long)dynamic, built_in,
                            (unsigned long long)all_max);
    launch->shared_bytes = (unsigned)dynamic;
    if (dynamic == 0 || dynamic + (uint64_t)built_in <= ctx->lds_bytes)
        return WHET_OK;
    code = api->allow_shared(api, launch->function, launch->shared_bytes);
    return code == 0
               ? WHET_OK
               : whet_gpu__fail(err, api, code, "cannot opt in to more LDS");
}

/* Bytes of the argument in `*value`; 0 if it is none of a GPU's. */
static size_t set_value(uint64_t *value, const whet_bound_arg *arg,
                        uint32_t buffer_count, void *const *address)
{
    int32_t i32 = (int32_t)arg->value;
    float f32 = (float)arg->real;

    *value = 0;
    switch (arg->kind) {
    case WHET_ARG_BUFFER:
        if (arg->buffer >= buffer_count)
            return 0;
        *value = (uint64_t)(uintptr_t)address[arg->buffer];
        return sizeof *value;
    case WHET_ARG_I32:
        memcpy(value, &i32, sizeof i32);
        return sizeof i32;
    case WHET_ARG_I64:
        memcpy(value, &arg->value, sizeof arg->value);
        return sizeof arg->value;
    case WHET_ARG_F32:
        memcpy(value, &f32, sizeof f32);
        return sizeof f32;
    case WHET_ARG_F64:
        memcpy(value, &arg->real, sizeof arg->real);
        return sizeof arg->real;
    default:
        /* Local memory is no argument here: kernels declare it. */
        return 0;
    }
}

/* The driver reads as many arguments as the kernel has, of its sizes. That the
 * kernel has no more than the plan is checked on the image, before: asking the
 * driver for one too many is an error that memory checkers report. Should it
 * have more, it reads zeros. */
static whet_status check_params(const whet_worker_ctx *ctx,
                                whet_gpu_handle function,
                                const whet_bound_launch *bound,
                                const size_t *sizes, whet_err *err)
{
    size_t offset = 0, bytes = 0;
    uint32_t i;

    if (ctx->api.function_parameter == NULL)
        return WHET_OK;
    for (i = 0; i < bound->arg_count; i++)
        if (ctx->api.function_parameter(function, i, &offset, &bytes) != 0 ||
            bytes != sizes[i])
            break;
    if (i == bound->arg_count)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "%s: kernel %s, argument %u of %u: the kernel takes "
                        "another size or number of arguments",
                        ctx->api.name, bound->kernel, i, bound->arg_count);
}

static whet_status set_args(struct launch *launch, const whet_worker_ctx *ctx,
                            const whet_bound_launch *bound,
                            uint32_t buffer_count, void *const *address,
                            whet_err *err)
{
    size_t sizes[WHET_ARG_MAX] = {0};
    uint32_t i;

    if (bound->arg_count > WHET_ARG_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: kernel %s: over %d arguments", ctx->api.name,
                            bound->kernel, WHET_ARG_MAX);
    for (i = 0; i < bound->arg_count; i++) {
        sizes[i] = set_value(&launch->values[i], &bound->args[i], buffer_count,
                             address);
        if (sizes[i] == 0)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: kernel %s, argument %u: expected a "
                                "buffer or a number",
                                ctx->api.name, bound->kernel, i);
    }
    for (i = 0; i < WHET_ARG_MAX; i++)
        launch->params[i] = &launch->values[i];
    return check_params(ctx, launch->function, bound, sizes, err);
}

static whet_status make_launch(struct launch *launch, whet_worker_ctx *ctx,
                               const whet_bound_launch *bound,
                               uint32_t buffer_count, void *const *address,
                               whet_err *err)
{
    whet_status st;
    char what[WHET_NAME_BYTES + 32];
    int code =
        ctx->api.module_function(&launch->function, ctx->module, bound->kernel);

    if (code != 0) {
        snprintf(what, sizeof what, "no kernel %s in the image", bound->kernel);
        (void)whet_gpu__fail(err, &ctx->api, code, what);
        if (err != NULL)
            err->code = WHET_ENOTFOUND;
        return WHET_ENOTFOUND;
    }
    if ((st = set_sizes(launch, ctx, bound, err)) != WHET_OK ||
        (st = set_shared(launch, ctx, bound, err)) != WHET_OK)
        return st;
    return set_args(launch, ctx, bound, buffer_count, address, err);
}

static whet_status check_buffers(const whet_worker_ctx *ctx,
                                 const whet_bound_plan *plan,
                                 void *const *address, whet_err *err)
{
    uint32_t i;

    for (i = 0; i < plan->buffer_count; i++) {
        uint64_t at = (uint64_t)(uintptr_t)address[i];

        if (at < ctx->base || at - ctx->base > ctx->bytes ||
            plan->buffers[i].bytes > ctx->bytes - (at - ctx->base))
            return whet_err_set(err, WHET_EINVAL,
                                "%s: buffer %u of %llu bytes lies outside of "
                                "the memory allocated",
                                ctx->api.name, i,
                                (unsigned long long)plan->buffers[i].bytes);
    }
    return WHET_OK;
}

static whet_status new_slot(struct slot **out, whet_worker_ctx *ctx,
                            uint32_t slot, whet_err *err)
{
    *out = NULL;
    if (slot >= WHET_GPU__SLOT_MAX)
        return whet_err_set(err, WHET_EINVAL, "%s: slot %u, expected below %d",
                            ctx->api.name, slot, WHET_GPU__SLOT_MAX);
    *out = calloc(1, sizeof **out);
    return *out != NULL ? WHET_OK
                        : whet_err_set(err, WHET_ENOMEM, "%s: out of memory",
                                       ctx->api.name);
}

static void put_slot(whet_worker_ctx *ctx, uint32_t slot, struct slot *made)
{
    free_slot(ctx->slots[slot]);
    ctx->slots[slot] = made;
}

whet_status whet_gpu__worker_prepare(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_bound_plan *plan,
                                     void *const *address, whet_err *err)
{
    struct slot *made;
    whet_status st;
    uint32_t i;

    if (plan->buffer_count > WHET_BUFFER_MAX ||
        plan->launch_count > WHET_LAUNCH_MAX)
        return whet_err_set(err, WHET_EINVAL, "%s: the plan is out of range",
                            ctx->api.name);
    if (ctx->module == NULL || ctx->base == 0)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: no image is loaded or no memory allocated",
                            ctx->api.name);
    if ((st = check_buffers(ctx, plan, address, err)) != WHET_OK ||
        (st = new_slot(&made, ctx, slot, err)) != WHET_OK)
        return st;
    for (i = 0; st == WHET_OK && i < plan->launch_count; i++)
        st = make_launch(&made->launches[i], ctx, &plan->launches[i],
                         plan->buffer_count, address, err);
    if (st != WHET_OK) {
        free(made);
        return st;
    }
    made->launch_count = plan->launch_count;
    put_slot(ctx, slot, made);
    return WHET_OK;
}

whet_status whet_gpu__worker_routine(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_gpu_routine *routine,
                                     whet_err *err)
{
    struct slot *made;
    whet_status st = new_slot(&made, ctx, slot, err);

    if (st != WHET_OK)
        return st;
    made->routine = *routine;
    put_slot(ctx, slot, made);
    return WHET_OK;
}

/* --- a call --------------------------------------------------------------- */

static whet_status queue_plan(whet_worker_ctx *ctx, struct slot *ready,
                              whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    uint32_t i;

    if (ready->routine.call != NULL)
        return ready->routine.call(ready->routine.payload, ctx->stream, err);
    for (i = 0; i < ready->launch_count; i++) {
        struct launch *launch = &ready->launches[i];
        int code = api->launch(
            launch->function, launch->grid[0], launch->grid[1], launch->grid[2],
            launch->block[0], launch->block[1], launch->block[2],
            launch->shared_bytes, ctx->stream, launch->params, NULL);

        if (code != 0)
            return whet_gpu__fail(err, api, code, "cannot launch");
    }
    return WHET_OK;
}

static whet_status read_elapsed(uint64_t *elapsed_ns_out,
                                const whet_worker_ctx *ctx, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    float ms = 0;
    int code = api->event_elapsed_ms(&ms, ctx->begin, ctx->end);

    if (code != 0)
        return whet_gpu__fail(err, api, code, "cannot read the events");
    if (!isfinite(ms) || ms < 0 || ms > 1e9f)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: the events are %g ms apart, expected 0 or "
                            "more",
                            api->name, (double)ms);
    /* 0 would say that the device keeps no time. */
    *elapsed_ns_out = (uint64_t)((double)ms * 1e6 + 0.5);
    if (*elapsed_ns_out == 0)
        *elapsed_ns_out = 1;
    return WHET_OK;
}

whet_status whet_gpu__worker_run(whet_worker_ctx *ctx, uint32_t slot,
                                 uint64_t *elapsed_ns_out, whet_err *err)
{
    const whet_gpu_api *api = &ctx->api;
    struct slot *ready = slot < WHET_GPU__SLOT_MAX ? ctx->slots[slot] : NULL;
    whet_status st;
    int code;

    *elapsed_ns_out = 0;
    if (ready == NULL)
        return whet_err_set(err, WHET_EINVAL, "%s: slot %u is not ready",
                            api->name, slot);
    if ((code = api->event_record(ctx->begin, ctx->stream)) != 0)
        return whet_gpu__fail(err, api, code, "cannot record an event");
    if ((st = queue_plan(ctx, ready, err)) != WHET_OK) {
        (void)api->stream_synchronize(ctx->stream);
        return st;
    }
    code = api->event_record(ctx->end, ctx->stream);
    if (code == 0)
        code = api->event_synchronize(ctx->end);
    /* An error may stick to the context without any call having said so. */
    if (code == 0)
        code = api->last_error(api);
    if (code != 0)
        return whet_gpu__fail(err, api, code, "a launch failed");
    return read_elapsed(elapsed_ns_out, ctx, err);
}
