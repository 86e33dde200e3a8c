/* Opening, closing and grouping. A ledger is a file from outside: nothing of
 * it is used before its header, its version and its schema were checked, and
 * SQLite is told to distrust it. */

#include "ledger/ledger_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 100, BUSY_TIMEOUT_MS = 5000 };

/* ---- errors ---- */

typedef struct reason_row {
    int rc; /* primary code */
    whet_status status;
    const char *text; /* NULL: SQLite's own words */
} reason_row;

static const reason_row reasons[] = {
    {SQLITE_NOMEM, WHET_ENOMEM, "out of memory"},
    {SQLITE_FULL, WHET_EFAIL, "the disk is full"},
    {SQLITE_READONLY, WHET_EFAIL, "read-only"},
    {SQLITE_PERM, WHET_EFAIL, "permission denied"},
    {SQLITE_BUSY, WHET_EFAIL, "locked by another process"},
    {SQLITE_LOCKED, WHET_EFAIL, "locked"},
    {SQLITE_CANTOPEN, WHET_EFAIL, "cannot be opened"},
    {SQLITE_NOTADB, WHET_EINVAL, "not a ledger"},
    {SQLITE_CORRUPT, WHET_EINVAL, "the file is corrupt"},
    {SQLITE_TOOBIG, WHET_EINVAL, "a value is longer than 64 MiB"},
    {SQLITE_CONSTRAINT, WHET_EINVAL, NULL},
    {SQLITE_MISMATCH, WHET_EINVAL, NULL},
    {SQLITE_ERROR, WHET_EINVAL, NULL},
    {SQLITE_SCHEMA, WHET_EINVAL, NULL},
};

whet_status whet_ledger__fail(const whet_ledger *ledger, int rc,
                              const char *what, whet_err *err)
{
    const int primary = rc & 0xff;
    const char *text = NULL;
    whet_status st = WHET_EFAIL;
    size_t i;

    for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].rc == primary) {
            st = reasons[i].status;
            text = reasons[i].text;
        }
    if (rc == SQLITE_IOERR_NOMEM) {
        st = WHET_ENOMEM;
        text = "out of memory";
    } else if (primary == SQLITE_IOERR) {
        int code = sqlite3_system_errno(ledger->db);

        /* By now SQLite has undone the change and lost the system's reason
         * for a write; it gives SQLITE_FULL for a full disk itself. */
        if (rc == SQLITE_IOERR_WRITE)
            text = "cannot be written: quota or file size limit reached, or "
                   "the disk fails";
        else if (code != 0)
            return whet_err_errno(err, code, "%s: %s", ledger->path, what);
    } else if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY)
        text = "a run on it was killed and its journal cannot be undone here";
    else if (primary == SQLITE_CANTOPEN && ledger->mode == WHET_LEDGER_READ)
        text = "a run on it is going or was killed, and its folder cannot be "
               "written: copy it with its -wal file to one that can";
    return whet_err_set(err, st, "%s: %s: %s", ledger->path, what,
                        text != NULL ? text : sqlite3_errmsg(ledger->db));
}

/* ---- small statements ---- */

