#ifndef WHET_CLI_H
#define WHET_CLI_H

/* The command line. One cmd_<name>.c for each command (or small family, as
 * `task check` and `task list`) exports its rows as
 * `const whet_command whet_cmd_<name>`; commands.c is the one table of them.
 *
 * A command prints its result to stdout, for people or with --json, and
 * messages to stderr. Its exit status: 0 done, 1 the answer is "no", 2 bad use,
 * 3 environment. It reads files and answers; the work is in the rooms. */

#include "base/base.h"
#include "device/inventory.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The whole tool: name, version, every command. */
extern const whet_cli whet_cli_whet;

/* Every command, by file. */
extern const whet_command whet_cmd_arch;
extern const whet_command whet_cmd_calibrate;
extern const whet_command whet_cmd_devices;
extern const whet_command whet_cmd_doctor;
extern const whet_command whet_cmd_judge;
extern const whet_command whet_cmd_log, whet_cmd_show, whet_cmd_export;
extern const whet_command whet_cmd_run, whet_cmd_resume;
extern const whet_command whet_cmd_skills, whet_cmd_skills_show;
extern const whet_command whet_cmd_task_check, whet_cmd_task_compile;
extern const whet_command whet_cmd_task_list, whet_cmd_task_show;

/** Exit status of a command whose answer is "no". */
enum { WHET_CLI_NO = 1 };

/* Options that mean the same in every command. A command's options struct has
 * the field named here. */

/** `--json`; field `bool json`. */
#define WHET_CLI_OPT_JSON(opts_type)                                           \
    {                                                                          \
        .name = "json", .type = WHET_OPT_FLAG,                                 \
        .offset = offsetof(opts_type, json), .help = "Print JSON for programs" \
    }

/** `--device`; field `const char *device`. */
#define WHET_CLI_OPT_DEVICE(opts_type)                                         \
    {                                                                          \
        .name = "device", .type = WHET_OPT_STRING,                             \
        .offset = offsetof(opts_type, device), .env = "WHET_DEVICE",           \
        .value_name = "DEVICE",                                                \
        .help = "Where to run: auto, hip, cuda:0, cuda:0000:c1:00.0, opencl, " \
                "recorded:FILE, null:FILE"                                     \
    }

/** What WHET_CLI_OPTS_PICK fills. */
typedef struct whet_cli_pick_opts {
    const char *word;
    double max_mem_pct, max_use_pct;
    uint64_t wait_ns;
} whet_cli_pick_opts;

/** `--pick`, `--max-mem-pct`, `--max-use-pct`, `--wait`: four rows; field
 *  `whet_cli_pick_opts pick`. */
#define WHET_CLI_OPTS_PICK(opts_type)                                          \
    {.name = "pick",                                                           \
     .type = WHET_OPT_STRING,                                                  \
     .offset = offsetof(opts_type, pick.word),                                 \
     .fallback = "default",                                                    \
     .value_name = "HOW",                                                      \
     .help = "Which free card: default (first), random, min_mem, min_util"},   \
        {.name = "max-mem-pct",                                                \
         .type = WHET_OPT_F64,                                                 \
         .offset = offsetof(opts_type, pick.max_mem_pct),                      \
         .min = 0,                                                             \
         .max = 100,                                                           \
         .value_name = "PCT",                                                  \
         .help = "Pass over cards with this much memory in use; 0 = any"},     \
        {.name = "max-use-pct",                                                \
         .type = WHET_OPT_F64,                                                 \
         .offset = offsetof(opts_type, pick.max_use_pct),                      \
         .min = 0,                                                             \
         .max = 100,                                                           \
         .value_name = "PCT",                                                  \
         .help = "Pass over cards this busy; 0 = any"},                        \
    {                                                                          \
        .name = "wait", .type = WHET_OPT_DURATION,                             \
        .offset = offsetof(opts_type, pick.wait_ns), .fallback = "10m",        \
        .min = 0, .max = 31536000, .value_name = "TIME",                       \
        .help = "Wait this long for a card that is in use; 0 = do not"         \
    }

