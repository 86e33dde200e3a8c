/* Freezing a worker from outside: SIGSTOP, then wait until the kernel says
 * that every thread is stopped. A process that is stopped cannot continue
 * itself; one with children could be continued by them, so it is refused. */

#include "base/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What one look at all threads of a process gave. */
struct look {
    size_t thread_count;
    size_t stopped_count; /* state T */
    size_t dead_count;    /* state Z or X: a thread that is over */
};

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static ssize_t read_at(int dir_fd, const char *path, char *text, size_t bytes)
{
    int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (fd < 0)
        return -1;
    got = read(fd, text, bytes - 1);
    close(fd);
    if (got >= 0)
        text[got] = '\0';
    return got;
}

/* State letter and parent from the text of a stat file. The program's name,
 * in parentheses, is chosen by the process: look behind the last one. */
static bool parse_stat(const char *text, char *state, long *ppid)
{
    const char *end = strrchr(text, ')');

    return end != NULL && sscanf(end + 1, " %c %ld", state, ppid) == 2;
}

static bool look_at_threads(struct look *look, DIR *tasks)
{
    struct dirent *entry;

    memset(look, 0, sizeof *look);
    rewinddir(tasks);
    while ((entry = readdir(tasks)) != NULL) {
        char path[sizeof entry->d_name + 8];
        char text[512];
        char state;
        long ppid;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/stat", entry->d_name);
        if (read_at(dirfd(tasks), path, text, sizeof text) <= 0 ||
            !parse_stat(text, &state, &ppid))
            continue; /* over between the two calls */
        look->thread_count++;
        look->stopped_count += state == 'T';
        look->dead_count += state == 'Z' || state == 'X';
    }
    return look->thread_count > look->dead_count;
}

/* Children by the parent field of every process, for kernels without
 * /proc/PID/task/TID/children. */
static bool has_children_by_scan(pid_t pid)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    bool found = false;

    while (proc != NULL && !found && (entry = readdir(proc)) != NULL) {
        char path[sizeof entry->d_name + 8];
        char text[512];
        char state;
        long ppid;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/stat", entry->d_name);
        if (read_at(dirfd(proc), path, text, sizeof text) > 0 &&
            parse_stat(text, &state, &ppid))
            found = ppid == (long)pid;
    }
    if (proc != NULL)
        closedir(proc);
    return found;
}

static bool has_children(pid_t pid, DIR *tasks)
{
    struct dirent *entry;

    rewinddir(tasks);
    while ((entry = readdir(tasks)) != NULL) {
        char path[sizeof entry->d_name + 12];
        char text[16];
        ssize_t got;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/children", entry->d_name);
        got = read_at(dirfd(tasks), path, text, sizeof text);
        if (got > 0)
            return true;
        if (got < 0 && errno == ENOENT &&
            faccessat(dirfd(tasks), entry->d_name, F_OK, 0) == 0)
            return has_children_by_scan(pid);
    }
    return false;
}

/* Two looks in a row must agree, since a thread may appear while the folder
 * is being read; a group that is wholly stopped starts none. */
static whet_status wait_stopped(pid_t pid, DIR *tasks, uint64_t timeout_ns,
                                whet_err *err)
{
    uint64_t start_ns = now_ns();
    size_t before = 0;

    for (;;) {
        struct look look;
        struct timespec nap = {.tv_nsec = 20000};
        bool all;

        if (!look_at_threads(&look, tasks))
            return whet_err_set(err, WHET_EFAIL,
                                "process %ld: gone before it was frozen",
                                (long)pid);
        all = look.stopped_count + look.dead_count == look.thread_count;
        if (all && look.thread_count == before)
            return WHET_OK;
        before = all ? look.thread_count : 0;
        if (now_ns() - start_ns >= timeout_ns)
            return whet_err_set(err, WHET_ETIMEOUT,
                                "process %ld: %zu of %zu threads still run, "
                                "expected all to be frozen",
                                (long)pid,
                                look.thread_count - look.stopped_count -
                                    look.dead_count,
                                look.thread_count);
        if (!all)
            nanosleep(&nap, NULL);
    }
}

whet_status whet_sandbox_freeze(pid_t pid, uint64_t timeout_ns, whet_err *err)
{
    char path[48];
    DIR *tasks;
    whet_status st;

    if (pid <= 0)
        return whet_err_set(err, WHET_EFAIL, "process %ld: cannot be frozen",
                            (long)pid);
    if (kill(pid, SIGSTOP) != 0)
        return whet_err_errno(err, errno, "process %ld: cannot be frozen",
                              (long)pid);
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    tasks = opendir(path);
    if (tasks == NULL)
        return whet_err_errno(err, errno, "process %ld: cannot be frozen",
                              (long)pid);
    st = wait_stopped(pid, tasks, timeout_ns, err);
    if (st == WHET_OK && has_children(pid, tasks))
        st = whet_err_set(err, WHET_EFAIL,
                          "process %ld: has child processes, expected none",
                          (long)pid);
    closedir(tasks);
    return st;
}

whet_status whet_sandbox_thaw(pid_t pid, whet_err *err)
{
    if (pid <= 0 || kill(pid, SIGCONT) != 0)
        return whet_err_errno(err, pid <= 0 ? ESRCH : errno,
                              "process %ld: cannot be continued", (long)pid);
    return WHET_OK;
}