whet_status whet_ledger__exec(whet_ledger *ledger, const char *sql,
                              const char *what, whet_err *err)
{
    int rc = sqlite3_exec(ledger->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK
               ? WHET_OK
               : whet_ledger__fail(ledger, sqlite3_extended_errcode(ledger->db),
                                   what, err);
}

whet_status whet_ledger__prepare(sqlite3_stmt **out, whet_ledger *ledger,
                                 const char *sql, whet_err *err)
{
    int rc = sqlite3_prepare_v2(ledger->db, sql, -1, out, NULL);

    return rc == SQLITE_OK ? WHET_OK
                           : whet_ledger__fail(ledger, rc, "reading", err);
}

whet_status whet_ledger__query_int(int64_t *out, whet_ledger *ledger,
                                   const char *sql, whet_err *err)
{
    sqlite3_stmt *stmt;
    whet_status st = whet_ledger__prepare(&stmt, ledger, sql, err);
    int rc;

    *out = 0;
    if (st != WHET_OK)
        return st;
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(stmt, 0);
    else if (rc != SQLITE_DONE)
        st = whet_ledger__fail(ledger, rc, "reading", err);
    sqlite3_finalize(stmt);
    return st;
}

/* ---- opening ---- */

/* Absolute, so that SQLite sees neither ":memory:" nor a URI in a file name,
 * and with links resolved, so that two names of a file share one lock. */
static whet_status resolve_path(whet_ledger *ledger, const char *path,
                                whet_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    struct stat info;
    char *dir = NULL, *real_dir = NULL;
    whet_status st = WHET_OK;

    ledger->path = realpath(path, NULL);
    if (ledger->path != NULL) {
        if (stat(ledger->path, &info) == 0 && !S_ISREG(info.st_mode))
            return whet_err_set(err, WHET_EINVAL,
                                "%s: expected a ledger, found a folder or a "
                                "special file",
                                path);
        return WHET_OK;
    }
    if (errno != ENOENT)
        return whet_err_errno(err, errno, "%s", path);
    if (ledger->mode != WHET_LEDGER_CREATE)
        return whet_err_set(err, WHET_ENOTFOUND, "%s: no such ledger", path);
    dir = slash == NULL ? whet_strdup(".")
                        : whet_asprintf("%.*s", (int)(name - path), path);
    real_dir = dir == NULL ? NULL : realpath(dir, NULL);
    if (dir != NULL && real_dir == NULL && errno == ENOENT)
        st = whet_err_set(err, WHET_ENOTFOUND, "%s: no such folder", dir);
    else if (dir != NULL && real_dir == NULL)
        st = whet_err_errno(err, errno, "%s", dir);
    else if (real_dir == NULL ||
             (ledger->path = whet_fs_join(real_dir, name)) == NULL)
        st = whet_err_set(err, WHET_ENOMEM, "out of memory");
    free(real_dir);
    free(dir);
    return st;
}

/* A writer must take the schema on trust from the start, since SQLite counts
 * json_valid, which our CHECKs use, among the functions that an untrusted
 * schema may not name. That trusts nobody: until whet_ledger__check_schema has
 * passed, only the schema table and pragmas are read, which runs no code of
 * the file, and after it the schema is ours. */
static void distrust(sqlite3 *db, bool is_writer)
{
    static const struct {
        int id, value;
    } limits[] = {
        /* A row holds one value of the greatest length and some more. */
        {SQLITE_LIMIT_LENGTH, WHET_LEDGER_VALUE_BYTES_MAX + (64 << 10)},
        {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
        {SQLITE_LIMIT_COLUMN, 64},
        {SQLITE_LIMIT_EXPR_DEPTH, 64},
        {SQLITE_LIMIT_COMPOUND_SELECT, 8},
        {SQLITE_LIMIT_FUNCTION_ARG, 16},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 16},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 4},
    };
    const struct {
        int id, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, is_writer},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 1},
    };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db, limits[i].id, limits[i].value);
    for (i = 0; i < sizeof settings / sizeof settings[0]; i++)
        sqlite3_db_config(db, settings[i].id, settings[i].value, NULL);
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
}

static whet_status check_version(whet_ledger *ledger, int64_t version,
                                 whet_err *err)
{
    if (version > WHET_LEDGER_VERSION)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: written by a newer whet (version %" PRId64
                            ", this one reads %d)",
                            ledger->path, version, (int)WHET_LEDGER_VERSION);
    if (version < 1)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: not a ledger: version %" PRId64
                            ", expected 1 to %d",
                            ledger->path, version, (int)WHET_LEDGER_VERSION);
    if (version < WHET_LEDGER_VERSION && ledger->mode == WHET_LEDGER_READ)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: written by an older whet (version %" PRId64
                            "): `whet resume` brings it to version %d",
                            ledger->path, version, (int)WHET_LEDGER_VERSION);
    return WHET_OK;
}

/* Refuses other files before SQLite looks for their journals and replays them.
 * The header is read through SQLite's own descriptor: closing another one
 * would drop the locks that this process holds on the file. */
static whet_status check_header(bool *is_empty, whet_ledger *ledger,
                                whet_err *err)
{
    unsigned char header[HEADER_BYTES] = {0};
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    int rc = sqlite3_file_control(ledger->db, "main", SQLITE_FCNTL_FILE_POINTER,
                                  &file);

    *is_empty = false;
    if (rc != SQLITE_OK || file == NULL || file->pMethods == NULL)
        return whet_err_set(err, WHET_EFAIL, "%s: cannot be opened",
                            ledger->path);
    rc = file->pMethods->xFileSize(file, &bytes);
    if (rc == SQLITE_OK && bytes >= HEADER_BYTES)
        rc = file->pMethods->xRead(file, header, HEADER_BYTES, 0);
    if (rc != SQLITE_OK)
        return whet_ledger__fail(ledger, rc, "reading", err);
    *is_empty = bytes == 0;
    if (bytes == 0 && ledger->mode == WHET_LEDGER_CREATE)
        return WHET_OK;
    if (bytes == 0)
        return whet_err_set(err, WHET_EINVAL, "%s: not a ledger: empty file",
                            ledger->path);
    if (memcmp(header, "SQLite format 3", 16) != 0)
        return whet_err_set(err, WHET_EINVAL, "%s: not a ledger", ledger->path);
    if (big_endian(header + 68) != WHET_LEDGER_APPLICATION_ID)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: not a ledger: an SQLite file of another "
                            "program",
                            ledger->path);
    /* Said before SQLite reads a schema that it may not understand. */
    return check_version(ledger, (int32_t)big_endian(header + 60), err);
}

