#ifndef WHET_LEDGER_H
#define WHET_LEDGER_H

/* The ledger: one SQLite file in which everything that happens is appended as
 * an event; large texts are content-addressed blobs. Candidates, verdicts and
 * champions are views. Nothing is ever changed or deleted, which triggers
 * enforce. kill -9 at any moment loses at most the event being written.
 *
 * WAL journal where the file system allows it; on network file systems (NFS,
 * Lustre, CIFS, ...), where WAL does not work, a rollback journal with full
 * sync. STRICT tables, foreign keys, user_version migrations.
 *
 * Kinds of events and their data are listed in docs/ledger.md. `subject` is
 * the candidate's hash, or "" for events of a run. */

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WHET_LEDGER_VERSION = 1 };

typedef struct whet_ledger whet_ledger;

typedef enum whet_ledger_mode {
    WHET_LEDGER_READ = 0, /**< Must exist. */
    WHET_LEDGER_WRITE,    /**< Must exist. */
    WHET_LEDGER_CREATE    /**< Created if absent. */
} whet_ledger_mode;

/**
 * Open a ledger.
 *
 * @param clock  stamps events (wall time); copied; NULL = the system's
 * @return WHET_ENOTFOUND; WHET_EINVAL: not a ledger, corrupt, or of a newer
 *         version ("written by a newer whet (version 3, this one reads 1)");
 *         WHET_EFAIL: read-only, disk full, locked by another run
 *
 * A writer holds an advisory lock for its life (PATH.lock): a second writer is
 * refused with WHET_EFAIL naming the holder's pid. One thread at a time uses a
 * ledger.
 */
whet_status whet_ledger_open(whet_ledger **out, const char *path,
                             whet_ledger_mode mode, const whet_clock *clock,
                             whet_err *err);

/** Close. NULL is fine. */
void whet_ledger_close(whet_ledger *ledger);

/** Group several appends into one atomic commit. May not nest. */
whet_status whet_ledger_begin(whet_ledger *ledger, whet_err *err);
/** Commit the group. On failure it is dropped whole. */
whet_status whet_ledger_commit(whet_ledger *ledger, whet_err *err);
/** Drop the group. */
void whet_ledger_rollback(whet_ledger *ledger);

/**
 * Append one event (its own commit unless inside a group).
 *
 * @param run  at most 63 printable ASCII characters; "" outside of runs
 * @param kind  1 to 63 of a-z, 0-9, _
 * @param subject  64 lower-case hex digits or ""
 * @param data  object, at most 64 MiB as text; a reference is not kept
 * @param seq_out  may be NULL
 * @return WHET_EINVAL if one of them is not so, or if a second "screened" or
 * "confirmed" event of the same subject would be written in one run (a unique
 * index forbids it)
 */
whet_status whet_ledger_append(int64_t *seq_out, whet_ledger *ledger,
                               const char *run, const char *kind,
                               const char *subject, const json_t *data,
                               whet_err *err);

/** Store bytes (at most 64 MiB, else WHET_EINVAL) under their SHA-256; storing
 *  them again is fine. */
whet_status whet_ledger_put_blob(whet_hash *hash_out, whet_ledger *ledger,
                                 const void *data, size_t bytes, whet_err *err);

/** Fetch a blob, checking its hash. Appends to `out`. WHET_ENOTFOUND;
 *  WHET_EINVAL if the stored bytes do not match their hash. */
whet_status whet_ledger_get_blob(whet_buf *out, whet_ledger *ledger,
                                 const char *hash, whet_err *err);

/** One event as handed to a reader. Borrowed for the call. */
typedef struct whet_event {
    int64_t seq;
    uint64_t wall_ns;
    const char *run;
    const char *kind;
    const char *subject;
    const json_t *data;
} whet_event;

/** @return false to stop */
typedef bool (*whet_event_fn)(const whet_event *event, void *payload);

/** Which events; zero = all. */
typedef struct whet_event_query {
    const char *run;
    const char *kind;
    const char *subject;
    int64_t after_seq;
    bool newest_first;
    uint64_t limit; /**< 0 = no limit. */
} whet_event_query;

/** Call `fn` for each matching event in order; `query` NULL = all. WHET_EINVAL
 *  if a stored event is not what whet_ledger_append would have written. `fn`
 *  may read the ledger but must not append to it. */
whet_status whet_ledger_each(whet_ledger *ledger, const whet_event_query *query,
                             whet_event_fn fn, void *payload, whet_err *err);

/**
 * Full subject (candidate hash) from a prefix of at least 4 hex digits.
 *
 * @return WHET_ENOTFOUND; WHET_EINVAL when several match
 */
whet_status whet_ledger_resolve(char out[WHET_HASH_TEXT_BYTES],
                                whet_ledger *ledger, const char *prefix,
                                whet_err *err);

/** Id of the run with the newest "run_started" event, "" if there is none. */
whet_status whet_ledger_last_run(char out[64], whet_ledger *ledger,
                                 whet_err *err);

/** Write the whole ledger as JSON lines: a header line, then blobs in hash
 *  order, then events in order. Same content, same bytes. */
whet_status whet_ledger_export(whet_ledger *ledger, FILE *to, whet_err *err);

/** The journal mode in use: "wal" or "delete" (for doctor and log). */
const char *whet_ledger_journal(const whet_ledger *ledger);

#ifdef __cplusplus
}
#endif

#endif /* WHET_LEDGER_H */
