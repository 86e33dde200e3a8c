#ifndef WHET_PROCESS_H
#define WHET_PROCESS_H

/* Child processes: argument vectors only (no shell), a cleared environment by
 * default, own process group, a deadline that kills the whole group, capped
 * output, resource limits, and a classified exit. Children die with the
 * parent (PR_SET_PDEATHSIG), also when it is killed with SIGKILL; to the
 * kernel the parent is the thread that started the child, so a thread that
 * starts a worker has to live as long as the worker. SIGCHLD must not be
 * ignored, or exits cannot be classified. Thread-safe. */

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a child; 0 leaves a limit as it is, and no limit is ever raised.
 *  Core dumps are always off. */
typedef struct whet_process_limits {
    uint64_t address_space_bytes;
    uint64_t data_bytes; /**< Writable memory of its own, reserved or not. */
    uint64_t cpu_s;
    uint64_t file_bytes;
    uint64_t open_files_count;
    uint64_t process_count; /**< Does not bind root: set run_as_uid too. */
} whet_process_limits;

/** A descriptor to hand to the child. */
typedef struct whet_process_fd {
    int parent_fd;
    int child_fd; /**< Number in the child, 3 or more; made inheritable. */
} whet_process_fd;

/** What to start. Zero is the default of every field but argv. */
typedef struct whet_process_opts {
    const char *const *argv; /**< NULL-terminated; argv[0] is a path. */
    const char *const *env;  /**< "NAME=value", NULL-terminated; NULL = empty
                                  environment. */
    const char *cwd;
    const void *stdin_data; /**< Fed to the child, then closed; NULL = empty. */
    size_t stdin_bytes;
    size_t stdout_max_bytes; /**< Kept; the rest is drained and dropped. */
    size_t stderr_max_bytes;
    uint64_t timeout_ns; /**< 0 = none. */
    whet_process_limits limits;
    const whet_process_fd *fds; /**< All other descriptors above 2 close. */
    size_t fd_count;
    bool is_expendable; /**< The first to go if the machine runs out of memory;
                             inherited by its children. */
    uid_t run_as_uid;   /**< Switch to this user and group before exec; needs
                             root; 0 = stay. */
} whet_process_opts;

typedef enum whet_exit_kind {
    WHET_EXIT_CODE = 0, /**< Exited by itself; see code. */
    WHET_EXIT_SIGNAL,   /**< Killed by a signal; see code. */
    WHET_EXIT_TIMEOUT,  /**< Deadline passed; the group was killed. */
    WHET_EXIT_NOT_RUN   /**< exec failed; see code (errno). Only from
                             whet_process_run. */
} whet_exit_kind;

/** How a child ended. Freed by whet_process_result_deinit. */
typedef struct whet_process_result {
    whet_exit_kind kind;
    int code; /**< Exit status, signal number or errno. */
    whet_buf out;
    whet_buf err;
    bool out_cut; /**< More was written than kept. */
    bool err_cut;
    uint64_t wall_ns;
} whet_process_result;

/** Release the captured output. */
void whet_process_result_deinit(whet_process_result *result);

/**
 * Run a child to its end. What it leaves running in its group is killed then;
 * a descendant that left the group (setsid) is not waited for.
 *
 * @return WHET_OK however the child ended (see result->kind); WHET_EFAIL if no
 *         process or pipe could be made or the child could not be prepared
 *         (working folder, limits, user, descriptors); WHET_ENOMEM
 */
whet_status whet_process_run(whet_process_result *result,
                             const whet_process_opts *opts, whet_err *err);

/** A child that runs beside us (a worker). */
typedef struct whet_process {
    pid_t pid;     /**< 0 when not running. Also its process group. */
    int stderr_fd; /**< Read end of the child's stderr (non-blocking), or -1. */
} whet_process;

/**
 * Start a child. stdin is empty, stdout and stderr go to one pipe
 * (`stderr_fd`). timeout_ns, stdin_data and the *_max_bytes are ignored.
 *
 * @return WHET_EFAIL as for whet_process_run, and if exec failed
 */
whet_status whet_process_start(whet_process *process,
                               const whet_process_opts *opts, whet_err *err);

/** Kill the whole group with SIGKILL, reap the child, close the pipe.
 *  Harmless on a child that is not running, also on a zeroed struct. A
 * sandboxed program is in a session of its own: it dies with bubblewrap, some
 *  milliseconds later. */
void whet_process_kill(whet_process *process);

/**
 * Wait for the child up to `timeout_ns` (0 = only look).
 *
 * @return true once it has ended (reaped; *kind_out and *code_out are set);
 *         stderr_fd stays open for its last words until whet_process_kill
 */
bool whet_process_wait(whet_process *process, uint64_t timeout_ns,
                       whet_exit_kind *kind_out, int *code_out);

/** Text like "exit status 3", "signal 11 (Segmentation fault)". */
void whet_exit_describe(char *text, size_t text_bytes, whet_exit_kind kind,
                        int code);

#ifdef __cplusplus
}
#endif

#endif /* WHET_PROCESS_H */