/* Makes the tables of a new file; checks those of an old one. */
static whet_status settle_schema(whet_ledger *ledger, whet_err *err)
{
    int64_t pages = 0, version = 0;
    whet_status st =
        whet_ledger__query_int(&pages, ledger, "PRAGMA page_count", err);

    if (st != WHET_OK)
        return st;
    if (pages == 0 && ledger->mode != WHET_LEDGER_CREATE)
        return whet_err_set(err, WHET_EINVAL, "%s: not a ledger: empty file",
                            ledger->path);
    if (pages == 0)
        return whet_ledger__migrate(ledger, 0, err);
    st = whet_ledger__query_int(&version, ledger, "PRAGMA user_version", err);
    if (st == WHET_OK)
        st = check_version(ledger, version, err);
    if (st == WHET_OK)
        st = whet_ledger__check_schema(ledger, (int)version, err);
    if (st == WHET_OK && version < WHET_LEDGER_VERSION)
        st = whet_ledger__migrate(ledger, (int)version, err);
    return st;
}

static whet_status open_database(whet_ledger *ledger, whet_err *err)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int rc;

    flags |= ledger->mode == WHET_LEDGER_READ ? SQLITE_OPEN_READONLY
                                              : SQLITE_OPEN_READWRITE;
    if (ledger->mode == WHET_LEDGER_CREATE)
        flags |= SQLITE_OPEN_CREATE;
    rc = sqlite3_open_v2(ledger->path, &ledger->db, flags, NULL);
    if (ledger->db == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    if (rc != SQLITE_OK) {
        int code = sqlite3_system_errno(ledger->db);

        if ((rc & 0xff) == SQLITE_CANTOPEN && code != 0)
            return whet_err_errno(err, code, "%s: cannot be opened",
                                  ledger->path);
        return whet_ledger__fail(ledger, rc, "opening", err);
    }
    distrust(ledger->db, ledger->mode != WHET_LEDGER_READ);
    /* SQLite opens for reading what it may not write. */
    if (ledger->mode != WHET_LEDGER_READ &&
        sqlite3_db_readonly(ledger->db, "main") == 1)
        return whet_err_set(err, WHET_EFAIL, "%s: read-only", ledger->path);
    return WHET_OK;
}

static void remove_files(const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    size_t i;

    for (i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = whet_asprintf("%s%s", path, suffixes[i]);

        if (name != NULL)
            unlink(name);
        free(name);
    }
}

static whet_status open_locked(whet_ledger *ledger, const uint32_t *fs_magic,
                               bool was_absent, whet_err *err)
{
    bool is_empty;
    whet_status st = check_header(&is_empty, ledger, err);

    if (st == WHET_OK)
        st = whet_ledger__find_fs(ledger, fs_magic, err);
    if (st == WHET_OK && ledger->mode != WHET_LEDGER_READ)
        st = whet_ledger__check_hot_journal(ledger, err);
    if (st == WHET_OK)
        st = whet_ledger__exec(ledger, "PRAGMA cell_size_check=ON", "opening",
                               err);
    if (st == WHET_OK && ledger->is_network && ledger->mode != WHET_LEDGER_READ)
        st = whet_ledger__exec(ledger, "PRAGMA locking_mode=EXCLUSIVE",
                               "opening", err);
    if (st == WHET_OK)
        st = settle_schema(ledger, err);
    if (st == WHET_OK)
        st = ledger->mode == WHET_LEDGER_READ
                 ? whet_ledger__read_journal(ledger, err)
                 : whet_ledger__start_journal(ledger, err);
    /* Nothing half-made stays behind. Only who holds the lock may say so. */
    if (st != WHET_OK && is_empty && was_absent) {
        sqlite3_close(ledger->db);
        ledger->db = NULL;
        remove_files(ledger->path);
    }
    return st;
}

