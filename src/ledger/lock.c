/* The writer's lock: PATH.lock, locked with flock and holding the writer's
 * pid. The kernel drops the lock with the process, so a file that a killed
 * writer left behind locks nobody out. It is not the database file itself
 * that is locked, since SQLite keeps its own locks there. */

#include "ledger/ledger_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS_MAX = 100 };

static whet_status refuse_held(const whet_ledger *ledger, int fd, whet_err *err)
{
    char text[24] = "";
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    long pid = bytes > 0 ? strtol(text, NULL, 10) : 0;

    /* The holder may not have written its pid yet. */
    if (pid <= 0)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: being written by another process",
                            ledger->path);
    return whet_err_set(err, WHET_EFAIL, "%s: being written by process %ld",
                        ledger->path, pid);
}

static whet_status take(whet_ledger *ledger, int fd, whet_err *err)
{
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno == EWOULDBLOCK)
            return refuse_held(ledger, fd, err);
        return whet_err_errno(err, errno,
                              "%s: its file system gives no locks, expected a "
                              "local disk",
                              ledger->path);
    }
    return WHET_OK;
}

/* Between open and flock the last holder may have removed the file, and a
 * third process may have made and locked a new one. */
static bool is_current(const char *path, int fd)
{
    struct stat ours, named;

    return fstat(fd, &ours) == 0 && stat(path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static whet_status write_pid(const whet_ledger *ledger, int fd, whet_err *err)
{
    char text[24];
    int bytes = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)bytes, 0) != bytes)
        return whet_err_errno(err, errno, "%s", ledger->lock_path);
    return WHET_OK;
}

whet_status whet_ledger__lock(whet_ledger *ledger, whet_err *err)
{
    whet_status st = WHET_OK;
    int attempt;

    ledger->lock_path = whet_asprintf("%s.lock", ledger->path);
    if (ledger->lock_path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        int fd =
            open(ledger->lock_path,
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);

        if (fd < 0)
            return whet_err_errno(err, errno, "%s: cannot be written",
                                  ledger->lock_path);
        st = take(ledger, fd, err);
        if (st == WHET_OK && is_current(ledger->lock_path, fd)) {
            ledger->lock_fd = fd;
            return write_pid(ledger, fd, err);
        }
        close(fd);
        if (st != WHET_OK)
            return st;
    }
    return whet_err_set(err, WHET_EFAIL, "%s: could not be locked in %d tries",
                        ledger->lock_path, (int)ATTEMPTS_MAX);
}

void whet_ledger__unlock(whet_ledger *ledger)
{
    if (ledger->lock_fd >= 0) {
        /* Removed while still held: who opens it later sees is_current. */
        unlink(ledger->lock_path);
        close(ledger->lock_fd);
    }
    ledger->lock_fd = -1;
    free(ledger->lock_path);
    ledger->lock_path = NULL;
}
