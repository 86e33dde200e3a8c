/* What bubblewrap tells about the sandbox that it has made. */

#include "base/json.h"
#include "base/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INFO_MAX_BYTES = 4096 };

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Read up to the closing brace: other processes may hold the pipe's other end
 * open, so its end cannot be waited for. */
static whet_status read_object(char *text, size_t *bytes_out, int fd,
                               uint64_t timeout_ns, whet_err *err)
{
    uint64_t start_ns = now_ns();
    size_t used = 0;

    while (used < INFO_MAX_BYTES && memchr(text, '}', used) == NULL) {
        struct pollfd one = {.fd = fd, .events = POLLIN};
        uint64_t spent_ns = now_ns() - start_ns;
        uint64_t left_ms;
        ssize_t got;
        int rc;

        if (spent_ns >= timeout_ns)
            return whet_err_set(err, WHET_ETIMEOUT,
                                "sandbox: bubblewrap did not start in time");
        left_ms = (timeout_ns - spent_ns) / 1000000 + 1;
        rc = poll(&one, 1, left_ms > 60000 ? 60000 : (int)left_ms);
        if (rc == 0 || (rc < 0 && errno == EINTR))
            continue;
        got = read(fd, text + used, INFO_MAX_BYTES - used);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return whet_err_set(err, WHET_EFAIL,
                                "sandbox: bubblewrap ended before it started "
                                "the program");
        used += (size_t)got;
    }
    *bytes_out = used;
    return WHET_OK;
}

whet_status whet_sandbox_read_pid(pid_t *pid_out, int info_read_fd,
                                  uint64_t timeout_ns, whet_err *err)
{
    char text[INFO_MAX_BYTES];
    json_t *info = NULL;
    int64_t pid = 0;
    size_t bytes = 0;
    whet_status st;

    *pid_out = 0;
    st = read_object(text, &bytes, info_read_fd, timeout_ns, err);
    if (st == WHET_OK)
        st = whet_json_parse(&info, text, bytes, "bubblewrap's report", err);
    if (st == WHET_OK)
        st = whet_json_get_i64(&pid, info, "child-pid", 2, INT_MAX, err);
    json_decref(info);
    *pid_out = (pid_t)pid;
    return st;
}