/** `--workload`; field `const char *workload`. */
#define WHET_CLI_OPT_WORKLOAD(opts_type)                                       \
    {                                                                          \
        .name = "workload", .type = WHET_OPT_STRING,                           \
        .offset = offsetof(opts_type, workload), .value_name = "NAME",         \
        .help = "Timed workload: name, number, or M=64,N=64,K=64 (default: "   \
                "the task's first)"                                            \
    }

/** `--baseline`; field `const char *baseline`. */
#define WHET_CLI_OPT_BASELINE(opts_type)                                       \
    {                                                                          \
        .name = "baseline", .type = WHET_OPT_STRING,                           \
        .offset = offsetof(opts_type, baseline), .value_name = "FILE",         \
        .help = "Reference kernel (default: the task's baseline)"              \
    }

/** `--unsafe`; field `bool unsafe`. */
#define WHET_CLI_OPT_UNSAFE(opts_type)                                         \
    {                                                                          \
        .name = "unsafe", .type = WHET_OPT_FLAG,                               \
        .offset = offsetof(opts_type, unsafe),                                 \
        .help = "Run native code without a sandbox; never makes a champion"    \
    }

/** `--again`; field `bool again`. */
#define WHET_CLI_OPT_AGAIN(opts_type)                                          \
    {                                                                          \
        .name = "again", .type = WHET_OPT_FLAG,                                \
        .offset = offsetof(opts_type, again),                                  \
        .help = "Judge even what failed before"                                \
    }

/** Options of a command that has --json only. */
typedef struct whet_cli_json_opts {
    bool json;
} whet_cli_json_opts;

/** Let SIGINT, SIGTERM and SIGHUP set the returned flag; a second one ends the
 *  process at once. */
const volatile int *whet_cli_interrupt(void);

/**
 * What the options of WHET_CLI_OPTS_PICK ask for; an interrupt ends a wait.
 *
 * @param log  borrowed by `out`
 * @return WHET_EINVAL for an unknown word
 */
whet_status whet_cli_pick(whet_pick_opts *out, const whet_cli_pick_opts *in,
                          const whet_log *log, whet_err *err);

/** Folder that remembers failures, "failures" of whet_fs_state_dir; caller
 *  frees. NULL if there is no folder for kept results. */
char *whet_cli_failures_dir(void);

/** Print "whet: MESSAGE" to stderr. @return exit status for the error */
int whet_cli_fail(const whet_err *err);

/** Print text to stdout and release it. @return 0, or 3 with a line on stderr
 *  if it could not be written (full disk) or memory ran out */
int whet_cli_print(whet_buf *text);

/** Print a JSON value, indented, to stdout and release the reference; NULL
 *  counts as out of memory. @return as whet_cli_print */
int whet_cli_print_json(json_t *value);

/** JSON string of outside text, escaped and bounded; NULL gives JSON null.
 *  NULL on out of memory. */
json_t *whet_cli_json_text(const char *text);

/** Append outside text, say a path, as a word of a command to be pasted into
 *  a shell: quoted where needed, and nothing that disturbs a terminal. */
void whet_cli_add_word(whet_buf *out, const char *text);

/**
 * Append outside text and a newline, broken between words into lines of 100
 * columns: what must not be cut, say a remedy or a source.
 *
 * @param column  columns that the line has already
 * @param indent  blanks in front of each further line
 */
void whet_cli_add_wrapped(whet_buf *out, const char *text, size_t column,
                          size_t indent);

/** Append "12.3 KiB", "7.8 GiB". */
void whet_cli_add_bytes(whet_buf *out, uint64_t bytes);

/** Append a rate in four digits with a decimal prefix, "12.34 G" and `unit`:
 *  bandwidths of one device differ in the third. */
void whet_cli_add_rate(whet_buf *out, double per_s, const char *unit);

#ifdef __cplusplus
}
#endif

#endif /* WHET_CLI_H */
