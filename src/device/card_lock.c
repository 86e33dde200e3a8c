/* The lock on a card: flock on a file per PCI address in a folder that all
 * users share. It ends with the process, however that ends. The file's text
 * only names the holder for others' messages.
 *
 * The folder belongs to whoever came first, and anybody may put things in it:
 * links, pipes and files that are linked elsewhere are refused, and nothing is
 * written but to a small plain file of its own. */

#include "device/inventory_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HOLDER_BYTES = 160,
    TRY_MAX = 8, /* times that the file may vanish under us */
    FOLDER_MODE = 01777,
    FILE_MODE = 0666
};

static const char default_folder[] = "/tmp/whet-locks";
static const uint64_t poll_ns = 200000000u;

static const char *folder_path(void)
{
    const char *named = getenv("WHET_LOCK_DIR");

    return named != NULL && named[0] != '\0' ? named : default_folder;
}

/* In a folder that all may write to, only the sticky bit keeps others from
 * taking a lock's file away. */
static whet_status check_folder(int fd, const char *path, whet_err *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return whet_err_errno(err, errno, "lock folder %s", path);
    if ((info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX))
        return whet_err_set(err, WHET_EFAIL,
                            "lock folder %s: all may write to it and it has "
                            "no sticky bit, expected mode 1777 (chmod 1777, "
                            "or name another by WHET_LOCK_DIR)",
                            path);
    return WHET_OK;
}

static whet_status open_folder(int *fd_out, whet_err *err)
{
    const char *path = folder_path();
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd;
    whet_status st;

    *fd_out = -1;
    /* chmod only what was made here: the umask cut the mode. */
    if (mkdir(path, 0700) == 0 && (fd = open(path, flags)) >= 0) {
        (void)fchmod(fd, FOLDER_MODE);
        close(fd);
    }
    fd = open(path, flags);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return whet_err_set(err, WHET_EFAIL,
                            "lock folder %s: not a folder of its own (a "
                            "link?), expected a folder of mode 1777; remove "
                            "it or name another by WHET_LOCK_DIR",
                            path);
    if (fd < 0)
        return whet_err_errno(
            err, errno, "lock folder %s (WHET_LOCK_DIR names another)", path);
    if ((st = check_folder(fd, path, err)) != WHET_OK)
        close(fd);
    else
        *fd_out = fd;
    return st;
}

/* A plain small file with one name, or it is not ours to write to. */
static whet_status check_file(int fd, const char *name, whet_err *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return whet_err_errno(err, errno, "lock of card %s", name);
    if (S_ISREG(info.st_mode) && info.st_nlink <= 1 &&
        info.st_size <= HOLDER_BYTES)
        return WHET_OK;
    return whet_err_set(err, WHET_EFAIL,
                        "lock of card %s: %s/%s is not a lock file (another "
                        "kind of file, a second link, or too large); remove "
                        "it",
                        name, folder_path(), name);
}

static whet_status open_file(int *fd_out, int folder, const char *name,
                             whet_err *err)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int fd = -1;
    whet_status st;

    *fd_out = -1;
    for (int i = 0; i < TRY_MAX && fd < 0; i++) {
        /* Without O_CREAT first: the kernel refuses it on others' files in a
         * sticky folder (fs.protected_regular). */
        fd = openat(folder, name, flags);
        if (fd >= 0 || errno != ENOENT)
            break;
        fd = openat(folder, name, flags | O_CREAT | O_EXCL, FILE_MODE);
        if (fd >= 0)
            (void)fchmod(fd, FILE_MODE);
        else if (errno != EEXIST)
            break;
    }
    if (fd < 0)
        return whet_err_errno(err, errno, "lock of card %s: %s/%s", name,
                              folder_path(), name);
    if ((st = check_file(fd, name, err)) != WHET_OK)
        close(fd);
    else
        *fd_out = fd;
    return st;
}

/* Is the file still the one that the name leads to? Somebody may have tidied
 * up /tmp between opening and locking. */
static bool is_current(int fd, int folder, const char *name)
{
    struct stat mine, there;

    return fstat(fd, &mine) == 0 &&
           fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* "whet run" from this process's command line; arguments are nobody's
 * business. */
static void own_command(char out[64])
{
    char raw[256] = "";
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t bytes = file != NULL ? fread(raw, 1, sizeof raw - 2, file) : 0;
    const char *program = raw, *slash, *word;

    if (file != NULL)
        fclose(file);
    raw[bytes] = raw[bytes + 1] = '\0';
    if ((slash = strrchr(program, '/')) != NULL)
        program = slash + 1;
    word = raw + strlen(raw) + 1;
    snprintf(out, 64, "%.30s%s%.30s", program[0] != '\0' ? program : "whet",
             word[0] != '\0' && word[0] != '-' ? " " : "",
             word[0] != '-' ? word : "");
}

static void write_holder(int fd)
{
    char command[64], text[HOLDER_BYTES];
    int bytes;

    own_command(command);
    bytes = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), command);
    /* Failure costs the name in others' messages, not the lock. */
    if (ftruncate(fd, 0) == 0 && bytes > 0)
        (void)!pwrite(fd, text, (size_t)bytes, 0);
}

