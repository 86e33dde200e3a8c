/* The whole ledger as JSON lines in canonical form. Nothing enters but the
 * content: no row numbers other than seq, no sizes of the file, no date. */

#include "ledger/ledger_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporter {
    whet_ledger *ledger;
    FILE *to;
    whet_status st;
    whet_err *err;
} exporter;

/* Takes over `line`. */
static whet_status write_line(exporter *x, json_t *line)
{
    char *text = line == NULL ? NULL : whet_json_canonical(line);

    json_decref(line);
    if (text == NULL)
        x->st = whet_err_set(x->err, WHET_ENOMEM, "out of memory");
    else if (fputs(text, x->to) < 0 || fputc('\n', x->to) == EOF)
        x->st = whet_err_errno(x->err, errno, "export");
    free(text);
    return x->st;
}

/* Plain base64 (RFC 4648) with padding. */
static json_t *base64(const unsigned char *data, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((bytes + 2) / 3 * 4 + 1);
    json_t *value;
    size_t i, n = 0;

    if (text == NULL)
        return NULL;
    for (i = 0; i < bytes; i += 3) {
        size_t left = bytes - i;
        unsigned word = (unsigned)data[i] << 16;

        word |= left > 1 ? (unsigned)data[i + 1] << 8 : 0;
        word |= left > 2 ? data[i + 2] : 0;
        text[n++] = digits[word >> 18];
        text[n++] = digits[word >> 12 & 63];
        text[n++] = left > 1 ? digits[word >> 6 & 63] : '=';
        text[n++] = left > 2 ? digits[word & 63] : '=';
    }
    value = json_stringn_nocheck(text, n);
    free(text);
    return value;
}

static whet_status write_blob(exporter *x, sqlite3_stmt *stmt)
{
    const void *data = sqlite3_column_blob(stmt, 1);
    size_t bytes = (size_t)sqlite3_column_bytes(stmt, 1);
    const char *key = "text";
    json_t *value = NULL;

    if (data == NULL)
        data = "";
    /* jansson takes valid UTF-8 only; a NUL would not be read back. */
    if (memchr(data, 0, bytes) == NULL)
        value = json_stringn(data, bytes);
    if (value == NULL) {
        key = "base64";
        value = base64(data, bytes);
    }
    if (value == NULL)
        return x->st = whet_err_set(x->err, WHET_ENOMEM, "out of memory");
    return write_line(x, json_pack("{s:s,s:o}", "blob",
                                   (const char *)sqlite3_column_text(stmt, 0),
                                   key, value));
}

static whet_status write_blobs(exporter *x)
{
    char last[WHET_HASH_TEXT_BYTES] = "";
    sqlite3_stmt *stmt = NULL;

    x->st = whet_ledger__prepare(&stmt, x->ledger,
                                 "SELECT hash, bytes FROM blobs ORDER BY hash",
                                 x->err);
    while (x->st == WHET_OK) {
        int rc = sqlite3_step(stmt);

        if (rc == SQLITE_DONE)
            break;
        x->st = rc == SQLITE_ROW
                    ? whet_ledger__check_blob(x->ledger, stmt, x->err)
                    : whet_ledger__fail(x->ledger, rc, "reading", x->err);
        if (x->st != WHET_OK)
            break;
        /* A damaged tree can lead in circles and give rows without end. */
        if (strcmp((const char *)sqlite3_column_text(stmt, 0), last) <= 0) {
            x->st = whet_err_set(x->err, WHET_EINVAL, "%s: blobs out of order",
                                 x->ledger->path);
            break;
        }
        whet_strcopy(last, sizeof last,
                     (const char *)sqlite3_column_text(stmt, 0));
        write_blob(x, stmt);
    }
    sqlite3_finalize(stmt);
    return x->st;
}

static bool write_event(const whet_event *event, void *payload)
{
    return write_line(payload,
                      json_pack("{s:I,s:I,s:s,s:s,s:s,s:O}", "seq",
                                (json_int_t)event->seq, "wall_ns",
                                (json_int_t)event->wall_ns, "run", event->run,
                                "kind", event->kind, "subject", event->subject,
                                "data", event->data)) == WHET_OK;
}

static whet_status write_all(exporter *x)
{
    whet_status st;

    if (write_line(x, json_pack("{s:s,s:i}", "format", "whet-ledger", "version",
                                (int)WHET_LEDGER_VERSION)) != WHET_OK)
        return x->st;
    if (write_blobs(x) != WHET_OK)
        return x->st;
    st = whet_ledger_each(x->ledger, NULL, write_event, x, x->err);
    if (st == WHET_OK)
        st = x->st;
    if (st == WHET_OK && fflush(x->to) != 0)
        st = whet_err_errno(x->err, errno, "export");
    return st;
}

whet_status whet_ledger_export(whet_ledger *ledger, FILE *to, whet_err *err)
{
    exporter x = {.ledger = ledger, .to = to, .err = err};
    /* One transaction: a run that is going on must not add events between
     * the blobs and the events that name them. */
    const bool is_outer = sqlite3_get_autocommit(ledger->db) != 0;
    whet_status st = WHET_OK;

    if (is_outer)
        st = whet_ledger__exec(ledger, "BEGIN", "export", err);
    if (st != WHET_OK)
        return st;
    st = write_all(&x);
    if (is_outer)
        sqlite3_exec(ledger->db, "COMMIT", NULL, NULL, NULL);
    return st;
}
