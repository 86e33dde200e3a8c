/* Running children: pipes, deadlines, capped output, classified exits. What
 * happens between fork and exec is in process_spawn.c. */

#include "base/process.h"
#include "base/process_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    /* Read after the end of the child: more than a pipe holds by default, and
     * a bound on a process that escaped the group and keeps writing. */
    LAST_READS = 32,
    /* Without pidfd (before Linux 5.3) the end is looked for this often. */
    SLICE_MS = 5
};

/* One captured stream. */
struct sink {
    int fd; /* -1 at its end */
    whet_buf *buf;
    size_t max_bytes;
    bool *cut;
};

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

static whet_status open_pipe(int *read_out, int *write_out, whet_err *err)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0)
        return whet_err_errno(err, errno, "process: cannot make a pipe");
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    if (fds[0] == 0) { /* stdin is closed here; 0 means "none" elsewhere */
        fds[0] = fcntl(0, F_DUPFD_CLOEXEC, 3);
        close(0);
    }
    *read_out = fds[0];
    *write_out = fds[1];
    return WHET_OK;
}

/* A file without a name, for the child's stdin: unlike a pipe it needs no
 * feeding and cannot raise SIGPIPE here. */
static int open_nameless(void)
{
    FILE *file;
    int fd = memfd_create("stdin", MFD_CLOEXEC);

    if (fd >= 0)
        return fd;
    file = tmpfile();
    if (file == NULL)
        return -1;
    fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
    fclose(file);
    return fd;
}

static whet_status open_stdin(int *fd_out, const whet_process_opts *opts,
                              whet_err *err)
{
    const char *data = opts->stdin_data;
    size_t done = 0;
    int fd;

    if (data == NULL || opts->stdin_bytes == 0) {
        *fd_out = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (*fd_out < 0)
            return whet_err_errno(err, errno, "/dev/null: cannot open");
        return WHET_OK;
    }
    fd = open_nameless();
    if (fd < 0)
        return whet_err_errno(err, errno, "process: no room for its input");
    while (done < opts->stdin_bytes) {
        ssize_t put = write(fd, data + done, opts->stdin_bytes - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            whet_err_errno(err, errno, "process: cannot store its input");
            close(fd);
            return WHET_EFAIL;
        }
        done += (size_t)put;
    }
    (void)lseek(fd, 0, SEEK_SET);
    *fd_out = fd;
    return WHET_OK;
}

/* Read once. Returns false at the end or when nothing is there. */
static bool sink_read(struct sink *sink)
{
    char block[READ_BYTES];
    size_t room = sink->max_bytes - sink->buf->bytes;
    ssize_t got;

    if (sink->fd < 0)
        return false;
    got = read(sink->fd, block, sizeof block);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (got <= 0) {
        close_fd(&sink->fd);
        return false;
    }
    if ((size_t)got > room)
        *sink->cut = true;
    whet_buf_add(sink->buf, block, (size_t)got > room ? room : (size_t)got);
    return true;
}

/* Has the child ended? It stays a zombie, so that its pid, and with it its
 * group, cannot be taken by another process before the group is killed. */
static bool has_ended(pid_t pid, siginfo_t *info)
{
    int rc;

    memset(info, 0, sizeof *info);
    do
        rc = waitid(P_PID, (id_t)pid, info, WEXITED | WNOWAIT | WNOHANG);
    while (rc != 0 && errno == EINTR);
    return rc != 0 || info->si_pid == pid;
}

static void reap(pid_t pid, siginfo_t *info)
{
    int rc;

    memset(info, 0, sizeof *info);
    do
        rc = waitid(P_PID, (id_t)pid, info, WEXITED);
    while (rc != 0 && errno == EINTR);
}

static void classify(const siginfo_t *info, whet_exit_kind *kind, int *code)
{
    bool by_itself = info->si_code == CLD_EXITED;

    *kind = by_itself ? WHET_EXIT_CODE : WHET_EXIT_SIGNAL;
    *code = info->si_status;
}

