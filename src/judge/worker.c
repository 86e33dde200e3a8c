/* The worker process: owns one device context, runs one plan on one image.
 *
 * Order matters. The region is mapped and its address reported, and the
 * system call filter installed, before the first byte of the candidate is
 * loaded; on a native device whatever happens afterwards in this process is
 * in the candidate's hands, so nothing here is a secret and nothing this
 * process says is believed beyond "I am done". */

#include "judge/wire.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a worker holds. */
struct worker {
    whet_job *job; /* mapped job file, image behind it */
    size_t job_bytes;
    const whet_device_ops *ops;
    whet_worker_ctx *ctx;
    char *region;
};

static whet_status read_job(struct worker *w, whet_err *err)
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
    w->ops = whet_device_find(w->job->device);
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
        st = w->ops->worker_prepare(w->ctx, slot, &w->job->plan, address, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

static whet_status start(struct worker *w, whet_err *err)
{
    whet_status st;

    /* Nobody reads what kernels print: it must not make them wait. */
    (void)fcntl(STDOUT_FILENO, F_SETFL, O_WRONLY | O_NONBLOCK);
    (void)fcntl(STDERR_FILENO, F_SETFL, O_WRONLY | O_NONBLOCK);
    if ((st = read_job(w, err)) != WHET_OK ||
        (st = map_region(w, err)) != WHET_OK ||
        (st = w->ops->worker_open(&w->ctx, w->job->device_index, err)) !=
            WHET_OK)
        return st;
    /* In a user namespace of its own the worker is the verifier's to read;
     * without one, a hardened kernel must be told so. */
    if (!w->job->is_sealed)
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (w->job->is_sealed &&
        (st = whet_sandbox_seal(WHET_SANDBOX_WORKER, err)) != WHET_OK)
        return st;
    if ((st = say(WHET_WIRE_HELLO, (uint64_t)(uintptr_t)w->region, NULL,
                  err)) != WHET_OK)
        return st;
    st = w->ops->worker_load(w->ctx, (const char *)w->job + sizeof *w->job,
                             w->job->image_bytes, err);
    if (st == WHET_OK)
        st = prepare_slots(w, err);
    return st == WHET_OK ? say(WHET_WIRE_READY, 0, NULL, err) : st;
}

static whet_status serve(struct worker *w, whet_err *err)
{
    for (;;) {
        whet_wire record;
        uint64_t elapsed_ns = 0;
        whet_err why = {0};

        if (whet_judge__receive(WHET_WORKER_SOCKET_FD, &record, sizeof record,
                                0, err) != WHET_OK)
            return WHET_OK; /* the supervisor is gone: so are we */
        if (record.magic != WHET_WIRE_MAGIC || record.type != WHET_WIRE_RUN ||
            record.slot >= w->job->layout.slot_count)
            return whet_err_set(err, WHET_EINVAL, "unknown request");
        if (w->ops->worker_run(w->ctx, record.slot, &elapsed_ns, &why) ==
            WHET_OK)
            say(WHET_WIRE_DONE, elapsed_ns, NULL, NULL);
        else
            say(WHET_WIRE_FAIL, 0, &why, NULL);
    }
}

int whet_worker_main(int argc, char **argv)
{
    struct worker w = {0};
    whet_err err = {0};
    whet_status st = start(&w, &err);

    (void)argc;
    (void)argv;
    if (st == WHET_OK)
        st = serve(&w, &err);
    if (st != WHET_OK)
        say(WHET_WIRE_FAIL, 0, &err, NULL);
    /* No orderly teardown: the driver may be in hostile hands by now. */
    _exit(st == WHET_OK ? 0 : 3);
}
