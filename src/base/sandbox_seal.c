/* The system call filters. Both are allow-lists: what is in no list answers
 * ENOSYS, as an older kernel would, so that libraries fall back; what a
 * hostile program would try answers EPERM. */

#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* Compute, memory, time, own identity. */
static const char *const calls_common[] = {
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv",
    "pwritev", "close", "lseek", "fstat", "fsync", "fdatasync",
    /* memory */
    "mmap", "munmap", "mprotect", "mremap", "brk", "msync", "mincore",
    "membarrier",
    /* threads that exist already */
    "futex", "sched_yield", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "set_robust_list", "get_robust_list", "rseq",
    "gettid", "getpid", "getcpu",
    /* time */
    "clock_gettime", "clock_getres", "gettimeofday", "time", "times",
    "getrusage", "nanosleep", "clock_nanosleep", "restart_syscall",
    /* signals to handle, none to send */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
    "sigaltstack",
    /* waiting on own descriptors */
    "poll", "ppoll", "select", "pselect6",
    /* identity and facts */
    "getuid", "geteuid", "getgid", "getegid", "getppid", "uname", "sysinfo",
    "getrandom", "getcwd",
    /* end */
    "exit", "exit_group"};

/* Files by path: harmless in a mount namespace that holds none of value. */
static const char *const calls_files[] = {
    "open",       "openat",     "creat",    "stat",       "lstat",
    "newfstatat", "statx",      "statfs",   "fstatfs",    "access",
    "faccessat",  "faccessat2", "readlink", "readlinkat", "getdents",
    "getdents64", "mkdir",      "mkdirat",  "rmdir",      "unlink",
    "unlinkat",   "rename",     "renameat", "renameat2",  "ftruncate",
    "truncate",   "fallocate",  "umask"};

/* What a compiler driver and its children need besides. */
static const char *const calls_build[] = {"clone",
                                          "fork",
                                          "vfork",
                                          "execve",
                                          "execveat",
                                          "fcntl",
                                          "wait4",
                                          "waitid",
                                          "kill",
                                          "tkill",
                                          "tgkill",
                                          "rt_sigqueueinfo",
                                          "rt_tgsigqueueinfo",
                                          "rt_sigsuspend",
                                          "rt_sigtimedwait",
                                          "pause",
                                          "alarm",
                                          "setitimer",
                                          "getitimer",
                                          "timer_create",
                                          "timer_settime",
                                          "timer_gettime",
                                          "timer_delete",
                                          "timer_getoverrun",
                                          "timerfd_create",
                                          "timerfd_settime",
                                          "timerfd_gettime",
                                          "set_tid_address",
                                          "arch_prctl",
                                          "setpgid",
                                          "getpgid",
                                          "getpgrp",
                                          "setsid",
                                          "getsid",
                                          "getpriority",
                                          "setpriority",
                                          "sched_setaffinity",
                                          "sched_get_priority_max",
                                          "sched_get_priority_min",
                                          "getgroups",
                                          "getresuid",
                                          "getresgid",
                                          "capget",
                                          "prlimit64",
                                          "getrlimit",
                                          "setrlimit",
                                          "pipe",
                                          "pipe2",
                                          "dup",
                                          "dup2",
                                          "dup3",
                                          "eventfd",
                                          "eventfd2",
                                          "signalfd",
                                          "signalfd4",
                                          "epoll_create",
                                          "epoll_create1",
                                          "epoll_ctl",
                                          "epoll_wait",
                                          "epoll_pwait",
                                          "memfd_create",
                                          "ioctl",
                                          "chdir",
                                          "fchdir",
                                          "chmod",
                                          "fchmod",
                                          "fchmodat",
                                          "chown",
                                          "fchown",
                                          "fchownat",
                                          "lchown",
                                          "link",
                                          "linkat",
                                          "symlink",
                                          "symlinkat",
                                          "utime",
                                          "utimes",
                                          "utimensat",
                                          "futimesat",
                                          "mknod",
                                          "mknodat",
                                          "sendfile",
                                          "copy_file_range",
                                          "splice",
                                          "tee",
                                          "sync_file_range",
                                          "readahead",
                                          "fadvise64",
                                          "flock",
                                          "madvise",
                                          "inotify_init",
                                          "inotify_init1",
                                          "inotify_add_watch",
                                          "inotify_rm_watch",
                                          "getxattr",
                                          "lgetxattr",
                                          "fgetxattr",
                                          "listxattr",
                                          "llistxattr",
                                          "flistxattr",
                                          "mlock",
                                          "munlock",
                                          "mlock2",
                                          "get_mempolicy",
                                          "mbind",
                                          "set_mempolicy",
                                          "futex_waitv",
                                          "close_range",
                                          "preadv2",
                                          "pwritev2",
                                          "openat2"};

