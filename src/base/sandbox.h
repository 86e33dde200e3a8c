#ifndef WHET_SANDBOX_H
#define WHET_SANDBOX_H

/* A sandbox for processes that run or compile hostile code: bubblewrap gives
 * new user, mount, pid, net, ipc, uts (and cgroup) namespaces with only the
 * listed paths visible, no capabilities, and a cleared environment; a root
 * supervisor becomes an unprivileged user first. The process inside installs
 * a seccomp allow-list with whet_sandbox_seal once its trusted start-up is
 * over. */

#include "base/err.h"
#include "base/process.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where the program of `program_fd` appears. As argv[0] it means "that
 *  program", with and without a sandbox. */
#define WHET_SANDBOX_PROGRAM "/whet"

/** What this machine offers. */
typedef struct whet_sandbox_facts {
    bool has_bwrap;      /**< bubblewrap found. */
    bool has_namespaces; /**< A sandbox was started and could not see the
                              host's files. */
    bool has_seccomp;
    char bwrap_path[256];
    char reason[200]; /**< Why a part is missing, and the remedy; "" if all
                           is there. */
} whet_sandbox_facts;

/** Look, by starting one sandbox. Takes about 20 ms. Cannot fail: what is
 *  missing is told in `reason`. $WHET_BWRAP names another bubblewrap. */
void whet_sandbox_probe(whet_sandbox_facts *out);

/** A path made visible inside at the same place. */
typedef struct whet_sandbox_bind {
    const char *host_path;
    const char *inside_path; /**< NULL = same. */
    bool writable;
    bool optional; /**< Skip if the host path does not exist. */
} whet_sandbox_bind;

typedef struct whet_sandbox_opts {
    const whet_sandbox_facts *facts; /**< Required, from whet_sandbox_probe. */
    const whet_sandbox_bind *binds;  /**< Besides /usr and the links /bin, /lib,
                                          /lib64, /sbin into it, and /etc/ld.so.
                                          cache, all read-only. */
    size_t bind_count;
    bool has_proc; /**< Mount a fresh /proc (of the new pid namespace). */
    bool has_dev;  /**< Mount a minimal /dev. */
    bool is_pid_1; /**< The program itself is pid 1 inside: freezing it then
                        freezes all (used for workers). */
    /** A descriptor on which bubblewrap writes its info JSON with the outside
     *  pid of the program ("child-pid"); 0 = none. */
    int info_fd;
    /** A descriptor, in the child, on a program file: its bytes appear inside
     *  as WHET_SANDBOX_PROGRAM, executable, wherever the file lies (its folder
     *  may be closed to the unprivileged user); 0 = none. Open it afresh for
     *  each start, since it is read from its offset. Without a sandbox the
     *  program is run as /proc/self/fd/N. */
    int program_fd;
    bool is_off; /**< --unsafe: run without any sandbox. */
} whet_sandbox_opts;

/**
 * Build the argument vector that runs `argv` inside the sandbox. A private
 * executable tmpfs is at /tmp; the working directory is /tmp. For the caller:
 * set run_as_uid of whet_process_opts to whet_sandbox_uid().
 *
 * @param out  NULL-terminated, caller frees with whet_sandbox_argv_free
 * @return WHET_EUNSUPPORTED with the reason when there is no sandbox and
 *         `is_off` is false
 */
whet_status whet_sandbox_argv(char ***out, const char *const *argv,
                              const char *const *env,
                              const whet_sandbox_opts *opts, whet_err *err);

/**
 * Read the pid, as seen from outside, of the program that runs inside.
 *
 * @param info_read_fd  read end of the pipe whose write end is
 *                      whet_sandbox_opts.info_fd in the child; stays open
 * @return WHET_ETIMEOUT; WHET_EFAIL if bubblewrap ended without telling (its
 *         complaint is on the child's stderr), WHET_EINVAL if the text is not
 *         what bubblewrap writes
 *
 * The program has been forked but may not have been started yet. Without a
 * sandbox (is_off) nothing is told: the pid is that of whet_process.
 */
whet_status whet_sandbox_read_pid(pid_t *pid_out, int info_read_fd,
                                  uint64_t timeout_ns, whet_err *err);

/** Free what whet_sandbox_argv gave. NULL is fine. */
void whet_sandbox_argv_free(char **argv);

/** 65534 when running as root, else 0 (stay). */
uid_t whet_sandbox_uid(void);

/** Which system calls stay allowed. Unknown calls answer ENOSYS, known
 *  dangerous ones EPERM; a call by another ABI (32-bit, x32) kills. */
typedef enum whet_sandbox_profile {
    /** Worker after start-up: compute, memory, futex, time, opening files of
     *  its (empty) mount namespace, and its one socket by read, write, send
     *  and recv without an address (no sendmsg and recvmsg: no descriptors
     *  travel); no new process, thread, exec, socket or signal. ioctl answers
     *  ENOTTY. abort() therefore ends in SIGSEGV. */
    WHET_SANDBOX_WORKER,
    /** Compiler: ordinary programs, with processes and threads, without
     *  sockets, ptrace, mounts, namespaces, keys, bpf, perf, io_uring,
     *  userfaultfd and process_vm calls. clone3 answers ENOSYS, so that its
     *  flags cannot hide. */
    WHET_SANDBOX_BUILD
} whet_sandbox_profile;

/**
 * Set no-new-privs and install the seccomp filter on all threads of the
 * calling process; it cannot be taken off and programs started later inherit
 * it. Threads that a worker needs must exist before.
 *
 * @return WHET_EUNSUPPORTED if the kernel refuses
 */
whet_status whet_sandbox_seal(whet_sandbox_profile profile, whet_err *err);

/**
 * Stop every thread of a worker and wait until the kernel says that they are
 * stopped. Polls /proc/PID/task; some 0.2 ms for four threads. On failure a
 * process that still exists stays stopped: kill it or thaw it.
 *
 * @param timeout_ns  give up after
 * @return WHET_EFAIL if the process is gone or has children;
 *         WHET_ETIMEOUT
 */
whet_status whet_sandbox_freeze(pid_t pid, uint64_t timeout_ns, whet_err *err);

/** Let a frozen worker go on (SIGCONT). */
whet_status whet_sandbox_thaw(pid_t pid, whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_SANDBOX_H */
