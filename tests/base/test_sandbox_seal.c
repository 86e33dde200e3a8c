/* What each filter lets pass. Every check runs in a child of its own, since a
 * filter cannot be taken off. */

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Run `body` sealed in a child; it returns NULL or what was wrong. */
static void run_sealed(whet_sandbox_profile profile, const char *(*body)(void))
{
    char wrong[128] = "";
    int fds[2];
    int status = 0;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        whet_err err = {0};
        const char *text = "seal";

        if (whet_sandbox_seal(profile, &err) == WHET_OK)
            text = body();
        if (text != NULL && write(fds[1], text, strlen(text)) < 0)
            _exit(2);
        _exit(text != NULL);
    }
    close(fds[1]);
    (void)!read(fds[0], wrong, sizeof wrong - 1);
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("%s (status %d)", wrong, status);
}

static bool answers(long number, long a, long b, long c, int error)
{
    errno = 0;
    return syscall(number, a, b, c, 0L, 0L, 0L) == -1 && errno == error;
}

static const char *forbidden_to_all(void)
{
    static const struct {
        const char *name;
        long number;
        int error;
    } rows[] = {
        {"socket", SYS_socket, EPERM},
        {"socketpair", SYS_socketpair, EPERM},
        {"connect", SYS_connect, EPERM},
        {"sendmsg", SYS_sendmsg, EPERM},
        {"ptrace", SYS_ptrace, EPERM},
        {"process_vm_readv", SYS_process_vm_readv, EPERM},
        {"process_vm_writev", SYS_process_vm_writev, EPERM},
        {"unshare", SYS_unshare, EPERM},
        {"setns", SYS_setns, EPERM},
        {"mount", SYS_mount, EPERM},
        {"bpf", SYS_bpf, EPERM},
        {"keyctl", SYS_keyctl, EPERM},
        {"perf_event_open", SYS_perf_event_open, EPERM},
        {"seccomp", SYS_seccomp, EPERM},
        {"setuid", SYS_setuid, EPERM},
        {"personality", SYS_personality, EPERM},
#ifdef SYS_io_uring_setup
        {"io_uring_setup", SYS_io_uring_setup, EPERM},
#endif
#ifdef SYS_userfaultfd
        {"userfaultfd", SYS_userfaultfd, EPERM},
#endif
#ifdef SYS_pidfd_getfd
        {"pidfd_getfd", SYS_pidfd_getfd, EPERM},
#endif
        {"unknown", 1000, ENOSYS},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!answers(rows[i].number, 0, 0, 0, rows[i].error))
            return rows[i].name;
    return NULL;
}

static const char *forbidden_to_worker(void)
{
    static const struct {
        const char *name;
        long number;
    } rows[] = {
        {"clone", SYS_clone},         {"execve", SYS_execve},
        {"kill", SYS_kill},           {"tkill", SYS_tkill},
        {"tgkill", SYS_tgkill},       {"prctl", SYS_prctl},
        {"setitimer", SYS_setitimer},
#ifdef SYS_clone3
        {"clone3", SYS_clone3},
#endif
#ifdef SYS_fork
        {"fork", SYS_fork},           {"vfork", SYS_vfork},
#endif
    };
    struct rlimit lim = {1, 1};
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!answers(rows[i].number, 0, 0, 0, EPERM))
            return rows[i].name;
    if (!answers(SYS_ioctl, 1, 0x5401, 0, ENOTTY))
        return "ioctl";
    if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &lim, NULL) != -1)
        return "setting a limit";
    /* What would bind the host's programs, or go on while it is frozen. */
    if (!answers(SYS_flock, 0, LOCK_SH, 0, ENOSYS))
        return "flock";
    if (!answers(SYS_fcntl, 0, F_SETLK, 0, ENOSYS))
        return "F_SETLK";
    if (!answers(SYS_fadvise64, 0, 0, 0, ENOSYS))
        return "fadvise64";
    if (!answers(SYS_madvise, 0, 0, MADV_WILLNEED, ENOSYS) ||
        !answers(SYS_madvise, 0, 0, MADV_MERGEABLE, ENOSYS))
        return "madvise";
    return forbidden_to_all();
}