static whet_status tell_holder(int fd, const char *name, whet_err *err)
{
    char text[HOLDER_BYTES + 1] = "";
    ssize_t bytes = pread(fd, text, HOLDER_BYTES, 0);
    char *command = NULL;
    unsigned long pid = 0;

    text[bytes > 0 ? bytes : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (text[0] >= '0' && text[0] <= '9')
        pid = strtoul(text, &command, 10);
    if (pid == 0 || command[0] != ' ' || command[1] == '\0')
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "card %s is in use by another whet", name);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "card %s is in use by %s, pid %lu", name, command + 1,
                        pid);
}

/* One attempt. WHET_EUNSUPPORTED: somebody holds it. */
static whet_status try_lock(int *fd_out, int folder, const char *name,
                            whet_err *err)
{
    whet_status st = WHET_OK;
    int fd = -1;

    for (int i = 0; i < TRY_MAX; i++) {
        if ((st = open_file(&fd, folder, name, err)) != WHET_OK)
            return st;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            st = errno == EWOULDBLOCK
                     ? tell_holder(fd, name, err)
                     : whet_err_errno(err, errno, "lock of card %s", name);
            close(fd);
            return st;
        }
        if (is_current(fd, folder, name)) {
            write_holder(fd);
            *fd_out = fd;
            return WHET_OK;
        }
        close(fd);
    }
    return whet_err_set(err, WHET_EFAIL,
                        "lock of card %s: its file in %s vanishes as often as "
                        "it is made",
                        name, folder_path());
}

/* Part of a path: an address or "index-0", never "..". */
static whet_status file_name(char out[32], const char *pci, whet_err *err)
{
    size_t bytes = strlen(pci);

    if (bytes == 0 || bytes >= 32 || pci[0] == '.' ||
        strspn(pci, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "0123456789:._-") != bytes)
        return whet_err_set(err, WHET_EINVAL,
                            "card \"%s\": expected a PCI address like "
                            "0000:c1:00.0",
                            pci);
    (void)whet_strcopy(out, 32, pci);
    return WHET_OK;
}

void whet_card_lock__pause(uint64_t left_ns)
{
    uint64_t ns = left_ns < poll_ns ? left_ns : poll_ns;
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)ns};

    (void)nanosleep(&time, NULL);
}

void whet_card_lock__tell(const whet_log *log, bool *is_told,
                          const whet_err *why, uint64_t waited_ns,
                          uint64_t wait_ns)
{
    char most[32];

    if (log == NULL)
        return;
    whet_duration_format(most, wait_ns);
    /* Once for a file, again and again for a terminal. */
    if (!*is_told)
        whet_log_write(log, WHET_LOG_INFO, "%s; waiting at most %s (--wait)",
                       why->msg, most);
    *is_told = true;
    whet_log_progress(log, "waiting, %.0f s: %s", (double)waited_ns / 1e9,
                      why->msg);
}

whet_status whet_card_lock__take(whet_card_lock *out, const char *pci,
                                 uint64_t wait_ns, const volatile int *cancel,
                                 const whet_log *log, whet_err *err)
{
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns = whet_clock_now(&clock);
    whet_err why = {0};
    bool is_told = false;
    char name[32];
    int folder = -1;
    whet_status st;

    out->fd = -1;
    out->pci[0] = '\0';
    if ((st = file_name(name, pci, err)) != WHET_OK ||
        (st = open_folder(&folder, err)) != WHET_OK)
        return st;
    for (;;) {
        uint64_t waited_ns = whet_clock_now(&clock) - begin_ns;

        st = try_lock(&out->fd, folder, name, &why);
        if (st != WHET_EUNSUPPORTED || waited_ns >= wait_ns)
            break;
        if (cancel != NULL && *cancel) {
            st = whet_err_set(&why, WHET_ECANCELLED,
                              "cancelled while card %s was in use", name);
            break;
        }
        whet_card_lock__tell(log, &is_told, &why, waited_ns, wait_ns);
        whet_card_lock__pause(wait_ns - waited_ns);
    }
    if (log != NULL)
        whet_log_progress(log, "%s", "");
    close(folder);
    if (st == WHET_OK)
        (void)whet_strcopy(out->pci, sizeof out->pci, name);
    else if (err != NULL)
        *err = why;
    return st;
}

whet_status whet_card_lock_take(whet_card_lock *out, const char *pci,
                                uint64_t wait_ns, const volatile int *cancel,
                                whet_err *err)
{
    return whet_card_lock__take(out, pci, wait_ns, cancel, NULL, err);
}

void whet_card_lock_release(whet_card_lock *lock)
{
    /* Closing is releasing: no child inherits the descriptor. */
    if (lock->pci[0] != '\0' && lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
    lock->pci[0] = '\0';
}
