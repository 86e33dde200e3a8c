#ifndef WHET_JUDGE_WIRE_H
#define WHET_JUDGE_WIRE_H

/* Private to the judge: what travels between supervisor, worker and verifier.
 * Everything is a fixed-size record; what comes from a worker is hostile. */

#include "candidate/candidate.h"
#include "judge/judge.h"

enum {
    WHET_SLOT_MAX = 8,
    WHET_WIRE_MAGIC = 0x57485431, /* "WHT1" */
    WHET_JOB_MAGIC = 0x57484a31,
    WHET_WORKER_SOCKET_FD = 3, /**< In the worker. */
    WHET_WORKER_JOB_FD = 4,
    WHET_WORKER_STAGE_FD = 7, /**< Where the device has memory of its own. */
    WHET_PAGE_BYTES = 4096
};

/** Place of one buffer inside a slot: guard, data, guard. */
typedef struct whet_layout_buffer {
    uint64_t offset; /**< Of the data from the slot's start; page-aligned. */
    uint64_t bytes;
    uint64_t guard_before; /**< Bytes of guard in front of the data. */
    uint64_t guard_after;  /**< Bytes of guard behind it. */
    uint32_t kind;         /**< WHET_BUFFER_IN, _OUT, _WORKSPACE. */
    uint32_t dtype;
} whet_layout_buffer;

/** How a worker's region is carved. */
typedef struct whet_layout {
    uint32_t buffer_count;
    uint32_t slot_count;
    uint64_t slot_bytes;
    whet_layout_buffer buffers[WHET_BUFFER_MAX];
} whet_layout;

/**
 * Carve slots for a plan. Guard sizes are random multiples of a page, so that
 * data stays page-aligned and both arms of a pair meet the same cache sets.
 *
 * @param pool_bytes  rotate over enough slots to exceed this, within
 *                    [2, WHET_SLOT_MAX]
 * @param max_bytes   region limit; WHET_EUNSUPPORTED if two slots exceed it
 */
whet_status whet_judge__layout(whet_layout *out, const whet_bound_plan *plan,
                               uint64_t pool_bytes, uint64_t max_bytes,
                               const whet_key *key, whet_err *err);

/** Check a layout read from a job. */
whet_status whet_judge__layout_check(const whet_layout *layout,
                                     const whet_bound_plan *plan,
                                     whet_err *err);

typedef enum whet_wire_type {
    WHET_WIRE_HELLO = 1, /**< worker: region is there; a = base address. Sent
                              before any candidate byte is loaded. */
    WHET_WIRE_READY,     /**< worker: image loaded, every slot prepared. */
    WHET_WIRE_RUN,       /**< supervisor: run the plan of `slot`. */
    WHET_WIRE_DONE,      /**< worker: what was asked is done; of RUN, a = time
                              by the device's events in nanoseconds (0 on
                              native devices). */
    WHET_WIRE_FAIL,      /**< worker: `status` and `text`. */
    /* Only where the device has memory of its own. */
    WHET_WIRE_UPLOAD,   /**< supervisor: copy inputs and guards of the stage
                             into `slot`, fill its outputs and workspace with
                             poison; a = seed of whet_judge__poison_word. */
    WHET_WIRE_DOWNLOAD, /**< supervisor: copy guards, outputs and inputs of
                             `slot` into the stage, of inputs only what
                             whet_judge__is_looked_at with seed a says. */
    WHET_WIRE_GUARDS    /**< supervisor: copy the guards of `slot` alone. */
} whet_wire_type;

enum { WHET_LOOK_BYTES = 4 << 20 /**< Chunk of an input. */ };

/** Seeds for the two below. Neither gives a key away: 64 bits of 128. */
uint64_t whet_judge__poison_seed(const whet_key *key);
uint64_t whet_judge__look_seed(const whet_key *key);

/** What a buffer is poisoned with: as two bytes twice, as four, or as either
 *  half of eight, a NaN of its dtype. */
uint32_t whet_judge__poison_word(uint64_t seed, uint32_t dtype,
                                 uint32_t buffer);

/** Is chunk number `chunk` (of WHET_LOOK_BYTES) of an input compared after a
 *  call? Which ones is decided by the key, and told after the call. */
bool whet_judge__is_looked_at(const whet_layout *layout, uint64_t seed,
                              uint32_t buffer, uint64_t chunk);

/** Record between supervisor and worker. */
typedef struct whet_wire {
    uint32_t magic;
    uint32_t type;
    uint32_t slot;
    int32_t status; /**< whet_status of a failure. */
    uint64_t a;
    char text[232]; /**< NUL-terminated by whoever reads. */
} whet_wire;

/** Head of the job file that a worker reads; the image follows. */
typedef struct whet_job {
    uint32_t magic;
    uint32_t device_index;
    char device[32];    /**< Back-end name. */
    uint32_t is_sealed; /**< Install the seccomp filter. */
    uint32_t pad;
    uint64_t image_bytes;
    whet_layout layout;
    whet_bound_plan plan;
    whet_library_call library; /**< Op 0 = none: the plan is run. */
    uint64_t flush_bytes; /**< Foreign data to leave in the caches before each
                               call; where the device has memory of its own. */
} whet_job;

/**
 * Send one record; handles short writes and EINTR.
 * @return WHET_EFAIL when the peer is gone
 */
whet_status whet_judge__send(int fd, const void *record, size_t bytes,
                             whet_err *err);

/**
 * Receive one record.
 *
 * @param timeout_ns  0 = wait for ever
 * @return WHET_ETIMEOUT; WHET_EFAIL when the peer is gone
 */
whet_status whet_judge__receive(int fd, void *record, size_t bytes,
                                uint64_t timeout_ns, whet_err *err);

/** Finds a back-end by name: whet_device_find, or a test's. */
typedef const whet_device_ops *(*whet_judge__find)(const char *name);

/** Body of the worker with back-ends found by `find`. Does not return. */
void whet_judge__worker_main(whet_judge__find find);

#endif /* WHET_JUDGE_WIRE_H */