static void test_base_sandbox_seal__worker_cannot_leave(void **state)
{
    (void)state;
    run_sealed(WHET_SANDBOX_WORKER, forbidden_to_worker);
}

static const char *worker_needs(void)
{
    char name[] = "/tmp/whet-seal-XXXXXX";
    struct timespec ts;
    struct rusage usage;
    struct stat st;
    void *memory;
    int fd, word = 0;

    memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, 1 << 20, MADV_HUGEPAGE) != 0)
        return "mmap";
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0)
        return "mprotect";
    if (munmap(memory, 1 << 20) != 0)
        return "munmap";
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts) != 0 ||
        getrusage(RUSAGE_SELF, &usage) != 0 || sched_yield() != 0)
        return "time";
    if (syscall(SYS_futex, &word, 1 /* wake */, 1, NULL, NULL, 0) != 0)
        return "futex";
    if (mkdtemp(name) == NULL)
        return "mkdir";
    if ((fd = open(name, O_RDONLY | O_DIRECTORY)) < 0 || fstat(fd, &st) != 0 ||
        close(fd) != 0 || access(name, F_OK) != 0)
        return "open";
    return rmdir(name) == 0 ? NULL : "rmdir";
}

static void test_base_sandbox_seal__worker_can_compute(void **state)
{
    (void)state;
    run_sealed(WHET_SANDBOX_WORKER, worker_needs);
}

static int talk[2];

static const char *worker_talks(void)
{
    char text[4] = "";

    if (send(talk[0], "abc", 4, MSG_NOSIGNAL) != 4 ||
        recv(talk[1], text, 4, 0) != 4 || strcmp(text, "abc") != 0)
        return "send and recv";
    if (write(talk[0], "def", 4) != 4 || read(talk[1], text, 4) != 4)
        return "write and read";
    return NULL;
}

static void test_base_sandbox_seal__worker_talks_on_its_socket(void **state)
{
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, talk), 0);
    run_sealed(WHET_SANDBOX_WORKER, worker_talks);
    close(talk[0]);
    close(talk[1]);
}

/* A thread that exists already is bound as well. */
static pthread_barrier_t barrier;

static void *try_socket(void *payload)
{
    bool *refused = payload;

    pthread_barrier_wait(&barrier);
    *refused = answers(SYS_socket, AF_UNIX, SOCK_STREAM, 0, EPERM);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void test_base_sandbox_seal__binds_all_threads(void **state)
{
    pid_t pid = fork();
    int status = -1;

    (void)state;
    if (pid == 0) {
        pthread_t thread;
        bool refused = false;

        pthread_barrier_init(&barrier, NULL, 2);
        if (pthread_create(&thread, NULL, try_socket, &refused) != 0 ||
            whet_sandbox_seal(WHET_SANDBOX_WORKER, NULL) != WHET_OK)
            _exit(2);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void *nothing(void *payload)
{
    return payload;
}

static const char *build_runs(void)
{
    static const char *const argv[] = {
        "/bin/sh", "-c", "echo a | cat >/dev/null && exit 3", NULL};
    pthread_t thread;
    pid_t pid;
    int status = 0;

    if (pthread_create(&thread, NULL, nothing, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        return "thread";
    if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0)
        return "a new namespace";
    pid = fork();
    if (pid == 0) {
        execv(argv[0], (char *const *)argv);
        _exit(1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return "fork";
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
        return "a shell with a pipe";
    return forbidden_to_all();
}

static void test_base_sandbox_seal__build_runs_programs(void **state)
{
    (void)state;
    run_sealed(WHET_SANDBOX_BUILD, build_runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_sandbox_seal__worker_cannot_leave),
        cmocka_unit_test(test_base_sandbox_seal__worker_can_compute),
        cmocka_unit_test(test_base_sandbox_seal__worker_talks_on_its_socket),
        cmocka_unit_test(test_base_sandbox_seal__binds_all_threads),
        cmocka_unit_test(test_base_sandbox_seal__build_runs_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
