/* The worker process: owns one device context, runs one plan on one image.
 *
 * Order matters. The region is there and its address reported, and on a native
 * device the system call filter installed, before the first byte of the
 * candidate is loaded. On a native device whatever happens afterwards in this
 * process is in the candidate's hands, so nothing here is a secret and nothing
 * this process says is believed beyond "I am done". Where the device has memory
 * of its own, only device code of the candidate runs: the process is trusted
 * to copy between the stage, which the verifier fills, and device memory, and
 * to report the device's own time. */

#include "judge/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* An idle card lowers its clocks (one card seen idles at a sixth of its
 * maximum) and raises them within tens of milliseconds of work: the first call
 * waits for that, later ones only bridge the gap that filling left. */
static const uint64_t first_spin_ns = 100000000u;
static const uint64_t spin_ns = 2000000u;

/* What a worker holds. */
struct worker {
    whet_job *job; /* mapped job file, image behind it */
    size_t job_bytes;
    const whet_device_ops *ops;
    whet_worker_ctx *ctx;
    char *region; /* on the device if that has memory of its own */
    char *stage;  /* NULL on native devices */
    bool has_run;
};

static bool is_native(const struct worker *w)
{
    return w->ops->caps & WHET_DEVICE_CAP_NATIVE;
}

static whet_status read_job(struct worker *w, whet_judge__find find,
                            whet_err *err)
{
    struct stat st;

    if (fstat(WHET_WORKER_JOB_FD, &st) != 0 ||
        (uint64_t)st.st_size < sizeof *w->job)
        return whet_err_set(err, WHET_EINVAL, "job file missing or short");
    w->job_bytes = (size_t)st.st_size;
    w->job =
        mmap(NULL, w->job_bytes, PROT_READ, MAP_PRIVATE, WHET_WORKER_JOB_FD, 0);
    if (w->job == MAP_FAILED)
        return whet_err_set(err, WHET_ENOMEM, "job file cannot be mapped");
    if (w->job->magic != WHET_JOB_MAGIC ||
        w->job->image_bytes != w->job_bytes - sizeof *w->job ||
        memchr(w->job->device, 0, sizeof w->job->device) == NULL)
        return whet_err_set(err, WHET_EINVAL, "job file is malformed");
    if (whet_bound_plan_check(&w->job->plan, err) != WHET_OK ||
        whet_judge__layout_check(&w->job->layout, &w->job->plan, err) !=
            WHET_OK)
        return WHET_EINVAL;
    w->ops = find(w->job->device);
    if (w->ops == NULL || !(w->ops->caps & WHET_DEVICE_CAP_LIVE))
        return whet_err_set(err, WHET_EINVAL, "job names no live device");
    return WHET_OK;
}

/* Huge pages where the kernel grants them: two workers with small pages differ
 * persistently by a few percent, by luck of their physical pages. */
static whet_status map_region(struct worker *w, whet_err *err)
{
    const size_t huge = (size_t)2 << 20;
    size_t bytes = w->job->layout.slot_bytes * w->job->layout.slot_count;
    char *raw = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (raw == MAP_FAILED)
        return whet_err_set(err, WHET_ENOMEM,
                            "%zu bytes of memory are not to be had", bytes);
    w->region = (char *)(((uintptr_t)raw + huge - 1) / huge * huge);
    (void)madvise(w->region, bytes, MADV_HUGEPAGE);
    memset(w->region, 0xA5, bytes);
    return WHET_OK;
}

/* The one slot's worth of memory through which inputs come and outputs go. */
static whet_status map_stage(struct worker *w, whet_err *err)
{
    size_t bytes = w->job->layout.slot_bytes;
    struct stat file;

    if (fstat(WHET_WORKER_STAGE_FD, &file) != 0 ||
        (uint64_t)file.st_size < bytes)
        return whet_err_set(err, WHET_EINVAL,
                            "stage missing or short, expected %zu bytes",
                            bytes);
    w->stage = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                    WHET_WORKER_STAGE_FD, 0);
    if (w->stage == MAP_FAILED)
        return whet_err_errno(err, errno, "stage of %zu bytes", bytes);
    (void)madvise(w->stage, bytes, MADV_HUGEPAGE);
    /* Unpinned memory is only slower. */
    if (w->ops->worker_pin != NULL)
        (void)w->ops->worker_pin(w->ctx, w->stage, bytes, NULL);
    return WHET_OK;
}

