/* The argument vector, the probe, and what a sandboxed worker can see. */

#include "sandbox_kit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void skip_without_sandbox(void)
{
    whet_sandbox_facts facts;

    whet_sandbox_probe(&facts);
    if (!facts.has_bwrap || !facts.has_namespaces)
        skip();
}

/* Index of a run of words in argv, or -1. */
static int find_words(char **argv, const char *a, const char *b, const char *c)
{
    int i;

    for (i = 0; argv[i] != NULL; i++)
        if (strcmp(argv[i], a) == 0 &&
            (b == NULL || (argv[i + 1] && strcmp(argv[i + 1], b) == 0)) &&
            (c == NULL || (argv[i + 2] && strcmp(argv[i + 2], c) == 0)))
            return i;
    return -1;
}

static void test_base_sandbox__argv_says_what_was_asked(void **state)
{
    static const char *const program[] = {"/x", "--unshare-all", NULL};
    static const char *const env[] = {"A=b=c", "HOME=/tmp", NULL};
    static const whet_sandbox_bind binds[] = {
        {"/data", NULL, false, false},
        {"/out", "/tmp/out", true, false},
        {"/maybe", NULL, false, true},
        {"/maybe2", NULL, true, true},
    };
    whet_sandbox_facts facts = {
        .has_bwrap = true, .has_namespaces = true, .bwrap_path = "/opt/bwrap"};
    whet_sandbox_opts opts = {.facts = &facts,
                              .binds = binds,
                              .bind_count = 4,
                              .is_pid_1 = true,
                              .info_fd = 9};
    char **argv = NULL;
    whet_err err = {0};
    int end;

    (void)state;
    assert_int_equal(whet_sandbox_argv(&argv, program, env, &opts, &err),
                     WHET_OK);
    assert_string_equal(argv[0], "/opt/bwrap");
    assert_true(find_words(argv, "--unshare-all", NULL, NULL) > 0);
    assert_true(find_words(argv, "--as-pid-1", NULL, NULL) > 0);
    assert_true(find_words(argv, "--die-with-parent", NULL, NULL) > 0);
    assert_true(find_words(argv, "--new-session", NULL, NULL) > 0);
    assert_true(find_words(argv, "--clearenv", NULL, NULL) > 0);
    assert_true(find_words(argv, "--cap-drop", "ALL", NULL) > 0);
    assert_true(find_words(argv, "--setenv", "A", "b=c") > 0);
    assert_true(find_words(argv, "--ro-bind", "/data", "/data") > 0);
    assert_true(find_words(argv, "--bind", "/out", "/tmp/out") >
                find_words(argv, "--tmpfs", "/tmp", NULL));
    assert_true(find_words(argv, "--ro-bind-try", "/maybe", "/maybe") > 0);
    assert_true(find_words(argv, "--bind-try", "/maybe2", "/maybe2") > 0);
    assert_true(find_words(argv, "--info-fd", "9", NULL) > 0);
    assert_int_equal(find_words(argv, "--proc", NULL, NULL), -1);
    assert_int_equal(find_words(argv, "--dev", NULL, NULL), -1);
    end = find_words(argv, "--", "/x", "--unshare-all");
    assert_true(end > 0);
    assert_null(argv[end + 3]);
    whet_sandbox_argv_free(argv);
    whet_sandbox_argv_free(NULL);
}

static void test_base_sandbox__no_sandbox_is_refused_unless_off(void **state)
{
    static const char *const program[] = {"/bin/echo", "hi", NULL};
    static const char *const env[] = {"A=b", NULL};
    whet_sandbox_facts facts = {.reason = "no bubblewrap here"};
    whet_sandbox_opts opts = {.facts = &facts};
    char **argv = NULL;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_sandbox_argv(&argv, program, env, &opts, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "no bubblewrap here"));
    assert_null(argv);
    opts.is_off = true;
    assert_int_equal(whet_sandbox_argv(&argv, program, env, &opts, &err),
                     WHET_OK);
    assert_string_equal(argv[0], "/usr/bin/env");
    assert_string_equal(argv[1], "-i");
    assert_string_equal(argv[2], "A=b");
    assert_string_equal(argv[3], "/bin/echo");
    assert_string_equal(argv[4], "hi");
    assert_null(argv[5]);
    whet_sandbox_argv_free(argv);
}

static void test_base_sandbox__program_fd_is_the_program_either_way(void **s)
{
    static const char *const program[] = {WHET_SANDBOX_PROGRAM, "a", NULL};
    whet_sandbox_facts facts = {.has_bwrap = true, .has_namespaces = true};
    whet_sandbox_opts opts = {.facts = &facts, .program_fd = 7};
    char **argv = NULL;

    (void)s;
    assert_int_equal(whet_sandbox_argv(&argv, program, NULL, &opts, NULL),
                     WHET_OK);
    assert_true(find_words(argv, "--ro-bind-data", "7", WHET_SANDBOX_PROGRAM) >
                0);
    assert_true(find_words(argv, "--", WHET_SANDBOX_PROGRAM, "a") > 0);
    whet_sandbox_argv_free(argv);
    opts.is_off = true;
    assert_int_equal(whet_sandbox_argv(&argv, program, NULL, &opts, NULL),
                     WHET_OK);
    assert_true(find_words(argv, "-i", "/proc/self/fd/7", "a") > 0);
    whet_sandbox_argv_free(argv);
}

