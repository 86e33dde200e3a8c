/* The tables, as a list of migrations: entry i brings a file from version i to
 * version i + 1 and is never edited once released. A file from outside must
 * have exactly this schema before any view or trigger of it is used, since
 * views and triggers are code. */

#include "ledger/ledger_priv.h"

#include <stdio.h>
#include <string.h>

#define APPEND_ONLY "'a ledger is append-only'"

/* An index ends with the row's seq by itself, so equal keys lie in order. */
static const char version_1[] =
    "CREATE TABLE events(\n"
    "  seq INTEGER PRIMARY KEY,\n"
    "  wall_ns INTEGER NOT NULL CHECK(wall_ns >= 0),\n"
    "  run TEXT NOT NULL CHECK(length(run) <= 63),\n"
    "  kind TEXT NOT NULL CHECK(length(kind) BETWEEN 1 AND 63),\n"
    "  subject TEXT NOT NULL CHECK(length(subject) IN (0, 64)),\n"
    "  data TEXT NOT NULL CHECK(json_valid(data) AND"
    " json_type(data) = 'object')\n"
    ") STRICT;\n"
    "CREATE TABLE blobs(\n"
    "  hash TEXT NOT NULL PRIMARY KEY CHECK(length(hash) = 64),\n"
    "  bytes BLOB NOT NULL\n"
    ") STRICT;\n"
    "CREATE INDEX events_subject ON events(subject);\n"
    "CREATE INDEX events_kind ON events(kind);\n"
    "CREATE INDEX events_run ON events(run);\n"
    "CREATE UNIQUE INDEX events_screened ON events(run, subject)"
    " WHERE kind = 'screened';\n"
    "CREATE UNIQUE INDEX events_confirmed ON events(run, subject)"
    " WHERE kind = 'confirmed';\n"
    /* Triggers. INSERT OR REPLACE deletes without firing delete triggers, so
     * what it would replace is refused (events) or kept (blobs) before. */
    "CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN"
    " SELECT RAISE(ABORT, " APPEND_ONLY "); END;\n"
    "CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN"
    " SELECT RAISE(ABORT, " APPEND_ONLY "); END;\n"
    "CREATE TRIGGER events_no_replace BEFORE INSERT ON events"
    " WHEN NEW.seq <= (SELECT max(seq) FROM events) BEGIN"
    " SELECT RAISE(ABORT, " APPEND_ONLY "); END;\n"
    "CREATE TRIGGER events_one_verdict BEFORE INSERT ON events"
    " WHEN NEW.kind IN ('screened', 'confirmed') AND EXISTS("
    "SELECT 1 FROM events WHERE subject = NEW.subject AND run = NEW.run"
    " AND kind = NEW.kind) BEGIN"
    " SELECT RAISE(ABORT, 'a run has one such event for each subject');"
    " END;\n"
    "CREATE TRIGGER blobs_no_update BEFORE UPDATE ON blobs BEGIN"
    " SELECT RAISE(ABORT, " APPEND_ONLY "); END;\n"
    "CREATE TRIGGER blobs_no_delete BEFORE DELETE ON blobs BEGIN"
    " SELECT RAISE(ABORT, " APPEND_ONLY "); END;\n"
    "CREATE TRIGGER blobs_once BEFORE INSERT ON blobs"
    " WHEN EXISTS(SELECT 1 FROM blobs WHERE hash = NEW.hash) BEGIN"
    " SELECT RAISE(IGNORE); END;\n"
    /* Views */
    "CREATE VIEW runs AS SELECT e.seq, e.wall_ns, e.run,\n"
    "  json_extract(e.data, '$.task') AS task,\n"
    "  json_extract(e.data, '$.workload') AS workload,\n"
    "  json_extract(e.data, '$.device') AS device,\n"
    "  json_extract(e.data, '$.device_name') AS device_name,\n"
    "  json_extract(e.data, '$.seed') AS seed,\n"
    "  (SELECT json_extract(s.data, '$.stop') FROM events AS s\n"
    "    WHERE s.run = e.run AND s.kind = 'run_stopped'\n"
    "    ORDER BY s.seq DESC LIMIT 1) AS stop\n"
    "  FROM events AS e WHERE e.kind = 'run_started';\n"
    "CREATE VIEW candidates AS SELECT e.seq, e.wall_ns, e.run, e.subject,\n"
    "  json_extract(e.data, '$.source') AS source,\n"
    "  json_extract(e.data, '$.language') AS language,\n"
    "  json_extract(e.data, '$.move') AS move,\n"
    "  json_extract(e.data, '$.skill') AS skill,\n"
    "  json_extract(e.data, '$.point_text') AS point,\n"
    "  json_extract(e.data, '$.parent') AS parent\n"
    "  FROM events AS e WHERE e.kind = 'candidate' AND e.seq = (\n"
    "    SELECT min(f.seq) FROM events AS f\n"
    "    WHERE f.subject = e.subject AND f.kind = 'candidate');\n"
    "CREATE VIEW verdicts AS SELECT e.seq, e.wall_ns, e.run, e.subject,\n"
    "  e.kind AS stage,\n"
    "  json_extract(e.data, '$.rung') AS rung,\n"
    "  json_extract(e.data, '$.outcome') AS outcome,\n"
    "  json_extract(e.data, '$.reason') AS reason,\n"
    "  json_extract(e.data, '$.message') AS message,\n"
    "  json_extract(e.data, '$.ratio.value') AS ratio,\n"
    "  json_extract(e.data, '$.ratio.lo') AS ratio_lo,\n"
    "  json_extract(e.data, '$.ratio.hi') AS ratio_hi,\n"
    "  json_extract(e.data, '$.ratio.is_gain') AS is_gain,\n"
    "  json_extract(e.data, '$.candidate_time.median_ns') AS median_ns,\n"
    "  json_extract(e.data, '$.share_of_limit') AS share_of_limit,\n"
    "  json_extract(e.data, '$.reference') AS reference,\n"
    "  json_extract(e.data, '$.score') AS score\n"
    "  FROM events AS e WHERE e.kind IN ('screened', 'raced', 'confirmed');\n"
    "CREATE VIEW champions AS SELECT e.seq, e.wall_ns, e.run, e.subject,\n"
    "  v.seq AS verdict_seq, v.ratio, v.ratio_lo, v.ratio_hi, v.median_ns,\n"
    "  v.share_of_limit\n"
    "  FROM events AS e LEFT JOIN verdicts AS v ON v.subject = e.subject\n"
    "    AND v.run = e.run AND v.stage = 'confirmed'\n"
    "  WHERE e.kind = 'champion' AND NOT EXISTS(\n"
    "    SELECT 1 FROM events AS d WHERE d.subject = e.subject\n"
    "    AND d.run = e.run AND d.kind = 'demoted');\n";

