/* From fork to exec: descriptors, limits, user, parent-death signal. The
 * parent may have threads, so the child calls async-signal-safe functions
 * only; all memory that it needs is allocated before the fork. */

#include "base/mem.h"
#include "base/process_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* Where a child failed; told to the parent through a pipe that exec closes. */
enum stage { STAGE_FDS, STAGE_CWD, STAGE_LIMITS, STAGE_USER, STAGE_EXEC };

struct report {
    int stage;
    int error;
};

struct plan {
    const whet_process_opts *opts;
    const int *std_fds;
    int report_fd;
    int *moved;    /* 3 + fd_count numbers above every wanted number */
    pid_t parent;  /* to notice that it died before PDEATHSIG was set */
    sigset_t mask; /* of the calling thread, restored in the parent */
};

static void fail(int report_fd, enum stage stage)
{
    struct report report = {.stage = (int)stage, .error = errno};
    ssize_t written = write(report_fd, &report, sizeof report);

    (void)written; /* the parent is gone then: nobody to tell */
    _exit(127);
}

/* Let exec close everything from 3 up. */
static void mark_all_cloexec(void)
{
    struct rlimit lim;
    rlim_t fd;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        return;
#endif
    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur > 1U << 22)
        lim.rlim_cur = 1U << 22;
    for (fd = 3; fd < lim.rlim_cur; fd++)
        (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

/* Put the descriptors at their numbers. Each first moves above all wanted
 * numbers, so that no dup2 overwrites one that is still needed. */
static int place_fds(struct plan *plan)
{
    const whet_process_opts *opts = plan->opts;
    int floor = 3;
    size_t i;

    for (i = 0; i < opts->fd_count; i++)
        if (opts->fds[i].child_fd >= floor)
            floor = opts->fds[i].child_fd + 1;
    plan->report_fd = fcntl(plan->report_fd, F_DUPFD_CLOEXEC, floor);
    if (plan->report_fd < 0)
        return -1;
    for (i = 0; i < 3 + opts->fd_count; i++) {
        int from = i < 3 ? plan->std_fds[i] : opts->fds[i - 3].parent_fd;

        plan->moved[i] = fcntl(from, F_DUPFD_CLOEXEC, floor);
        if (plan->moved[i] < 0)
            return -1;
    }
    mark_all_cloexec();
    for (i = 0; i < 3 + opts->fd_count; i++) {
        int to = i < 3 ? (int)i : opts->fds[i - 3].child_fd;

        if (dup2(plan->moved[i], to) < 0)
            return -1;
    }
    return 0;
}

/* Lower one limit; never raise it. */
static int lower_limit(int which, uint64_t value)
{
    struct rlimit lim;

    if (getrlimit(which, &lim) != 0)
        return -1;
    if (lim.rlim_max == RLIM_INFINITY || value < lim.rlim_max)
        lim.rlim_max = (rlim_t)value;
    if (lim.rlim_cur == RLIM_INFINITY || lim.rlim_max < lim.rlim_cur)
        lim.rlim_cur = lim.rlim_max;
    return setrlimit(which, &lim);
}

static int lower_limits(const whet_process_limits *limits)
{
    const struct {
        int which;
        uint64_t value;
    } rows[] = {
        {RLIMIT_AS, limits->address_space_bytes},
        {RLIMIT_DATA, limits->data_bytes},
        {RLIMIT_CPU, limits->cpu_s},
        {RLIMIT_FSIZE, limits->file_bytes},
        {RLIMIT_NOFILE, limits->open_files_count},
        {RLIMIT_NPROC, limits->process_count},
    };
    size_t i;

    if (lower_limit(RLIMIT_CORE, 0) != 0)
        return -1;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value != 0 && lower_limit(rows[i].which, rows[i].value))
            return -1;
    return 0;
}

/* Without /proc or the right to write there, a child is like any other. */
static void make_expendable(void)
{
    static const char most[] = "1000";
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t written;

    if (fd < 0)
        return;
    written = write(fd, most, sizeof most - 1);
    (void)written;
    close(fd);
}

static int switch_user(uid_t uid)
{
    gid_t gid = (gid_t)uid;

    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0)
        return -1;
    return setresuid(uid, uid, uid);
}

