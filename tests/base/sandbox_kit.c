/* The worker of the sandbox tests, inside and outside. */

#include "sandbox_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- inside ---- */

struct counting {
    volatile uint64_t *counter;
    bool is_busy;
};

static void *count_up(void *payload)
{
    struct counting *counting = payload;

    for (;;) {
        ++*counting->counter;
        if (!counting->is_busy)
            usleep(200);
    }
    return NULL;
}

static uint64_t sum_of(const unsigned char *memory, size_t bytes)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < bytes; i++)
        sum += memory[i];
    return sum;
}

static void serve(const unsigned char *memory, size_t bytes)
{
    char command;

    while (read(KIT_FD, &command, 1) == 1) {
        uint64_t answer = 1;

        if (command == 's')
            answer = sum_of(memory, bytes);
        if (command == 'f') {
            pid_t child = fork();

            if (child == 0)
                for (;;)
                    pause();
            answer = (uint64_t)child;
        }
        if (write(KIT_FD, &answer, sizeof answer) != sizeof answer)
            break;
    }
}

void kit_worker_main(int argc, char **argv)
{
    static uint64_t counter;
    static struct counting counting;
    struct kit_hello hello;
    unsigned char *memory;
    pthread_t thread;
    int i;

    if (argc != 6 || strcmp(argv[1], "kit-worker") != 0)
        return;
    memset(&hello, 0, sizeof hello);
    hello.bytes = strtoull(argv[2], NULL, 10);
    memory = mmap(NULL, hello.bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(1);
    if (argv[5][0] == '1')
        (void)madvise(memory, hello.bytes, MADV_HUGEPAGE);
    memset(memory, 1, hello.bytes);
    counting.counter = &counter;
    counting.is_busy = argv[4][0] == '1';
    for (i = 0; i < atoi(argv[3]); i++)
        if (pthread_create(&thread, NULL, count_up, &counting) != 0)
            _exit(1);
    hello.memory = (uint64_t)(uintptr_t)memory;
    hello.counter = (uint64_t)(uintptr_t)&counter;
    hello.pid = getpid();
    hello.info_fd_is_open = fcntl(KIT_INFO_FD, F_GETFD) >= 0;
    hello.host_is_visible = access("/etc/passwd", F_OK) == 0;
    if (write(KIT_FD, &hello, sizeof hello) == sizeof hello)
        serve(memory, hello.bytes);
    _exit(0);
}

/* ---- outside ---- */

static bool wait_readable(int fd, int timeout_ms)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};

    return poll(&one, 1, timeout_ms) == 1;
}

static whet_status launch(struct kit_worker *worker, const struct kit_opts *kit,
                          int fd, int info_fd, int self_fd, whet_err *err)
{
    char bytes[32], threads[16];
    const char *const program[] = {WHET_SANDBOX_PROGRAM,
                                   "kit-worker",
                                   bytes,
                                   threads,
                                   kit->is_busy ? "1" : "0",
                                   kit->has_huge_pages ? "1" : "0",
                                   NULL};
    /* A sanitizer reads its own maps; nothing here depends on /proc. */
    whet_sandbox_facts facts;
    whet_sandbox_opts opts = {.facts = &facts,
                              .has_proc = true,
                              .is_pid_1 = true,
                              .info_fd = KIT_INFO_FD,
                              .program_fd = KIT_PROGRAM_FD};
    const whet_process_fd fds[] = {
        {fd, KIT_FD}, {info_fd, KIT_INFO_FD}, {self_fd, KIT_PROGRAM_FD}};
    whet_process_opts run = {
        .fds = fds, .fd_count = 3, .run_as_uid = whet_sandbox_uid()};
    char **argv = NULL;
    whet_status st;

    snprintf(bytes, sizeof bytes, "%zu", kit->memory_bytes);
    snprintf(threads, sizeof threads, "%d", kit->thread_count);
    whet_sandbox_probe(&facts);
    st = whet_sandbox_argv(&argv, program, NULL, &opts, err);
    run.argv = (const char *const *)argv;
    if (st == WHET_OK)
        st = whet_process_start(&worker->process, &run, err);
    whet_sandbox_argv_free(argv);
    return st;
}

whet_status kit_start(struct kit_worker *worker, const struct kit_opts *opts,
                      whet_err *err)
{
    int pair[2] = {-1, -1}, info[2] = {-1, -1};
    int self_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    whet_status st;

    memset(worker, 0, sizeof *worker);
    worker->process.stderr_fd = -1;
    if (self_fd < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
        pipe2(info, O_CLOEXEC) != 0)
        return whet_err_errno(err, errno, "kit");
    worker->fd = pair[0];
    st = launch(worker, opts, pair[1], info[1], self_fd, err);
    close(self_fd);
    close(pair[1]);
    close(info[1]);
    if (st == WHET_OK)
        st = whet_sandbox_read_pid(&worker->pid, info[0], 5000000000u, err);
    close(info[0]);
    if (st == WHET_OK &&
        (!wait_readable(worker->fd, 5000) ||
         read(worker->fd, &worker->hello, sizeof worker->hello) !=
             (ssize_t)sizeof worker->hello))
        st = whet_err_set(err, WHET_EFAIL, "kit: the worker said nothing");
    return st;
}

void kit_stop(struct kit_worker *worker)
{
    whet_process_kill(&worker->process);
    if (worker->fd > 0)
        close(worker->fd);
}

bool kit_ask(struct kit_worker *worker, char command, uint64_t *answer)
{
    return write(worker->fd, &command, 1) == 1 &&
           wait_readable(worker->fd, 5000) &&
           read(worker->fd, answer, sizeof *answer) == sizeof *answer;
}

bool kit_is_dead(pid_t pid)
{
    char path[48], text[512] = "";
    const char *end;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fgets(text, sizeof text, file) == NULL)
        text[0] = '\0';
    fclose(file);
    end = strrchr(text, ')');
    return end == NULL || end[2] == 'Z' || end[2] == 'X';
}
