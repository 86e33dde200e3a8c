/* Appending and reading events. What is read back is checked as strictly as
 * what is appended, so that readers may print a run, a kind or a subject as it
 * stands. */

#include "ledger/ledger_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_BYTES_MAX = 63,
    SUBJECT_DIGITS = WHET_HASH_TEXT_BYTES - 1,
    PREFIX_DIGITS_MIN = 4
};

/* ---- what the columns may hold ---- */

static bool is_run(const char *text)
{
    size_t i, length = strlen(text);

    for (i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~' || text[i] == '"' ||
            text[i] == '\\')
            return false;
    return length <= NAME_BYTES_MAX;
}

static bool is_kind(const char *text)
{
    size_t length = strlen(text);

    return length >= 1 && length <= NAME_BYTES_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static bool is_subject(const char *text)
{
    size_t length = strlen(text);

    return (length == 0 || length == SUBJECT_DIGITS) &&
           strspn(text, "0123456789abcdef") == length;
}

static whet_status check_names(const char *run, const char *kind,
                               const char *subject, whet_err *err)
{
    if (!is_run(run))
        return whet_err_set(err, WHET_EINVAL,
                            "run \"%.70s\": expected at most %d printable "
                            "characters",
                            run, (int)NAME_BYTES_MAX);
    if (!is_kind(kind))
        return whet_err_set(err, WHET_EINVAL,
                            "kind \"%.70s\": expected 1 to %d of a-z, 0-9, _",
                            kind, (int)NAME_BYTES_MAX);
    if (!is_subject(subject))
        return whet_err_set(err, WHET_EINVAL,
                            "subject \"%.70s\": expected nothing or %d hex "
                            "digits",
                            subject, (int)SUBJECT_DIGITS);
    return WHET_OK;
}

/* ---- appending ---- */

/* A value made by code may hold a NUL character, which whet_json_parse
 * refuses: what could not be read back must not be written. */
static whet_status check_text(const char *text, size_t bytes, whet_err *err)
{
    json_t *parsed = NULL;
    whet_status st = WHET_OK;

    if (bytes > WHET_LEDGER_VALUE_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "data: %zu bytes, expected at most %d", bytes,
                            (int)WHET_LEDGER_VALUE_BYTES_MAX);
    if (strstr(text, "\\u0000") != NULL)
        st = whet_json_parse(&parsed, text, bytes, "data", err);
    json_decref(parsed);
    return st;
}

/* Numbered by us, not by SQLite, so that the trigger sees the number. */
static const char insert_sql[] =
    "INSERT INTO events(seq, wall_ns, run, kind, subject, data) VALUES("
    "(SELECT ifnull(max(seq), 0) + 1 FROM events), ?1, ?2, ?3, ?4, ?5)";

static whet_status insert(int64_t *seq_out, whet_ledger *ledger,
                          const char *run, const char *kind,
                          const char *subject, const char *text, whet_err *err)
{
    uint64_t wall_ns = whet_clock_wall(&ledger->clock);
    sqlite3_stmt *stmt;
    whet_status st = WHET_OK;
    int rc;

    if (ledger->insert_event == NULL)
        st = whet_ledger__prepare(&ledger->insert_event, ledger, insert_sql,
                                  err);
    if (st != WHET_OK)
        return st;
    stmt = ledger->insert_event;
    sqlite3_bind_int64(
        stmt, 1, wall_ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)wall_ns);
    sqlite3_bind_text(stmt, 2, run, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 3, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 4, subject, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 5, text, -1, SQLITE_STATIC);
    rc = sqlite3_step(stmt);
    if (rc != SQLITE_DONE) {
        st = whet_ledger__fail(ledger, rc, kind, err);
        if ((rc & 0xff) == SQLITE_CONSTRAINT)
            st = whet_err_prefix(err, st, "run %s, candidate %.12s", run,
                                 subject[0] != '\0' ? subject : "(none)");
    } else if (seq_out != NULL)
        *seq_out = sqlite3_last_insert_rowid(ledger->db);
    /* The texts are borrowed until here only. */
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return st;
}

