/* Bounded reads, writes renamed into place, folders. Paths below a folder that
 * a candidate could write to are opened relative to it and never follow
 * links. Where files are found is in fs_places.c. */

#include "base/fs.h"

#include "base/rng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BLOCK_BYTES = 64 * 1024, TEMP_NAME_TRIES = 16 };

/* A name too long, or a link in circles, cannot name a thing either. */
static bool is_absence(int errno_value)
{
    return errno_value == ENOENT || errno_value == ENOTDIR ||
           errno_value == ENAMETOOLONG || errno_value == ELOOP;
}

/* Size and kind are checked on the open descriptor, not on the path. The size
 * is checked again while reading: the file may grow, and those of /proc claim
 * to be empty. */
static whet_status read_all(whet_buf *out, int fd, const char *path,
                            size_t max_bytes, whet_err *err)
{
    char block[READ_BLOCK_BYTES];
    struct stat info;
    size_t total = 0;

    if (fstat(fd, &info) != 0)
        return whet_err_errno(err, errno, "%s: cannot stat", path);
    if (!S_ISREG(info.st_mode))
        return whet_err_set(
            err, WHET_EINVAL, "%s: %s, expected a regular file", path,
            S_ISDIR(info.st_mode) ? "is a folder" : "is a special file");
    if (info.st_size > 0 && (uintmax_t)info.st_size > max_bytes)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %jd bytes, expected at most %zu", path,
                            (intmax_t)info.st_size, max_bytes);
    whet_buf_add(out, NULL, 0);
    for (;;) {
        ssize_t got = read(fd, block, sizeof block);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return whet_err_errno(err, errno, "%s: cannot read", path);
        if ((size_t)got > max_bytes - total)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: grew while being read, expected at most "
                                "%zu bytes",
                                path, max_bytes);
        whet_buf_add(out, block, (size_t)got);
        if (out->failed)
            return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", path);
        if (got == 0)
            return WHET_OK;
        total += (size_t)got;
    }
}

whet_status whet_fs_read(whet_buf *out, const char *path, size_t max_bytes,
                         whet_err *err)
{
    const size_t before = out->bytes;
    whet_status st;
    int fd;

    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && is_absence(errno))
        return whet_err_set(err, WHET_ENOTFOUND, "%s: no such file", path);
    if (fd < 0)
        return whet_err_errno(err, errno, "%s: cannot open", path);
    st = read_all(out, fd, path, max_bytes, err);
    if (st != WHET_OK && out->data != NULL) {
        out->bytes = before;
        out->data[before] = '\0';
    }
    close(fd);
    return st;
}

