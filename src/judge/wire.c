/* Records between the judge's processes, and the carving of a worker's memory
 * into slots of guarded buffers. */

#include "judge/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOT_ALIGN_BYTES = 2 << 20, GUARD_PAGES_MAX = 4 };

static const uint64_t REGION_BYTES_MAX = (uint64_t)1 << 46;

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

whet_status whet_judge__layout(whet_layout *out, const whet_bound_plan *plan,
                               uint64_t pool_bytes, uint64_t max_bytes,
                               const whet_key *key, whet_err *err)
{
    uint64_t seed = (uint64_t)key->word[0] << 32 | key->word[1];
    uint64_t offset = 0;
    whet_rng rng;
    uint32_t i;

    memset(out, 0, sizeof *out);
    if (max_bytes > REGION_BYTES_MAX) /* no sum below can overflow */
        max_bytes = REGION_BYTES_MAX;
    whet_rng_init(&rng, seed, key->word[2], "judge.guard");
    out->buffer_count = plan->buffer_count;
    for (i = 0; i < plan->buffer_count; i++) {
        whet_layout_buffer *b = &out->buffers[i];

        if (plan->buffers[i].bytes > max_bytes)
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "buffer %u asks for %llu bytes, there are %llu",
                                i, (unsigned long long)plan->buffers[i].bytes,
                                (unsigned long long)max_bytes);
        b->bytes = plan->buffers[i].bytes;
        b->kind = plan->buffers[i].kind;
        b->dtype = plan->buffers[i].dtype;
        b->guard_before =
            WHET_PAGE_BYTES * (1 + whet_rng_below(&rng, GUARD_PAGES_MAX));
        b->offset = offset + b->guard_before;
        offset = round_up(b->offset + b->bytes, WHET_PAGE_BYTES) +
                 WHET_PAGE_BYTES * (1 + whet_rng_below(&rng, GUARD_PAGES_MAX));
        b->guard_after = offset - b->offset - b->bytes;
    }
    out->slot_bytes = round_up(offset, SLOT_ALIGN_BYTES);
    /* What is left of the slot is guard too: a write that strays further than
     * a few pages is to be seen as well. */
    if (out->buffer_count > 0)
        out->buffers[out->buffer_count - 1].guard_after +=
            out->slot_bytes - offset;
    out->slot_count = 2;
    while (out->slot_count < WHET_SLOT_MAX &&
           out->slot_count * out->slot_bytes < pool_bytes)
        out->slot_count++;
    while (out->slot_count > 2 && out->slot_count * out->slot_bytes > max_bytes)
        out->slot_count--;
    if (out->slot_count * out->slot_bytes > max_bytes)
        return whet_err_set(
            err, WHET_EUNSUPPORTED,
            "two sets of buffers take %llu bytes, there are %llu",
            (unsigned long long)(2 * out->slot_bytes),
            (unsigned long long)max_bytes);
    return WHET_OK;
}

whet_status whet_judge__layout_check(const whet_layout *layout,
                                     const whet_bound_plan *plan, whet_err *err)
{
    uint32_t i;

    if (layout->buffer_count != plan->buffer_count ||
        layout->buffer_count > WHET_BUFFER_MAX || layout->slot_count == 0 ||
        layout->slot_count > WHET_SLOT_MAX ||
        layout->slot_bytes > REGION_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL, "job: counts out of range");
    for (i = 0; i < layout->buffer_count; i++) {
        const whet_layout_buffer *b = &layout->buffers[i];

        if (b->offset > layout->slot_bytes ||
            b->bytes != plan->buffers[i].bytes ||
            b->bytes > layout->slot_bytes - b->offset)
            return whet_err_set(err, WHET_EINVAL, "job: buffer %u out of range",
                                i);
    }
    return WHET_OK;
}

/* Plain read and write: the only socket calls that a sealed worker may make.
 * The supervisor ignores SIGPIPE (whet_judge_open). */
whet_status whet_judge__send(int fd, const void *record, size_t bytes,
                             whet_err *err)
{
    const char *at = record;

    while (bytes > 0) {
        ssize_t n = write(fd, at, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return whet_err_errno(err, errno, "peer does not take records");
        at += n;
        bytes -= (size_t)n;
    }
    return WHET_OK;
}

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Wait until the descriptor is readable; WHET_ETIMEOUT after the deadline. */
static whet_status wait_readable(int fd, uint64_t deadline_ns, whet_err *err)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        uint64_t now = now_ns();
        int n;

        if (now >= deadline_ns)
            return whet_err_set(err, WHET_ETIMEOUT,
                                "no answer before the deadline");
        n = poll(&p, 1, (int)((deadline_ns - now) / 1000000u) + 1);
        if (n > 0)
            return WHET_OK;
        if (n < 0 && errno != EINTR)
            return whet_err_errno(err, errno, "poll");
    }
}

whet_status whet_judge__receive(int fd, void *record, size_t bytes,
                                uint64_t timeout_ns, whet_err *err)
{
    uint64_t deadline_ns = timeout_ns ? now_ns() + timeout_ns : 0;
    char *at = record;

    memset(record, 0, bytes);
    while (bytes > 0) {
        ssize_t n;

        if (deadline_ns != 0) {
            whet_status st = wait_readable(fd, deadline_ns, err);

            if (st != WHET_OK)
                return st;
        }
        n = read(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return whet_err_set(err, WHET_EFAIL, "peer is gone");
        at += n;
        bytes -= (size_t)n;
    }
    return WHET_OK;
}