static whet_status open_native(struct worker *w, whet_err *err)
{
    whet_status st;

    if ((st = map_region(w, err)) != WHET_OK ||
        (st = w->ops->worker_open(&w->ctx, w->job->device_index, err)) !=
            WHET_OK)
        return st;
    /* In a user namespace of its own the worker is the verifier's to read;
     * without one, a hardened kernel must be told so. */
    if (!w->job->is_sealed) {
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        return WHET_OK;
    }
    return whet_sandbox_seal(WHET_SANDBOX_WORKER, err);
}

static whet_status open_device(struct worker *w, whet_err *err)
{
    const whet_layout *layout = &w->job->layout;
    void *base = NULL;
    whet_status st;

    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if ((st = w->ops->worker_open(&w->ctx, w->job->device_index, err)) !=
            WHET_OK ||
        (st = w->ops->worker_allocate(w->ctx,
                                      layout->slot_bytes * layout->slot_count,
                                      &base, err)) != WHET_OK)
        return st;
    w->region = base;
    return map_stage(w, err);
}

static whet_status say(uint32_t type, uint64_t a, const whet_err *why,
                       whet_err *err)
{
    whet_wire record = {.magic = WHET_WIRE_MAGIC, .type = type, .a = a};

    if (why != NULL) {
        record.status = why->code;
        whet_strcopy(record.text, sizeof record.text, why->msg);
    }
    return whet_judge__send(WHET_WORKER_SOCKET_FD, &record, sizeof record, err);
}

static whet_status prepare_library(struct worker *w, uint32_t slot,
                                   void *const *address, whet_err *err)
{
    if (w->ops->worker_library == NULL ||
        memchr(w->job->library.library, 0, sizeof w->job->library.library) ==
            NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "this device has no libraries");
    return w->ops->worker_library(w->ctx, slot, &w->job->library, address, err);
}

