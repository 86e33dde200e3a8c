#ifndef WHET_DEVICE_RECORDING_PRIV_H
#define WHET_DEVICE_RECORDING_PRIV_H

/* A recording as read: compact, sorted by candidate, owned by one arena.
 *
 * File (one JSON document, at most WHET_RECORDING_BYTES_MAX):
 *   {"whet_recording": 1,
 *    "device": {facts of the device that was measured},
 *    "task": name, "task_hash": 64 hex, "seed": N, "epoch_ns": N,
 *    "entries": [
 *      {"candidate": 64 hex, "point": text,
 *       "build": {"accepted": bool, "build_ns": N,
 *                 "diagnostic": {"kind": "error", "line": N, "column": N,
 *                                "text": text}},
 *       "workloads": {"M=8 N=8": {"times_ns": [N, ...], "is_correct": bool,
 *                                 "reason": ""}},
 *       "hidden_ok": true|false|null, "hidden_reason": "mismatch"}]}
 *
 * Members of the device, "epoch_ns", "diagnostic", "workloads", "reason",
 * "hidden_ok" and "hidden_reason" are optional; unknown members are refused. */

#include "device/replay_priv.h"

enum {
    WHET_RECORDING_WORKLOAD_MAX = 256, /**< Per candidate. */
    WHET_RECORDING_TIME_MAX = 1 << 20, /**< Per workload. */
    WHET_RECORDING_POINT_BYTES_MAX = 4095,
    /** JSON values in a file: bounds the memory that reading takes, which is
     *  far more than the bytes of the text when values are short. */
    WHET_RECORDING_VALUE_MAX = 8 << 20
};

typedef enum whet_recording_hidden {
    WHET_RECORDING_HIDDEN_UNKNOWN = 0,
    WHET_RECORDING_HIDDEN_OK,
    WHET_RECORDING_HIDDEN_WRONG
} whet_recording_hidden;

typedef struct whet_recording_workload {
    const char *text;
    const char *reason; /**< "" if correct. */
    const uint64_t *times_ns;
    size_t time_count; /**< Not 0 if correct. */
    bool is_correct;
} whet_recording_workload;

typedef struct whet_recording_entry {
    whet_hash candidate;
    bool is_accepted;
    uint64_t build_ns;
    uint32_t kind; /**< whet_diagnostic_kind. */
    uint32_t line, column;
    const char *text; /**< Of the diagnostic, escaped; never NULL. */
    whet_recording_hidden hidden;
    const char *hidden_reason; /**< Never NULL. */
    whet_recording_workload *workloads;
    size_t workload_count;
} whet_recording_entry;

typedef struct whet_recording_data {
    whet_arena *arena;
    whet_device_facts facts; /**< As recorded. */
    char task[WHET_NAME_BYTES];
    whet_hash task_hash;
    uint64_t seed, epoch_ns;
    whet_recording_entry *entries; /**< Sorted by candidate, no duplicates. */
    size_t entry_count;
} whet_recording_data;

/** Word of a diagnostic kind: "none", "error", "timeout", "crash", "limit". */
const char *whet_recording__kind_name(uint32_t kind);

/**
 * Parse a recording.
 *
 * @return WHET_EINVAL as "WHERE:LINE:COLUMN: ..." or "WHERE: entries[3]: ..."
 */
whet_status whet_recording__parse(whet_recording_data **out, const char *text,
                                  size_t bytes, const char *where,
                                  whet_err *err);

/** Free it. NULL is fine. */
void whet_recording__free(whet_recording_data *data);

/** By hash, or NULL. */
const whet_recording_entry *
whet_recording__find(const whet_recording_data *data,
                     const whet_hash *candidate);

#endif /* WHET_DEVICE_RECORDING_PRIV_H */
