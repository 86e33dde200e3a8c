/* The writer's lock: held by living processes only. */

#include "ledger_kit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

static char *lock_name(kit *k)
{
    return whet_asprintf("%s.lock", k->path);
}

static void test_ledger_lock__left_over_file_locks_nobody_out(void **state)
{
    static const char *const texts[] = {"1\n", "", "garbage", "-5\n"};
    kit *k = *state;
    char *name = lock_name(k);
    size_t i;

    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        whet_ledger *ledger;
        whet_buf text = {0};
        char pid[24];

        assert_int_equal(
            whet_fs_write(name, texts[i], strlen(texts[i]), &k->err), WHET_OK);
        ledger = kit_open(k, WHET_LEDGER_CREATE);
        snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
        assert_int_equal(whet_fs_read(&text, name, 100, &k->err), WHET_OK);
        assert_string_equal(whet_buf_str(&text), pid);
        whet_buf_deinit(&text);
        whet_ledger_close(ledger);
        assert_false(kit_has(k, ".lock"));
    }
    free(name);
}

static void test_ledger_lock__holder_without_a_pid(void **state)
{
    kit *k = *state;
    char *name = lock_name(k);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL,
                   "being written by another process");
    assert_false(kit_has(k, ""));
    close(fd);
    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    free(name);
}

static void test_ledger_lock__link_is_not_followed(void **state)
{
    kit *k = *state;
    char *name = lock_name(k), *target = whet_fs_join(k->dir, "target");

    assert_int_equal(symlink(target, name), 0);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, "cannot be written");
    assert_false(whet_fs_exists(target));
    free(target);
    free(name);
}

static void hold_until_killed(kit *k, int ready)
{
    whet_ledger *ledger;

    if (whet_ledger_open(&ledger, k->path, WHET_LEDGER_CREATE, NULL, NULL) !=
            WHET_OK ||
        write(ready, "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void test_ledger_lock__dies_with_its_process(void **state)
{
    kit *k = *state;
    int ready[2], status;
    char text[64], byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0)
        hold_until_killed(k, ready[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    snprintf(text, sizeof text, "being written by process %ld", (long)pid);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, text);
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(kit_has(k, ".lock"));
    whet_ledger_close(kit_open(k, WHET_LEDGER_WRITE));
    assert_false(kit_has(k, ".lock"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_lock__left_over_file_locks_nobody_out),
        TEST(test_ledger_lock__holder_without_a_pid),
        TEST(test_ledger_lock__link_is_not_followed),
        TEST(test_ledger_lock__dies_with_its_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