static whet_status prepare_slots(struct worker *w, whet_err *err)
{
    const whet_layout *layout = &w->job->layout;
    uint32_t slot, b;

    for (slot = 0; slot < layout->slot_count; slot++) {
        void *address[WHET_BUFFER_MAX] = {0};
        whet_status st;

        for (b = 0; b < layout->buffer_count; b++)
            address[b] = w->region + slot * layout->slot_bytes +
                         layout->buffers[b].offset;
        st = w->job->library.op == 0
                 ? w->ops->worker_prepare(w->ctx, slot, &w->job->plan, address,
                                          err)
                 : prepare_library(w, slot, address, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

static whet_status start(struct worker *w, whet_judge__find find, whet_err *err)
{
    whet_status st;

    /* Nobody reads what kernels print: it must not make them wait. */
    (void)fcntl(STDOUT_FILENO, F_SETFL, O_WRONLY | O_NONBLOCK);
    (void)fcntl(STDERR_FILENO, F_SETFL, O_WRONLY | O_NONBLOCK);
    if ((st = read_job(w, find, err)) != WHET_OK ||
        (st = is_native(w) ? open_native(w, err) : open_device(w, err)) !=
            WHET_OK ||
        (st = say(WHET_WIRE_HELLO, (uint64_t)(uintptr_t)w->region, NULL,
                  err)) != WHET_OK)
        return st;
    st = w->ops->worker_load(w->ctx, (const char *)w->job + sizeof *w->job,
                             w->job->image_bytes, err);
    if (st == WHET_OK)
        st = prepare_slots(w, err);
    return st == WHET_OK ? say(WHET_WIRE_READY, 0, NULL, err) : st;
}

static whet_status run(struct worker *w, uint32_t slot, uint64_t *elapsed_ns,
                       whet_err *err)
{
    whet_status st = WHET_OK;

    if (!is_native(w))
        st = w->ops->worker_settle(w->ctx, w->has_run ? spin_ns : first_spin_ns,
                                   w->job->flush_bytes, err);
    w->has_run = true;
    return st == WHET_OK ? w->ops->worker_run(w->ctx, slot, elapsed_ns, err)
                         : st;
}

/* Copy bytes at `offset` of the stage to or from the same place of a slot. */
static whet_status copy(struct worker *w, uint32_t slot, bool to_device,
                        uint64_t offset, uint64_t bytes, whet_err *err)
{
    uint64_t start = slot * w->job->layout.slot_bytes;

    if (bytes == 0)
        return WHET_OK;
    return w->ops->worker_copy(w->ctx, to_device, start + offset,
                               w->stage + offset, bytes, err);
}

static whet_status copy_guards(struct worker *w, uint32_t slot, bool to_device,
                               const whet_layout_buffer *b, whet_err *err)
{
    whet_status st = copy(w, slot, to_device, b->offset - b->guard_before,
                          b->guard_before, err);

    return st == WHET_OK ? copy(w, slot, to_device, b->offset + b->bytes,
                                b->guard_after, err)
                         : st;
}

/* Poison is filled in whole words, before the guard that it may run into. */
static whet_status upload(struct worker *w, uint32_t slot, uint64_t seed,
                          whet_err *err)
{
    const whet_layout *layout = &w->job->layout;
    whet_status st = WHET_OK;
    uint32_t i;

    for (i = 0; i < layout->buffer_count && st == WHET_OK; i++) {
        const whet_layout_buffer *b = &layout->buffers[i];

        if (b->kind == WHET_BUFFER_IN)
            st = copy(w, slot, true, b->offset, b->bytes, err);
        else
            st = w->ops->worker_fill(w->ctx,
                                     slot * layout->slot_bytes + b->offset,
                                     whet_judge__poison_word(seed, b->dtype, i),
                                     (b->bytes + 3) / 4 * 4, err);
        if (st == WHET_OK)
            st = copy_guards(w, slot, true, b, err);
    }
    return st;
}

static whet_status download_input(struct worker *w, uint32_t slot, uint32_t i,
                                  uint64_t seed, whet_err *err)
{
    const whet_layout_buffer *b = &w->job->layout.buffers[i];
    whet_status st = WHET_OK;
    uint64_t first;

    for (first = 0; first < b->bytes && st == WHET_OK; first += WHET_LOOK_BYTES)
        if (whet_judge__is_looked_at(&w->job->layout, seed, i,
                                     first / WHET_LOOK_BYTES))
            st = copy(w, slot, false, b->offset + first,
                      b->bytes - first < WHET_LOOK_BYTES ? b->bytes - first
                                                         : WHET_LOOK_BYTES,
                      err);
    return st;
}

static whet_status download(struct worker *w, uint32_t slot, uint64_t seed,
                            bool is_guards_only, whet_err *err)
{
    const whet_layout *layout = &w->job->layout;
    whet_status st = WHET_OK;
    uint32_t i;

    for (i = 0; i < layout->buffer_count && st == WHET_OK; i++) {
        const whet_layout_buffer *b = &layout->buffers[i];

        st = copy_guards(w, slot, false, b, err);
        if (st != WHET_OK || is_guards_only)
            continue;
        if (b->kind == WHET_BUFFER_OUT)
            st = copy(w, slot, false, b->offset, b->bytes, err);
        else if (b->kind == WHET_BUFFER_IN)
            st = download_input(w, slot, i, seed, err);
    }
    return st;
}

static bool is_known(const struct worker *w, const whet_wire *record)
{
    return record->magic == WHET_WIRE_MAGIC &&
           record->slot < w->job->layout.slot_count &&
           (record->type == WHET_WIRE_RUN ||
            (!is_native(w) && (record->type == WHET_WIRE_UPLOAD ||
                               record->type == WHET_WIRE_DOWNLOAD ||
                               record->type == WHET_WIRE_GUARDS)));
}

static whet_status obey(struct worker *w, const whet_wire *record,
                        uint64_t *elapsed_ns, whet_err *err)
{
    switch (record->type) {
    case WHET_WIRE_RUN:
        return run(w, record->slot, elapsed_ns, err);
    case WHET_WIRE_UPLOAD:
        return upload(w, record->slot, record->a, err);
    default:
        return download(w, record->slot, record->a,
                        record->type == WHET_WIRE_GUARDS, err);
    }
}

static whet_status serve(struct worker *w, whet_err *err)
{
    for (;;) {
        whet_wire record;
        uint64_t elapsed_ns = 0;
        whet_err why = {0};
        whet_status st;

        if (whet_judge__receive(WHET_WORKER_SOCKET_FD, &record, sizeof record,
                                0, err) != WHET_OK)
            return WHET_OK; /* the supervisor is gone: so are we */
        if (!is_known(w, &record))
            return whet_err_set(err, WHET_EINVAL, "unknown request");
        st = obey(w, &record, &elapsed_ns, &why);
        if (st == WHET_OK)
            say(WHET_WIRE_DONE, elapsed_ns, NULL, NULL);
        else
            say(WHET_WIRE_FAIL, 0, &why, NULL);
    }
}

void whet_judge__worker_main(whet_judge__find find)
{
    struct worker w = {0};
    whet_err err = {0};
    whet_status st = start(&w, find, &err);

    if (st == WHET_OK)
        st = serve(&w, &err);
    if (st != WHET_OK)
        say(WHET_WIRE_FAIL, 0, &err, NULL);
    /* No orderly teardown: the driver may be in hostile hands by now. */
    _exit(st == WHET_OK ? 0 : 3);
}

int whet_worker_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    whet_judge__worker_main(whet_device_find);
    return 3; /* not reached */
}
