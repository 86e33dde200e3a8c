/* The program itself: children, version, start-up, output that fails. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's start-up alone takes longer than what is promised. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

static void test_cli_main__prints_its_version(void **state)
{
    cli_kit_expect(*state, WORDS("--version"), 0, "whet " WHET_VERSION "\n",
                   NULL);
}

static void test_cli_main__helps(void **state)
{
    cli_kit_expect(*state, WORDS("--help"), 0, "Commands:\n", NULL);
    cli_kit_expect(*state, WORDS("help", "task"), 0, "task check DIR", NULL);
    cli_kit_expect(*state, WORDS("skills", "--help"), 0, "--json", NULL);
}

static void test_cli_main__bad_use_is_one_line_and_2(void **state)
{
    cli_kit_expect(*state, WORDS("docter"), 2, NULL,
                   "whet: unknown command 'docter', did you mean 'doctor'?\n");
    cli_kit_expect(*state, WORDS("doctor", "--jsn"), 2, NULL, "--json");
    cli_kit_expect(*state, WORDS("doctor", "extra"), 2, NULL, "whet: ");
    cli_kit_expect(*state, WORDS("task"), 2, NULL, "incomplete command");
}

static void test_cli_main__starts_within_10_ms(void **state)
{
    uint64_t least_ns = UINT64_MAX;

    if (HAS_SANITIZER)
        skip();
    for (int i = 0; i < 20; i++) {
        whet_process_result result = {0};

        assert_int_equal(cli_kit_run(&result, *state, WORDS("--version")), 0);
        if (result.wall_ns < least_ns)
            least_ns = result.wall_ns;
        whet_process_result_deinit(&result);
    }
    assert_true(least_ns < 10000000);
}

static void test_cli_main__tells_its_children_apart(void **state)
{
    whet_process_result result = {0};

    /* Without a supervisor neither has anything to do; neither may be taken
     * for a command or hang. */
    assert_int_not_equal(cli_kit_run(&result, *state, WORDS("__worker")), 0);
    assert_null(strstr(whet_buf_str(&result.err), "unknown command"));
    whet_process_result_deinit(&result);
    assert_int_not_equal(cli_kit_run(&result, *state, WORDS("__build", "none")),
                         0);
    assert_null(strstr(whet_buf_str(&result.err), "unknown command"));
    whet_process_result_deinit(&result);
}

/* Runs `whet task list` with stdout on `out_fd`; gives wait's status. */
static int run_into(const cli_kit *kit, int out_fd, char *err_text,
                    size_t err_bytes)
{
    ssize_t got;
    int fds[2], status;
    pid_t pid;

    if (kit->binary == NULL)
        skip();
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        dup2(out_fd, STDOUT_FILENO);
        dup2(fds[1], STDERR_FILENO);
        execle(kit->binary, "whet", "task", "list", (char *)NULL, kit->env);
        _exit(127);
    }
    close(fds[1]);
    got = read(fds[0], err_text, err_bytes - 1);
    err_text[got > 0 ? got : 0] = '\0';
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void test_cli_main__full_disk_is_3_with_a_line(void **state)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    char text[512];
    int status;

    if (fd < 0)
        skip();
    status = run_into(*state, fd, text, sizeof text);
    close(fd);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_non_null(strstr(text, "whet: cannot write to standard output: "));
}

static void test_cli_main__closed_pipe_is_3_and_no_signal(void **state)
{
    char text[512];
    int fds[2], status;

    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    status = run_into(*state, fds[1], text, sizeof text);
    close(fds[1]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_main__prints_its_version),
        cmocka_unit_test(test_cli_main__helps),
        cmocka_unit_test(test_cli_main__bad_use_is_one_line_and_2),
        cmocka_unit_test(test_cli_main__starts_within_10_ms),
        cmocka_unit_test(test_cli_main__tells_its_children_apart),
        cmocka_unit_test(test_cli_main__full_disk_is_3_with_a_line),
        cmocka_unit_test(test_cli_main__closed_pipe_is_3_and_no_signal),
    };

    return cmocka_run_group_tests(tests, cli_kit_open, cli_kit_close);
}
