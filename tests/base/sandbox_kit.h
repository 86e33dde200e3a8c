#ifndef SANDBOX_KIT_H
#define SANDBOX_KIT_H

/* A worker for the tests of the sandbox: the test program starts a copy of
 * itself inside a sandbox and talks to it over an inherited socket pair. */

#include "base/base.h"

enum { KIT_FD = 3, KIT_INFO_FD = 4, KIT_PROGRAM_FD = 5 };

/* First record of a worker. */
struct kit_hello {
    uint64_t memory;  /* address of a private anonymous mapping */
    uint64_t counter; /* address of a uint64_t that threads count up */
    uint64_t bytes;
    int64_t pid; /* as the worker sees it */
    int64_t info_fd_is_open;
    int64_t host_is_visible;
};

struct kit_opts {
    size_t memory_bytes;
    int thread_count; /* besides the main one */
    bool is_busy;     /* threads spin rather than count and sleep */
    bool has_huge_pages;
};

struct kit_worker {
    whet_process process;
    pid_t pid; /* from outside */
    int fd;    /* our end of the socket pair */
    struct kit_hello hello;
};

/* If argv names the worker's part, play it and exit; else return. */
void kit_worker_main(int argc, char **argv);

/* Start a worker and wait for its first record. */
whet_status kit_start(struct kit_worker *worker, const struct kit_opts *opts,
                      whet_err *err);

/* Kill it and close what was made for it. */
void kit_stop(struct kit_worker *worker);

/* Send one command byte and get the answer; false if none came in 5 s. */
bool kit_ask(struct kit_worker *worker, char command, uint64_t *answer);

/* Commands: 's' answers the sum of all bytes of the memory, 'f' forks a child
 * and answers its pid, 'p' answers 1. */

/* Has the process ended? The system may take its time to reap an orphan. */
bool kit_is_dead(pid_t pid);

#endif /* SANDBOX_KIT_H */
