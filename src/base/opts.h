#ifndef WHET_OPTS_H
#define WHET_OPTS_H

/* Table-driven command line. Commands and options are rows; help, defaults,
 * ranges, environment names and "did you mean" come from the rows. */

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum whet_opt_type {
    WHET_OPT_FLAG = 0, /**< bool; no value on the line. */
    WHET_OPT_STRING,   /**< const char *, borrowed from argv or environment. */
    WHET_OPT_I64,      /**< int64_t, within [min, max]. */
    WHET_OPT_F64,      /**< double, within [min, max]. */
    WHET_OPT_DURATION, /**< uint64_t nanoseconds: "500ms", "30s", "10m", "2h";
                            a bare number is seconds; range in seconds. */
    WHET_OPT_CHOICE    /**< int: index into choices. */
} whet_opt_type;

/** One option: `--name VALUE` or `--name=VALUE`, and -x if short_name. */
typedef struct whet_opt {
    const char *name;
    char short_name; /**< 0 = none. */
    whet_opt_type type;
    size_t offset;        /**< Of the field in the command's options struct. */
    const char *fallback; /**< Default as text; NULL = zero. */
    double min, max;      /**< Range; both 0 = any. */
    const char *env;      /**< Environment name read if not on the line. */
    const char *value_name;     /**< "N", "FILE", ... for help. */
    const char *const *choices; /**< NULL-terminated, for WHET_OPT_CHOICE. */
    const char *help;           /**< One line. */
} whet_opt;

/** Words that are not options. */
typedef struct whet_args {
    const char *const *items; /**< Borrowed from argv. */
    size_t count;
} whet_args;

/** One sub-command. */
typedef struct whet_command {
    const char *name;    /**< "run", or two words: "task check". */
    const char *usage;   /**< Positional words for help: "TASK". */
    const char *summary; /**< One line. */
    const char *detail;  /**< More lines for its own --help; may be NULL. */
    const whet_opt *opts;
    size_t opt_count;
    size_t opts_bytes;      /**< Size of the options struct. */
    int min_args, max_args; /**< Positional words; max -1 = any. */
    bool is_hidden;         /**< Not in help: internal. */
    /** @return process exit status. `opts` points to the filled struct. */
    int (*run)(const void *opts, const whet_args *args);
} whet_command;

/** The whole tool. */
typedef struct whet_cli {
    const char *program; /**< "whet" */
    const char *version; /**< "0.1.0" */
    const char *summary;
    const whet_command *const *commands;
    size_t command_count;
} whet_cli;

/**
 * Parse argv and run the command found. `--help` (also per command),
 * `--version` and `help [COMMAND]` are built in. A usage error prints one
 * line to stderr and gives 2.
 *
 * @return process exit status
 */
int whet_cli_main(const whet_cli *cli, int argc, char **argv);

/** Fill an options struct with defaults, environment and argv of one command
 *  (what whet_cli_main does before `run`); for tests.
 *  @param args_out  its items are freed by the caller with free() */
whet_status whet_opts_parse(void *dest, whet_args *args_out,
                            const whet_command *command, int argc,
                            char *const *argv, whet_err *err);

/** Append the help text of one command. */
void whet_opts_help(whet_buf *out, const whet_cli *cli,
                    const whet_command *command);

#ifdef __cplusplus
}
#endif

#endif /* WHET_OPTS_H */
