#ifndef LEDGER_KIT_H
#define LEDGER_KIT_H

/* Shared by the ledger's tests: a folder for each test, a clock that counts,
 * and raw SQLite access to damage files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ledger/ledger_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What a test gets in *state. */
typedef struct kit {
    char *dir;
    char *path;       /**< dir/x.ledger, absent at first. */
    uint64_t wall_ns; /**< What the clock gives next; grows by one. */
    whet_err err;
} kit;

/** 64 digits that start with the given ones. */
typedef struct kit_subject {
    char text[WHET_HASH_TEXT_BYTES];
} kit_subject;

int kit_setup(void **state);
int kit_teardown(void **state);

/** The counting clock of a kit. */
whet_clock kit_clock(kit *k);

/** Open k->path, expecting success. */
whet_ledger *kit_open(kit *k, whet_ledger_mode mode);

/** Open k->path, expecting `expected` with a one-line message that contains
 *  `words`. */
void kit_open_fails(kit *k, whet_ledger_mode mode, whet_status expected,
                    const char *words);

/** The last message is one line and contains `words`. */
void kit_expect_message(kit *k, const char *words);

kit_subject kit_subject_of(const char *first_digits);

/** Append {"n": n}, expecting success; gives seq. */
int64_t kit_append(kit *k, whet_ledger *ledger, const char *run,
                   const char *kind, const char *subject, int n);

/** Run SQL on k->path with plain SQLite.
 *  @return the primary result code; text of the first column of the last row
 *          in `out` (may be NULL) */
int kit_sql(kit *k, const char *sql, char out[256]);

/** Number of events that a query gives. */
int kit_count(kit *k, whet_ledger *ledger, const whet_event_query *query);

/** Does dir/x.ledger<suffix> exist? */
bool kit_has(kit *k, const char *suffix);

/** Overwrite bytes of k->path. */
void kit_poke(kit *k, long offset, const void *bytes, size_t count);

/** Let a child process open k->path (WHET_LEDGER_CREATE on a file system of
 *  the given kind), append one event, begin a group with so large a blob that
 *  it reaches the disk if `in_group`, and die without closing anything. */
void kit_die_writing(kit *k, uint32_t fs_magic, bool in_group);

#endif /* LEDGER_KIT_H */
