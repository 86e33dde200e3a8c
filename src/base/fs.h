#ifndef WHET_FS_H
#define WHET_FS_H

/* Files: bounded reads, writes that are renamed into place, folders. */

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Read a whole regular file.
 *
 * @param out  appended to; NUL-terminated
 * @param max_bytes  a larger file is refused with WHET_EINVAL
 * @return WHET_ENOTFOUND, WHET_EINVAL (folder, too large), WHET_EFAIL
 */
whet_status whet_fs_read(whet_buf *out, const char *path, size_t max_bytes,
                         whet_err *err);

/** Write aside, fsync and rename over `path`; nothing is half-written. An
 *  existing file's mode is kept; a link is replaced, not followed; anything
 *  that is not a regular file (folder, device) is refused.
 *  @return WHET_EFAIL with the system's reason (disk full, read-only, ...) */
whet_status whet_fs_write(const char *path, const void *data, size_t bytes,
                          whet_err *err);

/** mkdir -p, mode 0755. */
whet_status whet_fs_mkdirs(const char *path, whet_err *err);

/** Fresh private folder under $TMPDIR or /tmp; caller frees the path and
 *  removes it with whet_fs_remove_tree. */
whet_status whet_fs_tempdir(char **path_out, const char *prefix, whet_err *err);

/** Remove a folder and all below it, at any depth, whatever permissions its
 *  folders have; never follows links and leaves other file systems mounted
 *  inside alone. Best effort: what cannot be removed stays. */
void whet_fs_remove_tree(const char *path);

/** Does the path exist and is it a folder? */
bool whet_fs_is_dir(const char *path);

/** Does the path exist (after following links)? */
bool whet_fs_exists(const char *path);

/** May `path` be handed to a loader of libraries, which opens what it is told
 *  and would wait for a pipe's other end for ever? True for a regular file
 *  (also behind links), for one that is not there, and for a bare name that the
 *  loader looks up itself. */
bool whet_fs_is_loadable(const char *path);

/** "a/b" from parts; caller frees; NULL when out of memory. */
char *whet_fs_join(const char *dir, const char *name);

/** Write all of `data` to an open descriptor, through short writes and
 *  interruptions. @return false with errno set */
bool whet_fs_write_fd(int fd, const void *data, size_t bytes);

/** Read exactly `bytes` from an open descriptor.
 *  @return false at an early end (errno 0) or with errno set */
bool whet_fs_read_fd(int fd, void *data, size_t bytes);

/** Names in a folder, sorted bytewise, without "." and "..", in a
 *  NULL-terminated array that the caller frees with whet_fs_list_free. */
whet_status whet_fs_list(char ***names_out, const char *dir, whet_err *err);

/** Free what whet_fs_list gave. NULL is fine. */
void whet_fs_list_free(char **names);

/**
 * Per-user folder for derived files that may be deleted at any time:
 * $WHET_CACHE_DIR, else $XDG_CACHE_HOME/whet, else $HOME/.cache/whet, else
 * /tmp/whet-UID, which is refused (WHET_EFAIL) if others could write to it.
 * Relative XDG and HOME values are passed over. Created. Caller frees.
 */
whet_status whet_fs_cache_dir(char **path_out, whet_err *err);

/** Per-user folder for results worth keeping (calibrations): $WHET_STATE_DIR,
 *  else $XDG_STATE_HOME/whet, else $HOME/.local/state/whet. Created.
 *  Caller frees. WHET_EUNSUPPORTED if none of them is set. */
whet_status whet_fs_state_dir(char **path_out, whet_err *err);

/**
 * Folder of shipped data ("tasks", "skills"): $WHET_DATA_DIR/KIND, else
 * relative to the executable: ../share/whet/KIND (installed), else the source
 * tree the binary was built from. Caller frees.
 *
 * @return WHET_EUNSUPPORTED naming the places looked at
 */
whet_status whet_fs_data_dir(char **path_out, const char *kind, whet_err *err);

/** Absolute path of the running executable; caller frees. */
whet_status whet_fs_self(char **path_out, whet_err *err);

/** Absolute path of a program on the absolute parts of PATH (or `name` itself
 * if it holds a slash and is executable); caller frees. WHET_ENOTFOUND
 * otherwise. */
whet_status whet_fs_find_program(char **path_out, const char *name,
                                 whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_FS_H */
