#ifndef SEARCH_KIT_H
#define SEARCH_KIT_H

/* Shared by the tests of the search: a folder with a tiny task, two templates
 * and a script for the null device, and short ways to run over them.
 *
 * Template `wide` has V in {1, 2, 4, 8} and W in {16, 32, 64, 128} with
 * V * W <= 512, so 15 of its 16 points are feasible. Template `flat` has
 * U in {1, 2, 3} with the constraint U > 1, so its default is not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/run_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIT_WIDE_POINTS = 15, KIT_FLAT_POINTS = 2 };

/** What a test gets in *state. */
typedef struct kit {
    char *dir;
    char *task, *skills, *ledger; /**< Paths; the ledger is absent at first. */
    char *device;                 /**< "null:DIR/script.json" */
    volatile int cancel;
    whet_run_opts opts; /**< Over all of these; seed 1, no budget. */
    whet_run_result result;
    whet_err err;
} kit;

int kit_setup(void **state);
int kit_teardown(void **state);

/** Write a file below kit->dir. */
void kit_write(kit *k, const char *name, const char *text);

/** Write the script: "rules" as JSON without the brackets, and further members
 *  ("\"build_ns\": 5,") or "". Default: 1 ms a call, no jitter. */
void kit_script(kit *k, const char *members, const char *rules);

/** Leave only template `name` in the folder of skills. */
void kit_only(kit *k, const char *name);

/** Run or resume into k->result; expects success. */
void kit_run(kit *k);
void kit_resume(kit *k);

/** The last message: one line, holding `words`. */
void kit_expect_message(const kit *k, const char *words);

/** Begin a run by hand. kit_end closes it. */
whet_run *kit_begin(kit *k);
void kit_end(whet_run *run);

/** Text of a trial's point. Static per call: caller frees. */
char *kit_point(const whet_run *run, int trial);

/** Events of a kind in the ledger ("" = all). */
size_t kit_count(kit *k, const char *kind);

/** Data of the last event of a kind; caller json_decref's. */
json_t *kit_last(kit *k, const char *kind);

#endif /* SEARCH_KIT_H */