/* Milliseconds to hand to poll; -1 = no deadline. Rounded up, so that the
 * loop does not spin through the last one. */
static int poll_ms(uint64_t deadline_ns, bool has_pidfd)
{
    uint64_t now = now_ns();
    uint64_t left_ms;

    if (!has_pidfd)
        return SLICE_MS;
    if (deadline_ns == 0)
        return -1;
    if (now >= deadline_ns)
        return 0;
    left_ms = (deadline_ns - now) / 1000000 + 1;
    return left_ms > 1000000 ? 1000000 : (int)left_ms;
}

/* Read both streams until the child ends. Returns false at the deadline. */
static bool follow(pid_t pid, struct sink sinks[2], uint64_t deadline_ns)
{
    siginfo_t info;
    int pidfd = open_pidfd(pid);
    bool ended = has_ended(pid, &info);

    while (!ended && (deadline_ns == 0 || now_ns() < deadline_ns)) {
        struct pollfd polls[3] = {
            {.fd = sinks[0].fd, .events = POLLIN},
            {.fd = sinks[1].fd, .events = POLLIN},
            {.fd = pidfd, .events = POLLIN},
        };

        if (poll(polls, 3, poll_ms(deadline_ns, pidfd >= 0)) < 0 &&
            errno != EINTR)
            break;
        if (polls[0].revents)
            (void)sink_read(&sinks[0]);
        if (polls[1].revents)
            (void)sink_read(&sinks[1]);
        ended = has_ended(pid, &info);
    }
    close_fd(&pidfd);
    return ended;
}

/* What is still in the pipes once the group is dead. */
static void read_rest(struct sink sinks[2])
{
    int i, turns;

    for (i = 0; i < 2; i++) {
        for (turns = 0; turns < LAST_READS && sink_read(&sinks[i]); turns++)
            ;
        close_fd(&sinks[i].fd);
    }
}

static void finish(whet_process_result *result, pid_t pid, struct sink sinks[2],
                   bool ended)
{
    siginfo_t info;

    (void)kill(-pid, SIGKILL); /* also what an ended child left behind */
    if (!ended)
        (void)kill(pid, SIGKILL);
    while (!ended && !has_ended(pid, &info)) {
        struct timespec nap = {.tv_nsec = 200000};

        nanosleep(&nap, NULL);
    }
    read_rest(sinks);
    reap(pid, &info);
    classify(&info, &result->kind, &result->code);
    if (!ended)
        result->kind = WHET_EXIT_TIMEOUT;
}

void whet_process_result_deinit(whet_process_result *result)
{
    whet_buf_deinit(&result->out);
    whet_buf_deinit(&result->err);
}

whet_status whet_process_run(whet_process_result *result,
                             const whet_process_opts *opts, whet_err *err)
{
    uint64_t start_ns = now_ns();
    int std_fds[3] = {-1, -1, -1};
    struct sink sinks[2] = {
        {-1, &result->out, opts->stdout_max_bytes, &result->out_cut},
        {-1, &result->err, opts->stderr_max_bytes, &result->err_cut},
    };
    int exec_errno = 0;
    pid_t pid = 0;
    whet_status st;
    int i;

    memset(result, 0, sizeof *result);
    if ((st = open_stdin(&std_fds[0], opts, err)) != WHET_OK ||
        (st = open_pipe(&sinks[0].fd, &std_fds[1], err)) != WHET_OK ||
        (st = open_pipe(&sinks[1].fd, &std_fds[2], err)) != WHET_OK)
        goto out;
    st = whet_process__spawn(&pid, &exec_errno, opts, std_fds, err);
    for (i = 0; i < 3; i++)
        close_fd(&std_fds[i]);
    if (st != WHET_OK)
        goto out;
    if (pid == 0) {
        result->kind = WHET_EXIT_NOT_RUN;
        result->code = exec_errno;
    } else {
        uint64_t deadline_ns =
            opts->timeout_ns == 0 ? 0 : add_ns(start_ns, opts->timeout_ns);

        finish(result, pid, sinks, follow(pid, sinks, deadline_ns));
    }
    result->wall_ns = now_ns() - start_ns;
    if (result->out.failed || result->err.failed)
        st = whet_err_set(err, WHET_ENOMEM, "%s: no memory for its output",
                          opts->argv[0]);
out:
    for (i = 0; i < 3; i++)
        close_fd(&std_fds[i]);
    close_fd(&sinks[0].fd);
    close_fd(&sinks[1].fd);
    if (st != WHET_OK)
        whet_process_result_deinit(result);
    return st;
}

