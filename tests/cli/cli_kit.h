#ifndef CLI_KIT_H
#define CLI_KIT_H

/* Runs the built program as a person would and looks at what it says. */

#include "base/base.h"

/** Folders for a group of tests, so that nothing of the user's is touched. */
typedef struct cli_kit {
    char *dir;        /**< Fresh; removed at the end. */
    char *binary;     /**< $WHET_BINARY. */
    char *env[16];    /**< "NAME=value", NULL-terminated. */
    size_t env_count; /**< cli_kit_set adds or replaces. */
} cli_kit;

/** Group set-up and tear-down; *state is a cli_kit. All tests of the group are
 *  left out if $WHET_BINARY is not set. */
int cli_kit_open(void **state);
int cli_kit_close(void **state);

/** Set a variable of the program's environment; NULL removes it. */
void cli_kit_set(cli_kit *kit, const char *name, const char *value);

/** Run with NULL-terminated words; fails the test unless it exits by itself.
 *  @param result  caller deinits
 *  @return exit status */
int cli_kit_run(whet_process_result *result, const cli_kit *kit,
                const char *const *words);

/** Run, expect this status and this part of stdout (NULL = nothing on stdout)
 *  and of stderr (NULL = nothing on stderr). */
void cli_kit_expect(const cli_kit *kit, const char *const *words, int status,
                    const char *out_part, const char *err_part);

/** Run, expect status 0 and JSON on stdout. Caller json_decref's. */
json_t *cli_kit_json(const cli_kit *kit, const char *const *words, int status);

/** Write a file below kit->dir, making its folder. */
void cli_kit_write(const cli_kit *kit, const char *name, const char *text);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif /* CLI_KIT_H */