whet_status whet_ledger_append(int64_t *seq_out, whet_ledger *ledger,
                               const char *run, const char *kind,
                               const char *subject, const json_t *data,
                               whet_err *err)
{
    char *text = NULL;
    whet_status st = whet_ledger__check_writable(ledger, err);

    if (seq_out != NULL)
        *seq_out = 0;
    if (st == WHET_OK)
        st = check_names(run, kind, subject, err);
    if (st == WHET_OK && !json_is_object(data))
        st = whet_err_set(err, WHET_EINVAL, "%s: data: expected an object",
                          kind);
    if (st != WHET_OK)
        return st;
    text = whet_json_canonical(data);
    if (text == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    st = check_text(text, strlen(text), err);
    if (st == WHET_OK)
        st = insert(seq_out, ledger, run, kind, subject, text, err);
    free(text);
    return st;
}

/* ---- reading ---- */

typedef struct reader {
    whet_ledger *ledger;
    const whet_event_query *query;
    sqlite3_stmt *stmt;
    int64_t last_seq;
    bool has_last;
    uint64_t given_count;
    whet_event_fn fn;
    void *payload;
} reader;

static whet_status damaged(const reader *r, int64_t seq, const char *what,
                           whet_err *err)
{
    return whet_err_set(err, WHET_EINVAL, "%s: event %" PRId64 ": %s",
                        r->ledger->path, seq, what);
}

/* NULL if it is no text or holds a NUL. */
static const char *column_text(sqlite3_stmt *stmt, int column)
{
    const char *text;

    if (sqlite3_column_type(stmt, column) != SQLITE_TEXT)
        return NULL;
    text = (const char *)sqlite3_column_text(stmt, column);
    if (text == NULL ||
        strlen(text) != (size_t)sqlite3_column_bytes(stmt, column))
        return NULL;
    return text;
}

static whet_status read_columns(whet_event *event, reader *r, whet_err *err)
{
    int64_t wall_ns = sqlite3_column_int64(r->stmt, 1);

    event->seq = sqlite3_column_int64(r->stmt, 0);
    event->wall_ns = (uint64_t)wall_ns;
    event->run = column_text(r->stmt, 2);
    event->kind = column_text(r->stmt, 3);
    event->subject = column_text(r->stmt, 4);
    if (event->run == NULL || event->kind == NULL || event->subject == NULL ||
        wall_ns < 0)
        return damaged(r, event->seq, "a column is of the wrong type", err);
    if (check_names(event->run, event->kind, event->subject, err) != WHET_OK)
        return whet_err_prefix(err, WHET_EINVAL, "%s: event %" PRId64,
                               r->ledger->path, event->seq);
    /* A damaged tree can lead in circles and give rows without end. */
    if (r->has_last && (r->query->newest_first ? event->seq >= r->last_seq
                                               : event->seq <= r->last_seq))
        return damaged(r, event->seq, "out of order", err);
    r->last_seq = event->seq;
    r->has_last = true;
    return WHET_OK;
}

static bool is_wanted(const whet_event *event, const whet_event_query *query)
{
    return (query->run == NULL || strcmp(event->run, query->run) == 0) &&
           (query->kind == NULL || strcmp(event->kind, query->kind) == 0) &&
           (query->subject == NULL ||
            strcmp(event->subject, query->subject) == 0);
}

/* `*stop` becomes true when the reader has had enough. */
static whet_status give_row(bool *stop, reader *r, whet_err *err)
{
    whet_event event;
    json_t *data = NULL;
    char where[40];
    const char *text;
    whet_status st = read_columns(&event, r, err);

    if (st != WHET_OK || !is_wanted(&event, r->query))
        return st;
    text = column_text(r->stmt, 5);
    if (text == NULL)
        return damaged(r, event.seq, "data is not text", err);
    snprintf(where, sizeof where, "event %" PRId64, event.seq);
    st = whet_json_parse(&data, text, strlen(text), where, err);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "%s", r->ledger->path);
    if (!json_is_object(data))
        st = damaged(r, event.seq, "data is not an object", err);
    event.data = data;
    if (st == WHET_OK) {
        r->given_count++;
        *stop = !r->fn(&event, r->payload) || r->given_count == r->query->limit;
    }
    json_decref(data);
    return st;
}

/* One column is looked up in its index, the others are compared row by row:
 * the plan is the same whatever the file holds. */
