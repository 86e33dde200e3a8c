/* Ledgers: a database file from outside is refused or read, without harm. */

#include "ledger/ledger.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool note_subject(const whet_event *event, void *payload)
{
    whet_strcopy(payload, WHET_HASH_TEXT_BYTES, event->subject);
    return true;
}

static void read_all(whet_ledger *ledger)
{
    char subject[WHET_HASH_TEXT_BYTES] = "", full[WHET_HASH_TEXT_BYTES];
    whet_event_query query = {.newest_first = true, .subject = subject};
    FILE *to = fopen("/dev/null", "w");
    whet_buf blob = {0};
    char run[64];

    whet_ledger_each(ledger, NULL, note_subject, subject, NULL);
    whet_ledger_each(ledger, &query, note_subject, full, NULL);
    whet_ledger_resolve(full, ledger, subject, NULL);
    whet_ledger_resolve(full, ledger, "0123", NULL);
    whet_ledger_get_blob(&blob, ledger, whet_hash_bytes("text", 4).text, NULL);
    if (whet_ledger_last_run(run, ledger, NULL) == WHET_OK) {
        query = (whet_event_query){.run = run};
        whet_ledger_each(ledger, &query, note_subject, full, NULL);
    }
    if (to != NULL) {
        whet_ledger_export(ledger, to, NULL);
        fclose(to);
    }
    whet_buf_deinit(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *dir = NULL, *path = NULL;
    whet_ledger *ledger = NULL;
    FILE *file = NULL;

    if (whet_fs_tempdir(&dir, "whet-fuzz", NULL) != WHET_OK)
        return 0;
    path = whet_fs_join(dir, "x.ledger");
    if (path != NULL)
        file = fopen(path, "wb");
    if (file != NULL) {
        if (size > 0)
            fwrite(data, 1, size, file);
        fclose(file);
        if (whet_ledger_open(&ledger, path, WHET_LEDGER_READ, NULL, NULL) ==
            WHET_OK)
            read_all(ledger);
        whet_ledger_close(ledger);
    }
    whet_fs_remove_tree(dir);
    free(path);
    free(dir);
    return 0;
}
