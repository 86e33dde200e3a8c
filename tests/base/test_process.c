/* Children of all kinds: exits, deadlines, output, descriptors, limits. */

#include "sandbox_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t second_ns = 1000000000u;

/* Run "sh -c SCRIPT" with what else `opts` says. */
static whet_process_result run_sh(const char *script, whet_process_opts opts)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    whet_process_result result;
    whet_err err = {0};

    opts.argv = argv;
    if (opts.timeout_ns == 0)
        opts.timeout_ns = 20 * second_ns;
    opts.stdout_max_bytes += 4096;
    opts.stderr_max_bytes += 4096;
    if (whet_process_run(&result, &opts, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return result;
}

static void test_base_process__captures_both_streams_and_status(void **state)
{
    whet_process_result r =
        run_sh("echo out; echo err >&2; exit 3", (whet_process_opts){0});

    (void)state;
    assert_int_equal(r.kind, WHET_EXIT_CODE);
    assert_int_equal(r.code, 3);
    assert_string_equal(whet_buf_str(&r.out), "out\n");
    assert_string_equal(whet_buf_str(&r.err), "err\n");
    assert_false(r.out_cut || r.err_cut);
    assert_true(r.wall_ns > 0);
    whet_process_result_deinit(&r);
}

static void test_base_process__feeds_stdin(void **state)
{
    whet_process_result r = run_sh(
        "cat", (whet_process_opts){.stdin_data = "abc\0d", .stdin_bytes = 5});

    (void)state;
    assert_int_equal(r.out.bytes, 5);
    assert_memory_equal(r.out.data, "abc\0d", 5);
    whet_process_result_deinit(&r);
    r = run_sh("cat", (whet_process_opts){0});
    assert_int_equal(r.out.bytes, 0);
    whet_process_result_deinit(&r);
}

static void test_base_process__caps_output_and_drains_the_rest(void **state)
{
    static const char *const argv[] = {
        "/bin/sh", "-c", "head -c 300000 /dev/zero; echo x >&2", NULL};
    whet_process_opts opts = {
        .argv = argv, .stdout_max_bytes = 1000, .timeout_ns = 20 * second_ns};
    whet_process_result r;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_OK);
    assert_int_equal(r.kind, WHET_EXIT_CODE);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.out.bytes, 1000);
    assert_int_equal(r.err.bytes, 0);
    assert_true(r.out_cut && r.err_cut);
    whet_process_result_deinit(&r);
}

static void test_base_process__classifies_signals(void **state)
{
    whet_process_result r = run_sh("kill -SEGV $$", (whet_process_opts){0});
    char text[64];

    (void)state;
    assert_int_equal(r.kind, WHET_EXIT_SIGNAL);
    assert_int_equal(r.code, SIGSEGV);
    whet_exit_describe(text, sizeof text, r.kind, r.code);
    assert_non_null(strstr(text, "signal 11 ("));
    whet_process_result_deinit(&r);
}

static void test_base_process__deadline_kills_the_whole_group(void **state)
{
    whet_process_result r =
        run_sh("sleep 60 & echo $!; sleep 60",
               (whet_process_opts){.timeout_ns = second_ns / 5});
    pid_t left;
    int i;

    (void)state;
    assert_int_equal(r.kind, WHET_EXIT_TIMEOUT);
    assert_true(r.wall_ns >= second_ns / 5 && r.wall_ns < 10 * second_ns);
    left = (pid_t)strtol(whet_buf_str(&r.out), NULL, 10);
    assert_true(left > 1);
    for (i = 0; i < 5000 && !kit_is_dead(left); i++)
        usleep(1000);
    assert_true(kit_is_dead(left));
    whet_process_result_deinit(&r);
}

static void test_base_process__does_not_wait_for_left_behind(void **state)
{
    whet_process_result r = run_sh("sleep 60 & exit 0", (whet_process_opts){0});

    (void)state;
    assert_int_equal(r.kind, WHET_EXIT_CODE);
    assert_true(r.wall_ns < 10 * second_ns);
    whet_process_result_deinit(&r);
}