static whet_status prepare_query(sqlite3_stmt **out, whet_ledger *ledger,
                                 const whet_event_query *query, whet_err *err)
{
    const char *from = "events WHERE", *key = NULL;
    char sql[256];
    whet_status st;

    if (query->subject != NULL) {
        from = "events INDEXED BY events_subject WHERE subject = ?1 AND";
        key = query->subject;
    } else if (query->kind != NULL) {
        from = "events INDEXED BY events_kind WHERE kind = ?1 AND";
        key = query->kind;
    } else if (query->run != NULL) {
        from = "events INDEXED BY events_run WHERE run = ?1 AND";
        key = query->run;
    }
    snprintf(sql, sizeof sql,
             "SELECT seq, wall_ns, run, kind, subject, data FROM %s seq > ?2"
             " ORDER BY seq %s",
             from, query->newest_first ? "DESC" : "ASC");
    st = whet_ledger__prepare(out, ledger, sql, err);
    if (st != WHET_OK)
        return st;
    if (key != NULL)
        sqlite3_bind_text(*out, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(*out, 2, query->after_seq);
    return WHET_OK;
}

whet_status whet_ledger_each(whet_ledger *ledger, const whet_event_query *query,
                             whet_event_fn fn, void *payload, whet_err *err)
{
    static const whet_event_query all = {0};
    reader r = {.ledger = ledger, .fn = fn, .payload = payload};
    bool stop = false;
    whet_status st;

    r.query = query != NULL ? query : &all;
    st = prepare_query(&r.stmt, ledger, r.query, err);
    while (st == WHET_OK && !stop) {
        int rc = sqlite3_step(r.stmt);

        if (rc == SQLITE_DONE)
            break;
        st = rc == SQLITE_ROW ? give_row(&stop, &r, err)
                              : whet_ledger__fail(ledger, rc, "reading", err);
    }
    sqlite3_finalize(r.stmt);
    return st;
}

/* ---- looking up ---- */

/* Least subject greater than `after` (or not less, if `inclusive`) and below
 * `end`: one seek in the index, however many events there are. "" if none. */
static whet_status next_subject(char out[WHET_HASH_TEXT_BYTES],
                                whet_ledger *ledger, const char *after,
                                bool inclusive, const char *end, whet_err *err)
{
    const char *sql = inclusive
                          ? "SELECT subject FROM events WHERE subject >= ?1 "
                            "AND subject < ?2 ORDER BY subject LIMIT 1"
                          : "SELECT subject FROM events WHERE subject > ?1 "
                            "AND subject < ?2 ORDER BY subject LIMIT 1";
    sqlite3_stmt *stmt;
    whet_status st = whet_ledger__prepare(&stmt, ledger, sql, err);
    int rc;

    out[0] = '\0';
    if (st != WHET_OK)
        return st;
    sqlite3_bind_text(stmt, 1, after, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, end, -1, SQLITE_STATIC);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        const char *text = column_text(stmt, 0);

        if (text == NULL || !is_subject(text))
            st = whet_err_set(err, WHET_EINVAL, "%s: a subject is no hash",
                              ledger->path);
        else
            whet_strcopy(out, WHET_HASH_TEXT_BYTES, text);
    } else if (rc != SQLITE_DONE)
        st = whet_ledger__fail(ledger, rc, "reading", err);
    sqlite3_finalize(stmt);
    return st;
}

/* Lower-case digits of the prefix, and the least text beyond all that start
 * with it. */
static whet_status read_prefix(char first[WHET_HASH_TEXT_BYTES],
                               char end[WHET_HASH_TEXT_BYTES + 1],
                               const char *prefix, whet_err *err)
{
    size_t i, length = strlen(prefix);

    if (length < PREFIX_DIGITS_MIN || length > SUBJECT_DIGITS ||
        strspn(prefix, "0123456789abcdefABCDEF") != length)
        return whet_err_set(err, WHET_EINVAL,
                            "\"%.70s\": expected %d to %d hex digits of a "
                            "candidate's hash",
                            prefix, (int)PREFIX_DIGITS_MIN,
                            (int)SUBJECT_DIGITS);
    for (i = 0; i < length; i++)
        first[i] =
            (char)(prefix[i] >= 'A' && prefix[i] <= 'F' ? prefix[i] - 'A' + 'a'
                                                        : prefix[i]);
    first[length] = '\0';
    memcpy(end, first, length);
    end[length] = 'g'; /* after the last hex digit */
    end[length + 1] = '\0';
    return WHET_OK;
}

whet_status whet_ledger_resolve(char out[WHET_HASH_TEXT_BYTES],
                                whet_ledger *ledger, const char *prefix,
                                whet_err *err)
{
    char first[WHET_HASH_TEXT_BYTES], end[WHET_HASH_TEXT_BYTES + 1];
    char other[WHET_HASH_TEXT_BYTES];
    whet_status st = read_prefix(first, end, prefix, err);

    out[0] = '\0';
    if (st == WHET_OK)
        st = next_subject(out, ledger, first, true, end, err);
    if (st == WHET_OK && out[0] == '\0')
        st =
            whet_err_set(err, WHET_ENOTFOUND, "%s: no candidate starts with %s",
                         ledger->path, first);
    if (st == WHET_OK)
        st = next_subject(other, ledger, out, false, end, err);
    if (st == WHET_OK && other[0] != '\0')
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: several candidates start with %s (%.16s, "
                          "%.16s): give more digits",
                          ledger->path, first, out, other);
    if (st != WHET_OK)
        out[0] = '\0';
    return st;
}

static bool keep_run(const whet_event *event, void *payload)
{
    whet_strcopy(payload, NAME_BYTES_MAX + 1, event->run);
    return false;
}

whet_status whet_ledger_last_run(char out[64], whet_ledger *ledger,
                                 whet_err *err)
{
    const whet_event_query query = {
        .kind = "run_started", .newest_first = true, .limit = 1};

    out[0] = '\0';
    return whet_ledger_each(ledger, &query, keep_run, out, err);
}