/* Never, in either profile: EPERM rather than ENOSYS, since a program that
 * tries again another way would only waste time. */
static const char *const calls_forbidden[] = {"socket",
                                              "socketpair",
                                              "connect",
                                              "bind",
                                              "listen",
                                              "accept",
                                              "accept4",
                                              "sendmsg",
                                              "sendmmsg",
                                              "recvmsg",
                                              "recvmmsg",
                                              "shutdown",
                                              "ptrace",
                                              "process_vm_readv",
                                              "process_vm_writev",
                                              "process_madvise",
                                              "process_mrelease",
                                              "kcmp",
                                              "pidfd_open",
                                              "pidfd_getfd",
                                              "pidfd_send_signal",
                                              "unshare",
                                              "setns",
                                              "mount",
                                              "umount",
                                              "umount2",
                                              "mount_setattr",
                                              "move_mount",
                                              "open_tree",
                                              "fsopen",
                                              "fsconfig",
                                              "fsmount",
                                              "fspick",
                                              "pivot_root",
                                              "chroot",
                                              "bpf",
                                              "keyctl",
                                              "add_key",
                                              "request_key",
                                              "perf_event_open",
                                              "io_uring_setup",
                                              "io_uring_enter",
                                              "io_uring_register",
                                              "userfaultfd",
                                              "seccomp",
                                              "personality",
                                              "init_module",
                                              "finit_module",
                                              "delete_module",
                                              "kexec_load",
                                              "kexec_file_load",
                                              "reboot",
                                              "swapon",
                                              "swapoff",
                                              "acct",
                                              "quotactl",
                                              "setuid",
                                              "setgid",
                                              "setreuid",
                                              "setregid",
                                              "setresuid",
                                              "setresgid",
                                              "setgroups",
                                              "setfsuid",
                                              "setfsgid",
                                              "capset",
                                              "name_to_handle_at",
                                              "open_by_handle_at",
                                              "fanotify_init",
                                              "syslog",
                                              "iopl",
                                              "ioperm",
                                              "modify_ldt",
                                              "lookup_dcookie",
                                              "vhangup",
                                              "settimeofday",
                                              "clock_settime",
                                              "clock_adjtime",
                                              "adjtimex",
                                              "sethostname",
                                              "setdomainname",
                                              "io_setup",
                                              "io_submit",
                                              "shmget",
                                              "shmat",
                                              "shmctl",
                                              "semget",
                                              "semop",
                                              "semctl",
                                              "msgget",
                                              "msgsnd",
                                              "msgrcv",
                                              "msgctl",
                                              "mq_open",
                                              "memfd_secret",
                                              "landlock_create_ruleset"};

/* Forbidden to a worker, needed by a compiler. */
static const char *const calls_worker_forbidden[] = {"clone",
                                                     "clone3",
                                                     "fork",
                                                     "vfork",
                                                     "execve",
                                                     "execveat",
                                                     "kill",
                                                     "tkill",
                                                     "tgkill",
                                                     "rt_sigqueueinfo",
                                                     "rt_tgsigqueueinfo",
                                                     "timer_create",
                                                     "setitimer",
                                                     "alarm",
                                                     "prctl",
                                                     "wait4",
                                                     "waitid",
                                                     "dup",
                                                     "dup2",
                                                     "dup3",
                                                     "memfd_create",
                                                     "sched_setaffinity",
                                                     "sched_setscheduler",
                                                     "sched_setattr",
                                                     "sched_setparam",
                                                     "setpriority"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Allow a call if one argument, masked, equals a value. */
static int allow_if(scmp_filter_ctx ctx, int number, unsigned arg,
                    uint64_t mask, uint64_t value)
{
    struct scmp_arg_cmp cmp = {.arg = arg,
                               .op = SCMP_CMP_MASKED_EQ,
                               .datum_a = mask,
                               .datum_b = value};

    return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, number, 1, &cmp);
}

/* Add one action for each name. A name that this libseccomp or this machine
 * does not know cannot be called by it: the default answers. */
static int add_names(scmp_filter_ctx ctx, uint32_t action,
                     const char *const *names, size_t count)
{
    size_t i;
    int rc = 0;

    for (i = 0; i < count && rc == 0; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);

        if (number != __NR_SCMP_ERROR)
            rc = seccomp_rule_add(ctx, action, number, 0);
    }
    return rc;
}

