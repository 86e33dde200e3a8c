/* Devices with memory of their own: stages, copies, calls timed by the device.
 *
 * A stage is a memory file with room for one slot, shared by the verifier and
 * the worker of one arm. The verifier writes inputs, poison and guards into
 * it, the worker copies it to a slot of the device, runs the plan, copies back
 * what is looked at, and the verifier does so in place. Nothing else writes it:
 * device code has ended by then, and the copy back covers every byte that
 * counts. Poison is made on the device; of large inputs each call brings back
 * a part that the key decides. */

#include "judge/judge_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A slot of a few GiB through the slowest link takes seconds. */
static const uint64_t copy_timeout_ns = 120000000000u;
/* For the work in front of a call (see worker.c), which is not the call's. */
static const uint64_t settle_allowance_ns = 1000000000u;
/* Where the device does not tell the size of its last-level cache. */
static const uint64_t unknown_flush_bytes = (uint64_t)256 << 20;

bool whet_judge__has_stage(const whet_judge *judge)
{
    return (judge->ops->caps & WHET_DEVICE_CAP_LIVE) &&
           !(judge->ops->caps & WHET_DEVICE_CAP_NATIVE);
}

bool whet_judge__is_exclusive(const whet_judge *judge)
{
    return whet_judge__has_stage(judge) &&
           judge->opts.device->facts.is_exclusive == WHET_KNOWN_YES;
}

uint64_t whet_judge__room_bytes(const whet_judge *judge)
{
    uint64_t bytes = judge->opts.device->facts.limits.memory_bytes;

    return bytes / (whet_judge__has_stage(judge) ? 3 : 2);
}

uint64_t whet_judge__flush_bytes(const whet_judge *judge)
{
    uint64_t cache = judge->opts.device->facts.llc_bytes;

    if (!whet_judge__has_stage(judge))
        return 0;
    return cache > 0 ? 2 * cache : unknown_flush_bytes;
}

whet_status whet_judge__stages_open(whet_judge *judge, whet_err *err)
{
    unsigned i;

    if (!whet_judge__has_stage(judge))
        return WHET_OK;
    for (i = 0; i < WHET_ARM_COUNT; i++) {
        int fd = memfd_create("whet-stage", MFD_CLOEXEC);

        if (fd < 0)
            return whet_err_errno(err, errno, "stage");
        /* Never one of the standard three: 0 means none. */
        judge->stage_fd[i] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        close(fd);
        if (judge->stage_fd[i] < 0) {
            judge->stage_fd[i] = 0;
            return whet_err_errno(err, errno, "stage");
        }
    }
    return WHET_OK;
}

void whet_judge__stages_close(whet_judge *judge)
{
    unsigned i;

    for (i = 0; i < WHET_ARM_COUNT; i++) {
        if (judge->stage_fd[i] > 0)
            close(judge->stage_fd[i]);
        judge->stage_fd[i] = 0;
        judge->stage_bytes[i] = 0;
    }
}

/* It never shrinks: the verifier may have it mapped. */
whet_status whet_judge__stage_reserve(whet_judge *judge, unsigned index,
                                      uint64_t bytes, whet_err *err)
{
    if (bytes <= judge->stage_bytes[index])
        return WHET_OK;
    if (ftruncate(judge->stage_fd[index], (off_t)bytes) != 0)
        return whet_err_errno(err, errno, "stage of %llu bytes",
                              (unsigned long long)bytes);
    judge->stage_bytes[index] = bytes;
    return WHET_OK;
}

/* One request and its answer. */
static whet_status ask(whet_wire *record, const whet_worker *worker,
                       uint32_t type, uint32_t slot, uint64_t a,
                       uint64_t timeout_ns)
{
    whet_status st;

    *record = (whet_wire){
        .magic = WHET_WIRE_MAGIC, .type = type, .slot = slot, .a = a};
    st = whet_judge__send(worker->fd, record, sizeof *record, NULL);
    if (st == WHET_OK)
        st = whet_judge__receive(worker->fd, record, sizeof *record, timeout_ns,
                                 NULL);
    record->text[sizeof record->text - 1] = '\0';
    return st;
}

whet_status whet_judge__copy(whet_call *out, whet_judge *judge,
                             whet_worker *worker, uint32_t slot,
                             whet_wire_type type, uint64_t seed, whet_err *err)
{
    uint64_t begin_ns = whet_clock_now(&judge->clock);
    whet_wire record;
    whet_status st = ask(&record, worker, type, slot, seed, copy_timeout_ns);

    judge->copy_ns += whet_clock_now(&judge->clock) - begin_ns;
    whet_judge__classify(out, st, &record);
    if (out->reason == WHET_REASON_NONE)
        return WHET_OK;
    st = worker->filled_mask == 0
             ? whet_err_set(err, WHET_EFAIL,
                            "the device does not take its first inputs: %s",
                            out->text)
             : WHET_OK; /* what the candidate ran before broke the context */
    whet_judge__worker_stop(worker);
    return st;
}

whet_status whet_judge__device_call(whet_call *out, whet_judge *judge,
                                    whet_worker *worker, uint32_t slot,
                                    whet_err *err)
{
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns = whet_clock_now(&clock), span_ns;
    whet_wire record;
    whet_status st = ask(&record, worker, WHET_WIRE_RUN, slot, 0,
                         judge->call_timeout_ns + settle_allowance_ns);

    span_ns = whet_clock_now(&clock) - begin_ns;
    memset(out, 0, sizeof *out);
    judge->device_ns += span_ns;
    worker->filled_mask |= 1u << slot;
    worker->last_slot = slot;
    whet_judge__classify(out, st, &record);
    if (out->reason != WHET_REASON_NONE) {
        whet_judge__worker_stop(worker);
        return WHET_OK;
    }
    out->elapsed_ns = record.a;
    out->overhead_ns = span_ns - record.a;
    if (record.a > 0 && record.a <= span_ns)
        return WHET_OK;
    whet_judge__worker_stop(worker);
    return whet_err_set(err, WHET_EFAIL,
                        "the device's events give %llu ns for a call that took "
                        "%llu ns from request to answer: expected 1 ns up to "
                        "that",
                        (unsigned long long)record.a,
                        (unsigned long long)span_ns);
}

whet_status whet_judge__finish(whet_call *out, whet_judge *judge,
                               whet_worker *worker, unsigned index,
                               whet_err *err)
{
    whet_status st = WHET_OK;
    uint32_t slot;

    memset(out, 0, sizeof *out);
    if (!worker->is_running || !whet_judge__has_stage(judge))
        return WHET_OK;
    for (slot = 0; st == WHET_OK && out->reason == WHET_REASON_NONE &&
                   slot < worker->layout.slot_count;
         slot++) {
        whet_verify_request request = {
            .type = WHET_VERIFY_GUARDS, .arm = index, .slot = slot};
        whet_verify_answer answer;

        /* After the last call nothing ran that could have strayed. */
        if (!(worker->filled_mask & 1u << slot) || slot == worker->last_slot)
            continue;
        st = whet_judge__copy(out, judge, worker, slot, WHET_WIRE_GUARDS, 0,
                              err);
        if (st != WHET_OK || out->reason != WHET_REASON_NONE)
            break;
        st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
        if (st == WHET_OK)
            whet_judge__blame_guard(out, (whet_reason)answer.arm[index].reason);
    }
    return st;
}