static whet_status open_once(whet_ledger **out, bool *is_hot, const char *path,
                             whet_ledger_mode mode, const whet_clock *clock,
                             const uint32_t *fs_magic, whet_err *err)
{
    whet_ledger *ledger = calloc(1, sizeof *ledger);
    bool was_absent, is_empty;
    whet_status st;

    *out = NULL;
    if (ledger == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    ledger->lock_fd = -1;
    ledger->mode = mode;
    ledger->clock = clock != NULL ? *clock : whet_clock_system();
    st = resolve_path(ledger, path, err);
    was_absent = st == WHET_OK && !whet_fs_exists(ledger->path);
    if (st == WHET_OK && was_absent)
        st = whet_ledger__lock(ledger, err);
    if (st == WHET_OK)
        st = open_database(ledger, err);
    /* Checked twice, so that no lock is left beside a file of others, and
     * what it says is still so once the lock is held. */
    if (st == WHET_OK)
        st = check_header(&is_empty, ledger, err);
    if (st == WHET_OK && mode != WHET_LEDGER_READ && !was_absent)
        st = whet_ledger__lock(ledger, err);
    if (st == WHET_OK)
        st = open_locked(ledger, fs_magic, was_absent, err);
    *is_hot = st != WHET_OK && ledger->db != NULL &&
              sqlite3_extended_errcode(ledger->db) == SQLITE_READONLY_ROLLBACK;
    if (st == WHET_OK)
        *out = ledger;
    else
        whet_ledger_close(ledger);
    return st;
}

whet_status whet_ledger__open_on(whet_ledger **out, const char *path,
                                 whet_ledger_mode mode, const whet_clock *clock,
                                 const uint32_t *fs_magic, whet_err *err)
{
    bool is_hot;
    whet_status st = open_once(out, &is_hot, path, mode, clock, fs_magic, err);

    /* A killed writer left a rollback journal, which a reader cannot undo. */
    if (!is_hot || mode != WHET_LEDGER_READ)
        return st;
    st = open_once(out, &is_hot, path, WHET_LEDGER_WRITE, clock, fs_magic, err);
    if (st != WHET_OK)
        return st;
    whet_ledger_close(*out);
    return open_once(out, &is_hot, path, mode, clock, fs_magic, err);
}

whet_status whet_ledger_open(whet_ledger **out, const char *path,
                             whet_ledger_mode mode, const whet_clock *clock,
                             whet_err *err)
{
    return whet_ledger__open_on(out, path, mode, clock, NULL, err);
}

void whet_ledger_close(whet_ledger *ledger)
{
    if (ledger == NULL)
        return;
    sqlite3_finalize(ledger->insert_event);
    sqlite3_finalize(ledger->insert_blob);
    whet_ledger_rollback(ledger);
    if (ledger->db != NULL && ledger->lock_fd >= 0)
        whet_ledger__end_journal(ledger);
    sqlite3_close(ledger->db);
    whet_ledger__unlock(ledger);
    free(ledger->path);
    free(ledger);
}

/* ---- groups ---- */

whet_status whet_ledger__check_writable(whet_ledger *ledger, whet_err *err)
{
    if (ledger->mode == WHET_LEDGER_READ)
        return whet_err_set(err, WHET_EFAIL, "%s: opened for reading",
                            ledger->path);
    if (ledger->in_group && sqlite3_get_autocommit(ledger->db))
        return whet_err_set(err, WHET_EFAIL,
                            "%s: the group was dropped after an error",
                            ledger->path);
    return WHET_OK;
}

whet_status whet_ledger_begin(whet_ledger *ledger, whet_err *err)
{
    whet_status st = whet_ledger__check_writable(ledger, err);

    if (st == WHET_OK && ledger->in_group)
        st = whet_err_set(err, WHET_EFAIL, "%s: groups may not nest",
                          ledger->path);
    if (st == WHET_OK)
        st = whet_ledger__exec(ledger, "BEGIN IMMEDIATE", "begin", err);
    if (st == WHET_OK)
        ledger->in_group = true;
    return st;
}

whet_status whet_ledger_commit(whet_ledger *ledger, whet_err *err)
{
    whet_status st = whet_ledger__check_writable(ledger, err);

    if (st == WHET_OK && !ledger->in_group)
        return whet_err_set(err, WHET_EFAIL, "%s: no group to commit",
                            ledger->path);
    if (st == WHET_OK)
        st = whet_ledger__exec(ledger, "COMMIT", "commit", err);
    if (st != WHET_OK)
        whet_ledger_rollback(ledger);
    ledger->in_group = false;
    return st;
}

void whet_ledger_rollback(whet_ledger *ledger)
{
    if (ledger->in_group && !sqlite3_get_autocommit(ledger->db))
        sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    ledger->in_group = false;
}