static void test_base_process__tells_that_exec_failed(void **state)
{
    static const char *const argv[] = {"/nonexistent/program", NULL};
    whet_process_opts opts = {.argv = argv};
    whet_process process;
    whet_process_result r;
    whet_err err = {0};
    char text[96];

    (void)state;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_OK);
    assert_int_equal(r.kind, WHET_EXIT_NOT_RUN);
    assert_int_equal(r.code, ENOENT);
    whet_exit_describe(text, sizeof text, r.kind, r.code);
    assert_non_null(strstr(text, "No such file"));
    whet_process_result_deinit(&r);
    assert_int_not_equal(whet_process_start(&process, &opts, &err), WHET_OK);
    assert_non_null(strstr(err.msg, "/nonexistent/program"));
    whet_process_kill(&process);
}

static void test_base_process__tells_what_could_not_be_prepared(void **state)
{
    static const char *const argv[] = {"/bin/true", NULL};
    static const whet_process_fd low = {1, 2}, closed = {900, 5};
    whet_process_opts opts = {.argv = argv, .cwd = "/nonexistent"};
    whet_process_result r;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "/nonexistent"));
    opts = (whet_process_opts){.argv = argv, .fds = &low, .fd_count = 1};
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "expected 3 or more"));
    opts.fds = &closed;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "descriptors"));
    opts = (whet_process_opts){0};
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "no program"));
}

static void test_base_process__clears_the_environment(void **state)
{
    static const char *const env[] = {"A=b c", NULL};
    static const char *const argv[] = {"/usr/bin/env", NULL};
    whet_process_opts opts = {
        .argv = argv, .env = env, .stdout_max_bytes = 4096};
    whet_process_result r;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_OK);
    assert_string_equal(whet_buf_str(&r.out), "A=b c\n");
    whet_process_result_deinit(&r);
    opts.env = NULL;
    assert_int_equal(whet_process_run(&r, &opts, &err), WHET_OK);
    assert_int_equal(r.out.bytes, 0);
    whet_process_result_deinit(&r);
}

static void test_base_process__hands_over_only_the_named_fds(void **state)
{
    int a = open("/dev/null", O_RDONLY), b = open("/dev/zero", O_RDONLY);
    /* Crossed on purpose: each wants the other's number. */
    whet_process_fd fds[] = {{a, b}, {b, a}};
    whet_process_result r;
    char want[64];

    (void)state;
    assert_true(a > 2 && b == a + 1);
    r = run_sh("cd /proc/self/fd && ls -l | sed -n 's/.* \\([0-9]*\\) -> "
               "\\(.dev.*\\)/\\1 \\2/p' | grep -v '^[012] '",
               (whet_process_opts){.fds = fds, .fd_count = 2});
    snprintf(want, sizeof want, "%d /dev/zero\n%d /dev/null\n", a, b);
    /* "ls" holds the folder open as one more descriptor, not under /dev. */
    assert_string_equal(whet_buf_str(&r.out), want);
    whet_process_result_deinit(&r);
    close(a);
    close(b);
}

static void test_base_process__lowers_limits(void **state)
{
    whet_process_limits limits = {.cpu_s = 7,
                                  .open_files_count = 33,
                                  .file_bytes = 1024 * 512,
                                  .data_bytes = 1u << 29,
                                  .address_space_bytes = 1u << 30};
    whet_process_result r =
        run_sh("ulimit -t; ulimit -n; ulimit -f; ulimit -v; ulimit -c; "
               "ulimit -d",
               (whet_process_opts){.limits = limits});

    (void)state;
    assert_string_equal(whet_buf_str(&r.out),
                        "7\n33\n1024\n1048576\n0\n524288\n");
    whet_process_result_deinit(&r);
    limits = (whet_process_limits){.open_files_count = 1u << 30};
    r = run_sh("ulimit -n", (whet_process_opts){.limits = limits});
    assert_true(strtol(whet_buf_str(&r.out), NULL, 10) <=
                sysconf(_SC_OPEN_MAX));
    whet_process_result_deinit(&r);
}

static void test_base_process__expendable_ones_go_first(void **state)
{
    whet_process_result r =
        run_sh("read score < /proc/self/oom_score_adj; echo $score",
               (whet_process_opts){.is_expendable = true});

    (void)state;
    assert_string_equal(whet_buf_str(&r.out), "1000\n");
    whet_process_result_deinit(&r);
}