whet_status whet_process_start(whet_process *process,
                               const whet_process_opts *opts, whet_err *err)
{
    static const whet_process_opts no_input = {0};
    int std_fds[3] = {-1, -1, -1};
    int read_fd = -1;
    int exec_errno = 0;
    whet_status st;

    process->pid = 0;
    process->stderr_fd = -1;
    if ((st = open_stdin(&std_fds[0], &no_input, err)) != WHET_OK ||
        (st = open_pipe(&read_fd, &std_fds[1], err)) != WHET_OK)
        goto out;
    std_fds[2] = std_fds[1];
    st = whet_process__spawn(&process->pid, &exec_errno, opts, std_fds, err);
    if (st == WHET_OK && exec_errno != 0)
        st = whet_err_errno(err, exec_errno, "%s: cannot be executed",
                            opts->argv[0]);
    if (st != WHET_OK)
        goto out;
    process->stderr_fd = read_fd;
    read_fd = -1;
out:
    close_fd(&std_fds[0]);
    close_fd(&std_fds[1]);
    close_fd(&read_fd);
    return st;
}

void whet_process_kill(whet_process *process)
{
    siginfo_t info;

    if (process->pid > 0) {
        (void)kill(-process->pid, SIGKILL);
        (void)kill(process->pid, SIGKILL);
        reap(process->pid, &info);
    }
    process->pid = 0;
    if (process->stderr_fd > 0) /* 0: zeroed and never started */
        close_fd(&process->stderr_fd);
    process->stderr_fd = -1;
}

bool whet_process_wait(whet_process *process, uint64_t timeout_ns,
                       whet_exit_kind *kind_out, int *code_out)
{
    uint64_t deadline_ns = add_ns(now_ns(), timeout_ns);
    siginfo_t info;
    bool ended;
    int pidfd;

    if (process->pid <= 0)
        return false;
    ended = has_ended(process->pid, &info);
    pidfd = !ended && timeout_ns > 0 ? open_pidfd(process->pid) : -1;
    while (!ended && now_ns() < deadline_ns) {
        struct pollfd one = {.fd = pidfd, .events = POLLIN};

        (void)poll(&one, 1, poll_ms(deadline_ns, pidfd >= 0));
        ended = has_ended(process->pid, &info);
    }
    close_fd(&pidfd);
    if (!ended)
        return false;
    (void)kill(-process->pid, SIGKILL);
    reap(process->pid, &info);
    classify(&info, kind_out, code_out);
    process->pid = 0;
    return true;
}

void whet_exit_describe(char *text, size_t text_bytes, whet_exit_kind kind,
                        int code)
{
    char buf[128];
    const char *name;

    switch (kind) {
    case WHET_EXIT_CODE:
        snprintf(text, text_bytes, "exit status %d", code);
        break;
    case WHET_EXIT_SIGNAL:
        name = strsignal(code);
        snprintf(text, text_bytes, "signal %d (%s)", code,
                 name ? name : "unknown");
        break;
    case WHET_EXIT_TIMEOUT:
        snprintf(text, text_bytes, "deadline passed, killed");
        break;
    default:
        snprintf(text, text_bytes, "could not be executed: %s",
                 strerror_r(code, buf, sizeof buf));
        break;
    }
}
