#ifndef WHET_LEDGER_PRIV_H
#define WHET_LEDGER_PRIV_H

/* Shared inside the ledger room. Files: ledger.c opens, closes and groups;
 * schema.c knows the tables; journal.c chooses the journal; lock.c keeps
 * second writers out; events.c, blobs.c and export.c move content. */

#include "ledger/ledger.h"

#include <sqlite3.h>

/** "Whet" in the header of the file: tells ledgers from other SQLite files. */
enum { WHET_LEDGER_APPLICATION_ID = 0x57686574 };

/** Longest text or blob that is stored or read. */
enum { WHET_LEDGER_VALUE_BYTES_MAX = 64 << 20 };

struct whet_ledger {
    sqlite3 *db;
    sqlite3_stmt *insert_event; /**< Prepared at the first append. */
    sqlite3_stmt *insert_blob;
    char *path;      /**< Absolute, links resolved. */
    char *lock_path; /**< NULL for readers. */
    int lock_fd;     /**< -1 while not locked. */
    whet_clock clock;
    whet_ledger_mode mode;
    bool in_group;
    bool is_wal;
    bool is_network; /**< WAL cannot work where the file lies. */
};

/**
 * Tell a failed SQLite call: "PATH: WHAT: reason".
 *
 * @return WHET_EINVAL for what only the file's content can cause, WHET_ENOMEM,
 *         WHET_EFAIL for the rest (disk full, read-only, locked)
 */
whet_status whet_ledger__fail(const whet_ledger *ledger, int rc,
                              const char *what, whet_err *err);

/** Run statements that give no rows. `what` names the step in messages. */
whet_status whet_ledger__exec(whet_ledger *ledger, const char *sql,
                              const char *what, whet_err *err);

/** First column of the first row as an integer; 0 if there is no row. */
whet_status whet_ledger__query_int(int64_t *out, whet_ledger *ledger,
                                   const char *sql, whet_err *err);

/** Prepare a statement that the caller finalizes. */
whet_status whet_ledger__prepare(sqlite3_stmt **out, whet_ledger *ledger,
                                 const char *sql, whet_err *err);

/** May something be written now? WHET_EFAIL for a reader, and inside a group
 *  that SQLite had to roll back (else its rest would commit alone). */
whet_status whet_ledger__check_writable(whet_ledger *ledger, whet_err *err);

/** As whet_ledger_open on a file system of the given kind (statfs f_type);
 *  NULL asks the system. */
whet_status whet_ledger__open_on(whet_ledger **out, const char *path,
                                 whet_ledger_mode mode, const whet_clock *clock,
                                 const uint32_t *fs_magic, whet_err *err);

/* ---- journal.c ---- */

/** Name of a network file system, where WAL does not work, or NULL. */
const char *whet_ledger__network_fs(uint32_t magic);

/** Fill in ledger->is_network from where ledger->path lies. */
whet_status whet_ledger__find_fs(whet_ledger *ledger, const uint32_t *fs_magic,
                                 whet_err *err);

/** Refuse a rollback journal that names a super-journal (WHET_EINVAL). A
 *  ledger's never does, and SQLite would remove the file that it names. */
whet_status whet_ledger__check_hot_journal(whet_ledger *ledger, whet_err *err);

/** Choose the journal of a writer and the sync level. */
whet_status whet_ledger__start_journal(whet_ledger *ledger, whet_err *err);

/** Fill in ledger->is_wal from what is in use. */
whet_status whet_ledger__read_journal(whet_ledger *ledger, whet_err *err);

/** Fold a writer's WAL into the file, so that at rest it is one file. Best
 *  effort: a reader that is still there leaves it in WAL mode. */
void whet_ledger__end_journal(whet_ledger *ledger);

/* ---- lock.c ---- */

/** Take the writer's lock, PATH.lock. WHET_EFAIL names the holder's pid. */
whet_status whet_ledger__lock(whet_ledger *ledger, whet_err *err);

/** Remove and release the lock if it is held. */
void whet_ledger__unlock(whet_ledger *ledger);

/* ---- blobs.c ---- */

/** Does the row (hash, bytes) hold the bytes that its hash names? WHET_EINVAL
 *  if not. */
whet_status whet_ledger__check_blob(whet_ledger *ledger, sqlite3_stmt *stmt,
                                    whet_err *err);

/* ---- schema.c ---- */

/** Bring the file from `version` to WHET_LEDGER_VERSION in one commit. */
whet_status whet_ledger__migrate(whet_ledger *ledger, int version,
                                 whet_err *err);

/** Refuse a file whose tables, views, triggers and indices are not, letter by
 *  letter, those of `version`: WHET_EINVAL. */
whet_status whet_ledger__check_schema(whet_ledger *ledger, int version,
                                      whet_err *err);

#endif /* WHET_LEDGER_PRIV_H */