static void test_base_process__drops_to_the_user(void **state)
{
    static const char *const argv[] = {"/bin/true", NULL};
    whet_process_opts opts = {.argv = argv, .run_as_uid = 65534};
    whet_process_result r;
    whet_err err = {0};

    (void)state;
    if (geteuid() != 0) {
        assert_int_equal(whet_process_run(&r, &opts, &err), WHET_EFAIL);
        assert_non_null(strstr(err.msg, "needs root"));
        return;
    }
    r = run_sh("id -u; id -g; id -G", opts);
    assert_string_equal(whet_buf_str(&r.out), "65534\n65534\n65534\n");
    whet_process_result_deinit(&r);
}

static void test_base_process__waits_and_kills(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "echo hi; read x",
                                       NULL};
    static const char *const sleeps[] = {"/bin/sleep", "60", NULL};
    whet_process_opts opts = {.argv = argv};
    whet_process process = {0};
    whet_exit_kind kind = WHET_EXIT_NOT_RUN;
    whet_err err = {0};
    char text[8] = "";
    int code = -1;

    (void)state;
    whet_process_kill(&process); /* never started: harmless */
    assert_int_equal(whet_process_start(&process, &opts, &err), WHET_OK);
    assert_true(whet_process_wait(&process, 10 * second_ns, &kind, &code));
    assert_int_equal(kind, WHET_EXIT_CODE);
    assert_int_equal(code, 1); /* "read" met the end of its empty input */
    assert_int_equal(read(process.stderr_fd, text, sizeof text), 3);
    assert_memory_equal(text, "hi\n", 3);
    whet_process_kill(&process);

    opts.argv = sleeps;
    assert_int_equal(whet_process_start(&process, &opts, &err), WHET_OK);
    assert_false(whet_process_wait(&process, 0, &kind, &code));
    assert_false(whet_process_wait(&process, second_ns / 50, &kind, &code));
    whet_process_kill(&process);
    assert_int_equal(process.pid, 0);
    assert_int_equal(process.stderr_fd, -1);
    assert_false(whet_process_wait(&process, 0, &kind, &code));
}

/* A middle process starts a child with us, tells its pid and is killed. */
static void test_base_process__child_dies_with_its_parent(void **state)
{
    static const char *const sleeps[] = {"/bin/sleep", "60", NULL};
    int fds[2];
    pid_t middle, child = 0;
    int i;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    middle = fork();
    assert_true(middle >= 0);
    if (middle == 0) {
        whet_process_opts opts = {.argv = sleeps,
                                  .run_as_uid = whet_sandbox_uid()};
        whet_process process;

        if (whet_process_start(&process, &opts, NULL) != WHET_OK ||
            write(fds[1], &process.pid, sizeof process.pid) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
    assert_false(kit_is_dead(child));
    kill(middle, SIGKILL);
    assert_int_equal(waitpid(middle, NULL, 0), middle);
    for (i = 0; i < 5000 && !kit_is_dead(child); i++)
        usleep(1000);
    assert_true(kit_is_dead(child));
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_process__captures_both_streams_and_status),
        cmocka_unit_test(test_base_process__feeds_stdin),
        cmocka_unit_test(test_base_process__caps_output_and_drains_the_rest),
        cmocka_unit_test(test_base_process__classifies_signals),
        cmocka_unit_test(test_base_process__deadline_kills_the_whole_group),
        cmocka_unit_test(test_base_process__does_not_wait_for_left_behind),
        cmocka_unit_test(test_base_process__tells_that_exec_failed),
        cmocka_unit_test(test_base_process__tells_what_could_not_be_prepared),
        cmocka_unit_test(test_base_process__clears_the_environment),
        cmocka_unit_test(test_base_process__hands_over_only_the_named_fds),
        cmocka_unit_test(test_base_process__lowers_limits),
        cmocka_unit_test(test_base_process__expendable_ones_go_first),
        cmocka_unit_test(test_base_process__drops_to_the_user),
        cmocka_unit_test(test_base_process__waits_and_kills),
        cmocka_unit_test(test_base_process__child_dies_with_its_parent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