static void test_base_sandbox__probe_tells_what_is_missing(void **state)
{
    whet_sandbox_facts facts;

    (void)state;
    assert_int_equal(setenv("WHET_BWRAP", "/nonexistent/bwrap", 1), 0);
    whet_sandbox_probe(&facts);
    assert_false(facts.has_bwrap || facts.has_namespaces);
    assert_non_null(strstr(facts.reason, "install the package bubblewrap"));
    /* A "bubblewrap" that runs nothing. */
    assert_int_equal(setenv("WHET_BWRAP", "/bin/false", 1), 0);
    whet_sandbox_probe(&facts);
    assert_true(facts.has_bwrap);
    assert_false(facts.has_namespaces);
    assert_non_null(strstr(facts.reason, "cannot start"));
    unsetenv("WHET_BWRAP");
}

static void test_base_sandbox__reads_the_pid_from_any_pieces(void **state)
{
    static const char text[] = "{\n    \"child-pid\": 4711,\n    \"x\": 1\n}\n";
    static const char *const bad[] = {"{\"child-pid\": 1}", "{\"a\": 5}", "}",
                                      "{\"child-pid\": \"5\"}"};
    whet_err err = {0};
    pid_t pid = -1;
    size_t i;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(whet_sandbox_read_pid(&pid, fds[0], 1000000, &err),
                     WHET_ETIMEOUT);
    assert_non_null(strstr(err.msg, "in time"));
    assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
    assert_int_equal(whet_sandbox_read_pid(&pid, fds[0], 1000000000, &err),
                     WHET_OK);
    assert_int_equal(pid, 4711);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err.msg[0] = '\0';
        assert_true(write(fds[1], bad[i], strlen(bad[i])) > 0);
        assert_int_equal(whet_sandbox_read_pid(&pid, fds[0], 1000000000, &err),
                         WHET_EINVAL);
        assert_true(err.msg[0] != '\0');
        assert_int_equal(pid, 0);
    }
    close(fds[1]);
    assert_int_equal(whet_sandbox_read_pid(&pid, fds[0], 1000000000, &err),
                     WHET_EFAIL);
    assert_non_null(strstr(err.msg, "ended before"));
    close(fds[0]);
}

static void test_base_sandbox__worker_is_alone_inside(void **state)
{
    static const struct kit_opts opts = {.memory_bytes = 4096};
    struct kit_worker worker;
    whet_err err = {0};
    uint64_t answer = 0;

    (void)state;
    skip_without_sandbox();
    if (kit_start(&worker, &opts, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(worker.hello.pid, 1);
    assert_true(worker.pid > 1);
    assert_int_not_equal(worker.pid, worker.process.pid);
    assert_int_equal(worker.hello.host_is_visible, 0);
    assert_int_equal(worker.hello.info_fd_is_open, 0);
    assert_true(kit_ask(&worker, 'p', &answer));
    assert_int_equal(answer, 1);
    kit_stop(&worker);
}

/* The supervisor dies by SIGKILL; neither bubblewrap nor the worker, frozen or
 * not, may survive it. */
static void no_survivor(bool is_frozen)
{
    static const struct kit_opts opts = {.memory_bytes = 4096,
                                         .thread_count = 2};
    pid_t pids[2] = {0, 0};
    pid_t supervisor;
    int fds[2], i;

    assert_int_equal(pipe(fds), 0);
    supervisor = fork();
    assert_true(supervisor >= 0);
    if (supervisor == 0) {
        struct kit_worker worker;

        if (kit_start(&worker, &opts, NULL) != WHET_OK ||
            (is_frozen &&
             whet_sandbox_freeze(worker.pid, 1000000000u, NULL) != WHET_OK))
            _exit(1);
        pids[0] = worker.process.pid;
        pids[1] = worker.pid;
        if (write(fds[1], pids, sizeof pids) != sizeof pids)
            _exit(1);
        for (;;)
            pause();
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], pids, sizeof pids), sizeof pids);
    assert_false(kit_is_dead(pids[0]) || kit_is_dead(pids[1]));
    kill(supervisor, SIGKILL);
    assert_int_equal(waitpid(supervisor, NULL, 0), supervisor);
    for (i = 0; i < 500 && !(kit_is_dead(pids[0]) && kit_is_dead(pids[1])); i++)
        usleep(10000);
    assert_true(kit_is_dead(pids[0]));
    assert_true(kit_is_dead(pids[1]));
    close(fds[0]);
}

static void test_base_sandbox__nothing_survives_the_supervisor(void **state)
{
    (void)state;
    skip_without_sandbox();
    no_survivor(false);
    no_survivor(true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_sandbox__argv_says_what_was_asked),
        cmocka_unit_test(test_base_sandbox__no_sandbox_is_refused_unless_off),
        cmocka_unit_test(
            test_base_sandbox__program_fd_is_the_program_either_way),
        cmocka_unit_test(test_base_sandbox__probe_tells_what_is_missing),
        cmocka_unit_test(test_base_sandbox__reads_the_pid_from_any_pieces),
        cmocka_unit_test(test_base_sandbox__worker_is_alone_inside),
        cmocka_unit_test(test_base_sandbox__nothing_survives_the_supervisor),
    };

    kit_worker_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