bool whet_fs_write_fd(int fd, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes > 0) {
        ssize_t put = write(fd, at, bytes);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

bool whet_fs_read_fd(int fd, void *data, size_t bytes)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t got = read(fd, at, bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

/* Length of the folder part of a path with its slash; 0 for a bare name. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* New file beside `path` (rename needs the same file system), under a name
 * that does not depend on it, since that may already be of maximal length.
 * Mode 0666 leaves the permissions to the user's umask. */
static int open_aside(char **temp_out, const char *path)
{
    for (int i = 0; i < TEMP_NAME_TRIES; i++) {
        uint64_t salt = 0;
        char *temp;
        int fd, saved;

        if (whet_rng_secret(&salt, sizeof salt, NULL) != WHET_OK)
            salt = ((uint64_t)getpid() << 16) + (uint64_t)i;
        temp = whet_asprintf("%.*s.whet-%016" PRIx64 ".tmp",
                             (int)folder_bytes(path), path, salt);
        if (temp == NULL) {
            errno = ENOMEM;
            return -1;
        }
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                  0666);
        if (fd >= 0) {
            *temp_out = temp;
            return fd;
        }
        saved = errno;
        free(temp);
        errno = saved;
        if (saved != EEXIST)
            break;
    }
    return -1;
}

/* Makes the rename itself durable. Some file systems cannot sync a folder;
 * the content is safe then all the same, so a failure is not one of ours. */
static void sync_folder(const char *path)
{
    size_t bytes = folder_bytes(path);
    char *dir =
        bytes == 0 ? whet_strdup(".") : whet_asprintf("%.*s", (int)bytes, path);
    int fd;

    if (dir == NULL)
        return;
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(dir);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

whet_status whet_fs_write(const char *path, const void *data, size_t bytes,
                          whet_err *err)
{
    whet_status st = WHET_OK;
    struct stat info;
    bool replaces = stat(path, &info) == 0;
    char *temp = NULL;
    int fd = -1;

    /* A rename would replace a device node such as /dev/null by a file. */
    if (replaces && !S_ISREG(info.st_mode))
        return whet_err_set(err, WHET_EFAIL,
                            "%s: exists and is not a regular file", path);
    if (strlen(path) >= PATH_MAX)
        return whet_err_errno(err, ENAMETOOLONG, "%s: cannot write", path);
    fd = open_aside(&temp, path);
    if (fd < 0)
        return whet_err_errno(err, errno, "%s: cannot create", path);
    if (!whet_fs_write_fd(fd, data, bytes)) {
        st = whet_err_errno(err, errno, "%s: cannot write", path);
        goto out;
    }
    if (replaces && fchmod(fd, info.st_mode & 0777) != 0) {
        st = whet_err_errno(err, errno, "%s: cannot keep its mode", path);
        goto out;
    }
    if (fsync(fd) != 0) {
        st = whet_err_errno(err, errno, "%s: cannot write to disk", path);
        goto out;
    }
    if (close(fd) != 0) {
        fd = -1;
        st = whet_err_errno(err, errno, "%s: cannot close", path);
        goto out;
    }
    fd = -1;
    if (rename(temp, path) != 0) {
        st = whet_err_errno(err, errno, "%s: cannot rename into place", path);
        goto out;
    }
    free(temp);
    temp = NULL;
    sync_folder(path);
out:
    if (fd >= 0)
        close(fd);
    if (temp != NULL)
        unlink(temp);
    free(temp);
    return st;
}

whet_status whet_fs_mkdirs(const char *path, whet_err *err)
{
    whet_status st = WHET_OK;
    char *part;

    if (path[0] == '\0')
        return whet_err_set(err, WHET_EFAIL, "cannot create a folder: no name");
    part = whet_strdup(path);
    if (part == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", path);
    for (char *at = part + 1;; at++) {
        char end = *at;

        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        /* Whatever the reason, an existing folder is all that is wanted. */
        if (mkdir(part, 0755) != 0) {
            int why = errno;

            if (!whet_fs_is_dir(part)) {
                st = whet_err_errno(err, why, "%s: cannot create folder", part);
                break;
            }
        }
        *at = end;
        if (end == '\0')
            break;
    }
    free(part);
    return st;
}

whet_status whet_fs_tempdir(char **path_out, const char *prefix, whet_err *err)
{
    const char *base = getenv("TMPDIR");
    char *path;

    *path_out = NULL;
    if (base == NULL || base[0] != '/')
        base = "/tmp";
    path = whet_asprintf("%s/%s-XXXXXX", base, prefix);
    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", base);
    if (mkdtemp(path) == NULL) {
        whet_status st = whet_err_errno(
            err, errno, "%s: cannot create a temporary folder", base);

        free(path);
        return st;
    }
    *path_out = path;
    return WHET_OK;
}

bool whet_fs_is_dir(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool whet_fs_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

bool whet_fs_is_loadable(const char *path)
{
    struct stat info;

    return strchr(path, '/') == NULL || stat(path, &info) != 0 ||
           S_ISREG(info.st_mode);
}

char *whet_fs_join(const char *dir, const char *name)
{
    size_t bytes = strlen(dir);

    while (bytes > 1 && dir[bytes - 1] == '/')
        bytes--;
    if (bytes > INT_MAX)
        return NULL;
    if (bytes == 0)
        return whet_strdup(name);
    return whet_asprintf("%.*s%s%s", (int)bytes, dir,
                         dir[bytes - 1] == '/' ? "" : "/", name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names until the end of the folder; the vector stays NULL-terminated. */
static whet_status read_names(char ***names, DIR *stream, const char *dir,
                              whet_err *err)
{
    size_t alloc = 0, count = 0;

    for (;;) {
        struct dirent *entry;

        if (!whet_vec_reserve((void **)names, &alloc, count + 1,
                              sizeof **names))
            return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", dir);
        (*names)[count] = NULL;
        errno = 0;
        entry = readdir(stream);
        if (entry == NULL && errno != 0)
            return whet_err_errno(err, errno, "%s: cannot list", dir);
        if (entry == NULL)
            break;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (*names)[count] = whet_strdup(entry->d_name);
        if ((*names)[count] == NULL)
            return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", dir);
        count++;
    }
    qsort(*names, count, sizeof **names, compare_names);
    return WHET_OK;
}

whet_status whet_fs_list(char ***names_out, const char *dir, whet_err *err)
{
    whet_status st = WHET_OK;
    char **names = NULL;
    DIR *stream;

    *names_out = NULL;
    stream = opendir(dir);
    if (stream == NULL && is_absence(errno))
        return whet_err_set(err, WHET_ENOTFOUND, "%s: no such folder", dir);
    if (stream == NULL)
        return whet_err_errno(err, errno, "%s: cannot list", dir);
    if ((st = read_names(&names, stream, dir, err)) != WHET_OK)
        goto out;
    *names_out = names;
    names = NULL;
out:
    whet_fs_list_free(names);
    closedir(stream);
    return st;
}

void whet_fs_list_free(char **names)
{
    if (names == NULL)
        return;
    for (char **name = names; *name != NULL; name++)
        free(*name);
    free(names);
}