/* Runs in the child with all signals blocked; never returns. */
static void child_main(struct plan *plan)
{
    static char *const empty_env[] = {NULL};
    const whet_process_opts *opts = plan->opts;
    sigset_t none;
    int sig;

    /* A handler of the parent must not run here, and an ignored signal would
     * stay ignored after exec. */
    for (sig = 1; sig < NSIG; sig++)
        (void)signal(sig, SIG_DFL);
    (void)setpgid(0, 0);
    if (place_fds(plan) != 0)
        fail(plan->report_fd, STAGE_FDS);
    if (opts->cwd != NULL && chdir(opts->cwd) != 0)
        fail(plan->report_fd, STAGE_CWD);
    if (lower_limits(&opts->limits) != 0)
        fail(plan->report_fd, STAGE_LIMITS);
    if (opts->is_expendable)
        make_expendable();
    if (opts->run_as_uid != 0 && switch_user(opts->run_as_uid) != 0)
        fail(plan->report_fd, STAGE_USER);
    /* After the change of user, which clears it. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan->parent)
        _exit(127);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    execve(opts->argv[0], (char *const *)opts->argv,
           opts->env ? (char *const *)opts->env : empty_env);
    fail(plan->report_fd, STAGE_EXEC);
}

/* What the child told before exec closed the pipe.
 * Returns true if it told something. */
static bool read_report(struct report *report, int fd)
{
    ssize_t got;

    do
        got = read(fd, report, sizeof *report);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *report;
}

static whet_status describe(const struct report *report,
                            const whet_process_opts *opts, whet_err *err)
{
    const char *program = opts->argv[0];

    switch (report->stage) {
    case STAGE_CWD:
        return whet_err_errno(err, report->error,
                              "%s: cannot enter the working folder %s", program,
                              opts->cwd);
    case STAGE_LIMITS:
        return whet_err_errno(err, report->error, "%s: cannot lower its limits",
                              program);
    case STAGE_USER:
        return whet_err_errno(err, report->error,
                              "%s: cannot become user %u (needs root)", program,
                              (unsigned)opts->run_as_uid);
    default:
        return whet_err_errno(err, report->error,
                              "%s: cannot hand over its descriptors", program);
    }
}

/* fork with all signals blocked, so that no handler of ours runs in the
 * child. */
static pid_t fork_child(struct plan *plan)
{
    sigset_t all;
    pid_t pid;

    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &plan->mask);
    pid = fork();
    if (pid == 0)
        child_main(plan);
    (void)pthread_sigmask(SIG_SETMASK, &plan->mask, NULL);
    return pid;
}

static whet_status check_opts(const whet_process_opts *opts, whet_err *err)
{
    size_t i;

    if (opts->argv == NULL || opts->argv[0] == NULL)
        return whet_err_set(err, WHET_EFAIL, "process: no program given");
    for (i = 0; i < opts->fd_count; i++)
        if (opts->fds[i].child_fd < 3)
            return whet_err_set(
                err, WHET_EFAIL,
                "%s: descriptor number %d in the child, expected 3 or more",
                opts->argv[0], opts->fds[i].child_fd);
    return WHET_OK;
}

whet_status whet_process__spawn(pid_t *pid_out, int *exec_errno_out,
                                const whet_process_opts *opts,
                                const int std_fds[3], whet_err *err)
{
    struct plan plan = {.opts = opts, .std_fds = std_fds, .parent = getpid()};
    struct report report = {0, 0};
    int report_fds[2] = {-1, -1};
    whet_status st;
    pid_t pid;

    *pid_out = 0;
    *exec_errno_out = 0;
    if ((st = check_opts(opts, err)) != WHET_OK)
        return st;
    plan.moved = calloc(3 + opts->fd_count, sizeof *plan.moved);
    if (plan.moved == NULL)
        return whet_err_set(err, WHET_ENOMEM, "process: out of memory");
    if (pipe2(report_fds, O_CLOEXEC) != 0) {
        st =
            whet_err_errno(err, errno, "%s: cannot make a pipe", opts->argv[0]);
        goto out;
    }
    plan.report_fd = report_fds[1];
    pid = fork_child(&plan);
    if (pid < 0) {
        st = whet_err_errno(err, errno, "%s: cannot start a process",
                            opts->argv[0]);
        goto out;
    }
    (void)setpgid(pid, pid);
    close(report_fds[1]);
    report_fds[1] = -1;
    if (!read_report(&report, report_fds[0])) {
        *pid_out = pid;
        goto out;
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (report.stage == STAGE_EXEC)
        *exec_errno_out = report.error;
    else
        st = describe(&report, opts, err);
out:
    if (report_fds[0] >= 0)
        close(report_fds[0]);
    if (report_fds[1] >= 0)
        close(report_fds[1]);
    free(plan.moved);
    return st;
}