static const char *const migrations[] = {version_1};

_Static_assert(sizeof migrations / sizeof migrations[0] == WHET_LEDGER_VERSION,
               "one migration for each version");

enum { SCHEMA_ROWS_MAX = 256 };

static int apply(sqlite3 *db, int from, int to)
{
    int rc = SQLITE_OK;
    int i;

    for (i = from; rc == SQLITE_OK && i < to; i++)
        rc = sqlite3_exec(db, migrations[i], NULL, NULL, NULL);
    return rc;
}

whet_status whet_ledger__migrate(whet_ledger *ledger, int version,
                                 whet_err *err)
{
    char stamps[96];
    whet_status st;
    int rc;

    st = whet_ledger__exec(ledger, "BEGIN EXCLUSIVE", "tables", err);
    if (st != WHET_OK)
        return st;
    snprintf(stamps, sizeof stamps,
             "PRAGMA application_id=%d;PRAGMA user_version=%d;COMMIT",
             (int)WHET_LEDGER_APPLICATION_ID, (int)WHET_LEDGER_VERSION);
    rc = apply(ledger->db, version, WHET_LEDGER_VERSION);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(ledger->db, stamps, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        return WHET_OK;
    st = whet_ledger__fail(ledger, rc, "tables", err);
    sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

static void add_column(whet_hasher *hasher, sqlite3_stmt *stmt, int column)
{
    const void *text = sqlite3_column_text(stmt, column);
    int bytes = sqlite3_column_bytes(stmt, column);

    whet_hasher_add(hasher, text == NULL ? "null" : "text",
                    text == NULL ? "" : text, text == NULL ? 0 : (size_t)bytes);
}

/* The rows are counted because a hostile file can have far more of them than
 * its size suggests. */
static int hash_schema(whet_hash *out, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    whet_hasher hasher;
    int rc, column, rows = 0;

    whet_hasher_init(&hasher);
    rc = sqlite3_prepare_v2(db,
                            "SELECT type, name, tbl_name, sql"
                            " FROM sqlite_master ORDER BY type, name",
                            -1, &stmt, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW || rows++ == SCHEMA_ROWS_MAX)
            break;
        for (column = 0; column < 4; column++)
            add_column(&hasher, stmt, column);
    }
    sqlite3_finalize(stmt);
    *out = whet_hasher_finish(&hasher);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* What it must be is found by making the tables afresh in memory: no constant
 * has to be kept in step with the text above. */
static int hash_expected(whet_hash *out, int version)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(":memory:", &db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (rc == SQLITE_OK)
        rc = apply(db, 0, version);
    if (rc == SQLITE_OK)
        rc = hash_schema(out, db);
    sqlite3_close(db);
    return rc;
}

whet_status whet_ledger__check_schema(whet_ledger *ledger, int version,
                                      whet_err *err)
{
    whet_hash found, expected;
    int rc = hash_schema(&found, ledger->db);

    if (rc != SQLITE_OK)
        return whet_ledger__fail(ledger, rc, "tables", err);
    if (hash_expected(&expected, version) != SQLITE_OK)
        return whet_err_set(err, WHET_EFAIL,
                            "the tables of a ledger could not be made: SQLite "
                            "%s, expected 3.37 or newer",
                            sqlite3_libversion());
    if (strcmp(found.text, expected.text) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: its tables, views, triggers and indices are "
                            "not those of a ledger of version %d",
                            ledger->path, version);
    return WHET_OK;
}
