#ifndef WHET_PROCESS_PRIV_H
#define WHET_PROCESS_PRIV_H

/* Between process.c (pipes, deadlines, waiting) and process_spawn.c (what
 * happens between fork and exec). */

#include "base/process.h"

/**
 * Fork and exec.
 *
 * @param pid_out         the child, leader of its own process group; 0 on
 *                        failure or when exec failed
 * @param exec_errno_out  0, or why exec failed (the child is reaped then)
 * @param std_fds         become 0, 1 and 2 of the child; stay open here
 * @return WHET_EFAIL if no process could be made or prepared
 */
whet_status whet_process__spawn(pid_t *pid_out, int *exec_errno_out,
                                const whet_process_opts *opts,
                                const int std_fds[3], whet_err *err);

#endif /* WHET_PROCESS_PRIV_H */
