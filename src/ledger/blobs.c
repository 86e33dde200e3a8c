/* Content-addressed bytes. A blob is checked against its name whenever it is
 * read: a ledger may have been damaged or edited since. */

#include "ledger/ledger_priv.h"

#include <string.h>

whet_status whet_ledger_put_blob(whet_hash *hash_out, whet_ledger *ledger,
                                 const void *data, size_t bytes, whet_err *err)
{
    whet_status st = whet_ledger__check_writable(ledger, err);
    sqlite3_stmt *stmt;
    int rc;

    memset(hash_out, 0, sizeof *hash_out);
    if (st == WHET_OK && bytes > WHET_LEDGER_VALUE_BYTES_MAX)
        st = whet_err_set(err, WHET_EINVAL,
                          "blob: %zu bytes, expected at most %d", bytes,
                          (int)WHET_LEDGER_VALUE_BYTES_MAX);
    /* A trigger skips what is there already. */
    if (st == WHET_OK && ledger->insert_blob == NULL)
        st = whet_ledger__prepare(
            &ledger->insert_blob, ledger,
            "INSERT INTO blobs(hash, bytes) VALUES(?1, ?2)", err);
    if (st != WHET_OK)
        return st;
    *hash_out = whet_hash_bytes(data, bytes);
    stmt = ledger->insert_blob;
    sqlite3_bind_text(stmt, 1, hash_out->text, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(stmt, 2, bytes == 0 ? "" : data, bytes, SQLITE_STATIC);
    rc = sqlite3_step(stmt);
    if (rc != SQLITE_DONE) {
        st = whet_ledger__fail(ledger, rc, "blob", err);
        memset(hash_out, 0, sizeof *hash_out);
    }
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return st;
}

whet_status whet_ledger__check_blob(whet_ledger *ledger, sqlite3_stmt *stmt,
                                    whet_err *err)
{
    const char *hash = (const char *)sqlite3_column_text(stmt, 0);
    /* A blob of no bytes is given as NULL. */
    const void *data = sqlite3_column_blob(stmt, 1);
    size_t bytes = (size_t)sqlite3_column_bytes(stmt, 1);

    if (hash == NULL || sqlite3_column_type(stmt, 1) != SQLITE_BLOB ||
        (data == NULL && bytes > 0) ||
        strcmp(hash, whet_hash_bytes(data == NULL ? "" : data, bytes).text) !=
            0)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: blob %.64s: its bytes do not match its hash",
                            ledger->path, hash == NULL ? "" : hash);
    return WHET_OK;
}

whet_status whet_ledger_get_blob(whet_buf *out, whet_ledger *ledger,
                                 const char *hash, whet_err *err)
{
    sqlite3_stmt *stmt;
    whet_status st = whet_ledger__prepare(
        &stmt, ledger, "SELECT hash, bytes FROM blobs WHERE hash = ?1", err);
    int rc;

    if (st != WHET_OK)
        return st;
    sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_DONE)
        st = whet_err_set(err, WHET_ENOTFOUND, "%s: no blob %.64s",
                          ledger->path, hash);
    else if (rc != SQLITE_ROW)
        st = whet_ledger__fail(ledger, rc, "blob", err);
    else
        st = whet_ledger__check_blob(ledger, stmt, err);
    /* A damaged index may lead to another row, sound in itself. */
    if (st == WHET_OK &&
        strcmp(hash, (const char *)sqlite3_column_text(stmt, 0)) != 0)
        st = whet_err_set(err, WHET_EINVAL, "%s: blob %.64s: index is damaged",
                          ledger->path, hash);
    if (st == WHET_OK) {
        const void *data = sqlite3_column_blob(stmt, 1);

        whet_buf_add(out, data == NULL ? "" : data,
                     (size_t)sqlite3_column_bytes(stmt, 1));
        if (out->failed)
            st = whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    sqlite3_finalize(stmt);
    return st;
}
