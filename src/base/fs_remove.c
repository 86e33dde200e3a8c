/* Removing a tree that a candidate filled. Such a tree may be deeper than the
 * descriptor limit or PATH_MAX allow to walk, hold links out of it, or folders
 * without permissions. So nothing recurses: one descriptor walks down by name
 * and up by "..", which must lead to the folder it came from. */

#include "base/fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct level {
    struct statx id;
    char *name;         /* in the folder above; NULL for the root */
    size_t stuck_count; /* entries found that cannot be removed */
} level;

typedef struct walk {
    int at; /* the folder of the last level */
    level *levels;
    size_t count;
    size_t alloc;
} walk;

/* A folder without permissions can neither be listed nor emptied. The detour
 * through /proc changes the folder that was opened, whatever its name refers
 * to by now. */
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

static bool identify(struct statx *id, int fd)
{
    return statx(fd, "", AT_EMPTY_PATH, STATX_INO, id) == 0;
}

static bool is_same_device(const struct statx *a, const struct statx *b)
{
    return a->stx_dev_major == b->stx_dev_major &&
           a->stx_dev_minor == b->stx_dev_minor;
}

/* Removes files and empty folders from the current folder, up to the first
 * entry that needs more. Its name is owned by the caller; NULL if none. */
static char *next_entry(const walk *job)
{
    int copy = openat(job->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    size_t skip = job->levels[job->count - 1].stuck_count;
    struct dirent *entry;
    char *name = NULL;

    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        return NULL;
    }
    while (name == NULL && (entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0 ||
            unlinkat(job->at, entry->d_name, 0) == 0 ||
            unlinkat(job->at, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        if (skip > 0)
            skip--;
        else
            name = strdup(entry->d_name);
    }
    closedir(stream);
    return name;
}

/* Enters `fd`, taking both over on success. A mount point is not entered:
 * what is mounted there belongs to someone else. */
static bool push(walk *job, int fd, char *name)
{
    level next = {.name = name};

    if (fd < 0 || !identify(&next.id, fd))
        return false;
    if (job->count > 0 &&
        ((next.id.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 ||
         !is_same_device(&next.id, &job->levels[0].id)))
        return false;
    if (!whet_vec_reserve((void **)&job->levels, &job->alloc, job->count + 1,
                          sizeof *job->levels))
        return false;
    if (job->count > 0)
        close(job->at);
    job->levels[job->count++] = next;
    job->at = fd;
    return true;
}

/* Back to the folder above and off with the one left. False if ".." is not
 * where the walk came from: someone moves folders while they are removed. */
static bool pop(walk *job)
{
    level *above = &job->levels[job->count - 2];
    char *name = job->levels[job->count - 1].name;
    int up = openat(job->at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct statx id;
    bool is_back = up >= 0 && identify(&id, up) &&
                   is_same_device(&id, &above->id) &&
                   id.stx_ino == above->id.stx_ino;

    if (!is_back) {
        if (up >= 0)
            close(up);
        return false;
    }
    close(job->at);
    job->at = up;
    if (unlinkat(up, name, AT_REMOVEDIR) != 0)
        above->stuck_count++;
    free(name);
    job->count--;
    return true;
}

static void remove_below(walk *job)
{
    for (;;) {
        char *name = next_entry(job);
        int fd;

        if (name == NULL) {
            if (job->count == 1 || !pop(job))
                return;
            continue;
        }
        fd = open_folder(job->at, name);
        if (!push(job, fd, name)) {
            if (fd >= 0)
                close(fd);
            free(name);
            job->levels[job->count - 1].stuck_count++;
        }
    }
}

void whet_fs_remove_tree(const char *path)
{
    walk job = {.at = -1};
    struct stat info;
    int root;

    if (path[0] == '\0' || lstat(path, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        unlink(path);
        return;
    }
    root = open_folder(AT_FDCWD, path);
    if (!push(&job, root, NULL)) {
        if (root >= 0)
            close(root);
        return;
    }
    remove_below(&job);
    while (job.count > 0)
        free(job.levels[--job.count].name);
    free(job.levels);
    close(job.at);
    rmdir(path);
}
