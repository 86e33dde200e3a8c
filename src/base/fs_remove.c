/* Removing a tree that a candidate filled. Such a tree may be deeper than the
 * descriptor limit or PATH_MAX allow to walk, hold links out of it, or folders
 * without permissions. So nothing recurses: each pass empties the folders just
 * below the root, moving their own folders up to the root for a later pass.
 * Two descriptors suffice at any depth, and every pass makes the tree less
 * deep. */

#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct remover {
    int root;         /* descriptor of the root folder */
    dev_t device;     /* other file systems mounted inside are left alone */
    uint64_t moved;   /* names the folders moved up */
    uint64_t changes; /* entries removed or moved in this pass */
} remover;

/* A folder without write permission can neither be emptied nor moved. The
 * detour through /proc changes the folder that was opened, whatever its name
 * refers to by now. */
static int open_folder(int parent, const char *name)
{
    char self[48];
    int pin =
        openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd;

    if (pin < 0)
        return -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", pin);
    chmod(self, 0700); /* if it fails, so do the steps that needed it */
    fd = openat(pin, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(pin);
    return fd;
}

static bool is_self_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void move_up(remover *job, int folder, const char *name)
{
    int inner = open_folder(folder, name);

    if (inner >= 0)
        close(inner);
    for (int i = 0; i < 64; i++) {
        char up[40];

        snprintf(up, sizeof up, ".whet-gone-%" PRIu64, job->moved++);
        if (renameat2(folder, name, job->root, up, RENAME_NOREPLACE) == 0) {
            job->changes++;
            return;
        }
        if (errno == EINVAL || errno == ENOSYS) {
            /* This file system has no such flag; a folder replaces nothing
             * but an empty folder anyway. */
            if (renameat(folder, name, job->root, up) == 0) {
                job->changes++;
                return;
            }
        }
        if (errno != EEXIST && errno != ENOTEMPTY)
            return;
    }
}

/* Empties one folder below the root, without its root entry. */
static void empty_folder(remover *job, int folder)
{
    DIR *stream = fdopendir(folder);
    struct dirent *entry;
    struct stat info;

    if (stream == NULL) {
        close(folder);
        return;
    }
    if (fstat(folder, &info) != 0 || info.st_dev != job->device) {
        closedir(stream);
        return;
    }
    while ((entry = readdir(stream)) != NULL) {
        if (is_self_or_parent(entry->d_name))
            continue;
        if (unlinkat(folder, entry->d_name, 0) == 0 ||
            unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0)
            job->changes++;
        else
            move_up(job, folder, entry->d_name);
    }
    closedir(stream);
}

/* One pass over the root's entries; true if anything changed. */
static bool remove_pass(remover *job)
{
    int copy = openat(job->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    job->changes = 0;
    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    while ((entry = readdir(stream)) != NULL) {
        int folder;

        if (is_self_or_parent(entry->d_name))
            continue;
        if (unlinkat(job->root, entry->d_name, 0) == 0 ||
            unlinkat(job->root, entry->d_name, AT_REMOVEDIR) == 0) {
            job->changes++;
            continue;
        }
        folder = open_folder(job->root, entry->d_name);
        if (folder < 0)
            continue;
        empty_folder(job, folder);
        if (unlinkat(job->root, entry->d_name, AT_REMOVEDIR) == 0)
            job->changes++;
    }
    closedir(stream);
    return job->changes > 0;
}

void whet_fs_remove_tree(const char *path)
{
    remover job = {0};
    struct stat info;

    if (path[0] == '\0' || lstat(path, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        unlink(path);
        return;
    }
    if (rmdir(path) == 0)
        return;
    job.device = info.st_dev;
    job.root = open_folder(AT_FDCWD, path);
    if (job.root < 0)
        return;
    while (remove_pass(&job))
        continue;
    close(job.root);
    rmdir(path);
}
