/* Where things are: the running program, programs on PATH, per-user folders
 * and the data that comes with the product. */

#include "base/fs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Value of a variable that names a folder. Relative values are passed over,
 * as the XDG rules ask: they would mean another folder in each directory. */
static const char *folder_from_env(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] == '/' ? value : NULL;
}

/* The explicit override may be relative: a user who typed it means it. */
static char *absolute(const char *path)
{
    char *cwd, *joined;

    if (path[0] == '/')
        return whet_strdup(path);
    cwd = getcwd(NULL, 0);
    joined = cwd == NULL ? NULL : whet_fs_join(cwd, path);
    free(cwd);
    return joined;
}

/* Creates `path` (taken over) and hands it out. */
static whet_status create(char **path_out, char *path, whet_err *err)
{
    whet_status st;

    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "user folder: out of memory");
    if ((st = whet_fs_mkdirs(path, err)) != WHET_OK) {
        free(path);
        return st;
    }
    *path_out = path;
    return WHET_OK;
}

/* First of $OVERRIDE, $XDG/whet, $HOME/HOME_PART/whet; `*found` false if none
 * of them is set. */
static whet_status user_folder(char **path_out, bool *found,
                               const char *override, const char *xdg,
                               const char *home_part, whet_err *err)
{
    const char *base = getenv(override);

    *found = true;
    if (base != NULL && base[0] != '\0')
        return create(path_out, absolute(base), err);
    if ((base = folder_from_env(xdg)) != NULL)
        return create(path_out, whet_fs_join(base, "whet"), err);
    if ((base = folder_from_env("HOME")) != NULL)
        return create(path_out, whet_asprintf("%s/%s/whet", base, home_part),
                      err);
    *found = false;
    return WHET_OK;
}

/* /tmp is shared: a folder that someone else prepared there could feed us
 * forged artefacts, so it must be ours and closed to others. */
static whet_status shared_tmp_folder(char **path_out, whet_err *err)
{
    char *path = whet_asprintf("/tmp/whet-%lu", (unsigned long)geteuid());
    struct stat info;
    whet_status st;

    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "cache folder: out of memory");
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        st = whet_err_errno(err, errno, "%s: cannot create folder", path);
    } else if (lstat(path, &info) != 0) {
        st = whet_err_errno(err, errno, "%s: cannot stat", path);
    } else if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
               (info.st_mode & 0022) != 0) {
        st = whet_err_set(err, WHET_EFAIL,
                          "%s: is not a folder that only this user can write "
                          "to; set WHET_CACHE_DIR or HOME",
                          path);
    } else {
        *path_out = path;
        return WHET_OK;
    }
    free(path);
    return st;
}

whet_status whet_fs_cache_dir(char **path_out, whet_err *err)
{
    whet_status st;
    bool found;

    *path_out = NULL;
    st = user_folder(path_out, &found, "WHET_CACHE_DIR", "XDG_CACHE_HOME",
                     ".cache", err);
    return found ? st : shared_tmp_folder(path_out, err);
}

whet_status whet_fs_state_dir(char **path_out, whet_err *err)
{
    whet_status st;
    bool found;

    *path_out = NULL;
    st = user_folder(path_out, &found, "WHET_STATE_DIR", "XDG_STATE_HOME",
                     ".local/state", err);
    if (found)
        return st;
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "no folder for kept results: set WHET_STATE_DIR or "
                        "HOME");
}

/* Takes `path` over; notes it in `looked` unless it is the folder wanted. */
static bool try_folder(char **path_out, whet_buf *looked, char *path)
{
    if (path == NULL)
        return false;
    if (whet_fs_is_dir(path)) {
        *path_out = path;
        return true;
    }
    whet_buf_printf(looked, "%s%s", looked->bytes > 0 ? ", " : "", path);
    free(path);
    return false;
}

/* PREFIX/share/whet/KIND for an executable in PREFIX/bin. */
static char *installed_folder(const char *kind)
{
    char *self = NULL, *slash, *path;

    if (whet_fs_self(&self, NULL) != WHET_OK)
        return NULL;
    for (int i = 0; i < 2; i++) {
        slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    path = whet_asprintf("%s/share/whet/%s", self, kind);
    free(self);
    return path;
}

whet_status whet_fs_data_dir(char **path_out, const char *kind, whet_err *err)
{
    const char *override = getenv("WHET_DATA_DIR");
    whet_buf looked = {0};
    whet_status st = WHET_OK;

    *path_out = NULL;
    if (override != NULL && override[0] != '\0' &&
        try_folder(path_out, &looked, whet_fs_join(override, kind)))
        goto out;
    if (try_folder(path_out, &looked, installed_folder(kind)))
        goto out;
#ifdef WHET_SOURCE_ROOT
    if (try_folder(path_out, &looked, whet_fs_join(WHET_SOURCE_ROOT, kind)))
        goto out;
#endif
    st = whet_err_set(err, WHET_EUNSUPPORTED,
                      "no folder of shipped %s (looked at %s); set "
                      "WHET_DATA_DIR",
                      kind, whet_buf_str(&looked));
out:
    whet_buf_deinit(&looked);
    return st;
}

whet_status whet_fs_self(char **path_out, whet_err *err)
{
    char path[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);

    *path_out = NULL;
    if (bytes < 0)
        return whet_err_errno(err, errno, "/proc/self/exe: cannot read");
    path[bytes] = '\0';
    *path_out = whet_strdup(path);
    if (*path_out == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", path);
    return WHET_OK;
}

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           access(path, X_OK) == 0;
}

/* Empty and relative parts of PATH mean the current folder, which a task or a
 * candidate may have filled; they are passed over. */
static char *search_path(const char *path, const char *name)
{
    while (*path != '\0') {
        size_t bytes = strcspn(path, ":");

        if (path[0] == '/' && bytes < PATH_MAX) {
            char *full = whet_asprintf("%.*s/%s", (int)bytes, path, name);

            if (full != NULL && is_program(full))
                return full;
            free(full);
        }
        path += bytes;
        if (*path == ':')
            path++;
    }
    return NULL;
}

whet_status whet_fs_find_program(char **path_out, const char *name,
                                 whet_err *err)
{
    const char *path = getenv("PATH");

    *path_out = NULL;
    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    if (strchr(name, '/') == NULL) {
        if (name[0] != '\0')
            *path_out = search_path(path, name);
        if (*path_out != NULL)
            return WHET_OK;
        return whet_err_set(err, WHET_ENOTFOUND, "%s: not found on PATH", name);
    }
    if (!is_program(name))
        return whet_err_set(err, WHET_ENOTFOUND,
                            "%s: is not an executable file", name);
    /* Links are kept: many programs act on the name they are called by. */
    *path_out = absolute(name);
    if (*path_out == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
    return WHET_OK;
}