static int add_worker(scmp_filter_ctx ctx)
{
    /* None that has the kernel send signals (F_SETOWN, F_SETSIG, F_NOTIFY,
     * F_SETLEASE): a SIGCONT by such a way would undo a freeze. No locks
     * either (nor flock): those on files in /usr bind the host's programs. */
    static const int fcntl_allowed[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL,
                                        F_DUPFD_CLOEXEC};
    /* None that leaves the kernel with work to do while the worker is frozen
     * (MADV_WILLNEED of files, MADV_MERGEABLE, MADV_PAGEOUT), so that the
     * other arm would be timed beside it. */
    static const int madvise_allowed[] = {
        MADV_NORMAL,     MADV_RANDOM,   MADV_SEQUENTIAL,
        MADV_DONTNEED,   MADV_FREE,     MADV_HUGEPAGE,
        MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP};
    const uint32_t deny = SCMP_ACT_ERRNO(EPERM);
    size_t i;
    int rc;

    rc = add_names(ctx, deny, calls_worker_forbidden,
                   LENGTH(calls_worker_forbidden));
    for (i = 0; i < LENGTH(fcntl_allowed) && rc == 0; i++)
        rc = allow_if(ctx, SCMP_SYS(fcntl), 1, UINT32_MAX,
                      (uint64_t)fcntl_allowed[i]);
    for (i = 0; i < LENGTH(madvise_allowed) && rc == 0; i++)
        rc = allow_if(ctx, SCMP_SYS(madvise), 2, UINT32_MAX,
                      (uint64_t)madvise_allowed[i]);
    /* send and recv on the one connected socket, without an address. */
    if (rc == 0)
        rc = allow_if(ctx, SCMP_SYS(sendto), 4, UINT64_MAX, 0);
    if (rc == 0)
        rc = allow_if(ctx, SCMP_SYS(recvfrom), 4, UINT64_MAX, 0);
    /* Reading limits is harmless; setting them is not needed. */
    if (rc == 0)
        rc = allow_if(ctx, SCMP_SYS(prlimit64), 2, UINT64_MAX, 0);
    /* "Not a terminal" is what stdio expects of a socket or a file. */
    if (rc == 0)
        rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 0);
    return rc;
}

static int add_build(scmp_filter_ctx ctx)
{
    static const int prctl_allowed[] = {PR_SET_NAME,      PR_GET_NAME,
                                        PR_SET_PDEATHSIG, PR_GET_PDEATHSIG,
                                        PR_GET_DUMPABLE,  PR_SET_NO_NEW_PRIVS,
                                        PR_CAPBSET_READ};
    const uint64_t new_ns = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
                            CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                            CLONE_NEWCGROUP;
    size_t i;
    int rc = 0;

    for (i = 0; i < LENGTH(calls_build) && rc == 0; i++) {
        int number = seccomp_syscall_resolve_name(calls_build[i]);

        if (number == __NR_SCMP_ERROR)
            continue;
        /* clone3 hides its flags in memory, so it stays ENOSYS and the C
         * library falls back to clone, whose flags a filter can see. */
        if (strcmp(calls_build[i], "clone") == 0)
            rc = allow_if(ctx, number, 0, new_ns, 0);
        else
            rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, number, 0);
    }
    for (i = 0; i < LENGTH(prctl_allowed) && rc == 0; i++)
        rc = allow_if(ctx, SCMP_SYS(prctl), 0, UINT32_MAX,
                      (uint64_t)prctl_allowed[i]);
    return rc;
}

whet_status whet_sandbox_seal(whet_sandbox_profile profile, whet_err *err)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    whet_status st = WHET_OK;
    int rc;

    if (ctx == NULL)
        return whet_err_set(err, WHET_ENOMEM,
                            "sandbox: no memory for the "
                            "system call filter");
    rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 1);
    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
    /* Calls by another ABI (32-bit, x32) end the process. */
    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
                              SCMP_ACT_KILL_PROCESS);
    if (rc == 0)
        rc = add_names(ctx, SCMP_ACT_ALLOW, calls_common, LENGTH(calls_common));
    if (rc == 0)
        rc = add_names(ctx, SCMP_ACT_ALLOW, calls_files, LENGTH(calls_files));
    if (rc == 0)
        rc = add_names(ctx, SCMP_ACT_ERRNO(EPERM), calls_forbidden,
                       LENGTH(calls_forbidden));
    if (rc == 0)
        rc = profile == WHET_SANDBOX_WORKER ? add_worker(ctx) : add_build(ctx);
    if (rc == 0)
        rc = seccomp_load(ctx);
    if (rc != 0)
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "the kernel refused the system call filter: %s",
                          strerror(-rc));
    seccomp_release(ctx);
    return st;
}
