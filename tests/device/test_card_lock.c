/* The lock on a card: between processes, after kill -9, and against what others
 * may have put into the shared folder. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char card[] = "0000:c1:00.0";

static int clear(void **state)
{
    const card_kit *kit = *state;

    setenv("WHET_LOCK_DIR", kit->locks, 1);
    (void)unlink(kit->locks);
    whet_fs_remove_tree(kit->locks);
    return 0;
}

static whet_status take(whet_card_lock *lock, uint64_t wait_ns, whet_err *err)
{
    return whet_card_lock_take(lock, card, wait_ns, NULL, err);
}

/* A process that holds the card until it is killed, or for some time. */
static pid_t hold(uint64_t for_us)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        whet_card_lock lock;

        if (take(&lock, 0, NULL) != WHET_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep((useconds_t)for_us);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void test_device_card_lock__second_is_told_who(void **state)
{
    whet_card_lock lock;
    whet_err err = {0};
    char expected[160];
    pid_t pid = hold(20000000);

    (void)state;
    assert_int_equal(take(&lock, 0, &err), WHET_EUNSUPPORTED);
    assert_int_equal(lock.fd, -1);
    snprintf(expected, sizeof expected, ", pid %d", (int)pid);
    assert_non_null(strstr(err.msg, "card 0000:c1:00.0 is in use by "));
    assert_non_null(strstr(err.msg, "test_card_lock"));
    assert_non_null(strstr(err.msg, expected));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_device_card_lock__kill_9_frees(void **state)
{
    whet_card_lock lock;
    pid_t pid = hold(20000000);

    (void)state;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(take(&lock, 0, NULL), WHET_OK);
    assert_true(lock.fd >= 0);
    assert_string_equal(lock.pci, card);
    whet_card_lock_release(&lock);
    assert_int_equal(lock.fd, -1);
}

static void test_device_card_lock__waiting_gets_it(void **state)
{
    whet_card_lock lock;
    pid_t pid = hold(300000);

    (void)state;
    assert_int_equal(take(&lock, 10000000000u, NULL), WHET_OK);
    whet_card_lock_release(&lock);
    waitpid(pid, NULL, 0);
}

static void test_device_card_lock__waiting_ends(void **state)
{
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns = whet_clock_now(&clock);
    whet_card_lock first, second;
    const volatile int cancel = 1;
    whet_err err = {0};

    (void)state;
    assert_int_equal(take(&first, 0, NULL), WHET_OK);
    assert_int_equal(take(&second, 250000000u, &err), WHET_EUNSUPPORTED);
    assert_true(whet_clock_now(&clock) - begin_ns >= 250000000u);
    assert_int_equal(
        whet_card_lock_take(&second, card, 60000000000u, &cancel, &err),
        WHET_ECANCELLED);
    assert_non_null(strstr(err.msg, "cancelled"));
    whet_card_lock_release(&first);
}

static void test_device_card_lock__cards_are_apart(void **state)
{
    whet_card_lock first, second;
    whet_card_lock none = {0};

    (void)state;
    assert_int_equal(take(&first, 0, NULL), WHET_OK);
    assert_int_equal(
        whet_card_lock_take(&second, "cuda-index:1", 0, NULL, NULL), WHET_OK);
    whet_card_lock_release(&first);
    whet_card_lock_release(&first);
    whet_card_lock_release(&second);
    /* A zeroed one does not close standard input. */
    whet_card_lock_release(&none);
    assert_true(fcntl(0, F_GETFD) >= 0 || errno == EBADF);
}

static void test_device_card_lock__shared_by_all_users(void **state)
{
    const card_kit *kit = *state;
    mode_t mask = umask(077);
    whet_card_lock lock;
    struct stat info;
    char *path = whet_fs_join(kit->locks, card);

    assert_int_equal(take(&lock, 0, NULL), WHET_OK);
    umask(mask);
    assert_int_equal(stat(kit->locks, &info), 0);
    assert_int_equal(info.st_mode & 07777, 01777);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0666);
    /* No child inherits it. */
    assert_true(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC);
    whet_card_lock_release(&lock);
    free(path);
}

static void refused(const char *part)
{
    whet_card_lock lock;
    whet_err err = {0};

    assert_int_equal(take(&lock, 0, &err), WHET_EFAIL);
    assert_int_equal(lock.fd, -1);
    if (strstr(err.msg, part) == NULL)
        fail_msg("%s", err.msg);
}

static void test_device_card_lock__links_are_not_followed(void **state)
{
    const card_kit *kit = *state;
    char *victim = whet_fs_join(kit->dir, "victim");
    char *path = whet_fs_join(kit->locks, card);
    whet_buf text = {0};

    card_kit_write(kit, "victim", "precious\n");
    card_kit_write(kit, "locks/other", "");
    assert_int_equal(symlink(victim, path), 0);
    refused("0000:c1:00.0");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
    refused("not a lock file");
    assert_int_equal(whet_fs_read(&text, victim, 64, NULL), WHET_OK);
    assert_string_equal(whet_buf_str(&text), "precious\n");
    whet_buf_deinit(&text);
    free(path);
    free(victim);
}

static void test_device_card_lock__odd_files_are_refused(void **state)
{
    const card_kit *kit = *state;
    char *path = whet_fs_join(kit->locks, card);
    char large[400];

    card_kit_write(kit, "locks/other", "");
    assert_int_equal(mkfifo(path, 0666), 0);
    refused("not a lock file"); /* and does not hang */
    assert_int_equal(unlink(path), 0);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    card_kit_write(kit, "locks/0000:c1:00.0", large);
    refused("not a lock file");
    free(path);
}

static void test_device_card_lock__odd_folders_are_refused(void **state)
{
    const card_kit *kit = *state;

    assert_int_equal(symlink(kit->tools, kit->locks), 0);
    refused("a link?");
    assert_int_equal(unlink(kit->locks), 0);
    assert_int_equal(whet_fs_mkdirs(kit->locks, NULL), WHET_OK);
    assert_int_equal(chmod(kit->locks, 0777), 0);
    refused("sticky");
    setenv("WHET_LOCK_DIR", "/nonexistent/locks", 1);
    refused("WHET_LOCK_DIR");
}

static void test_device_card_lock__holders_text_is_not_trusted(void **state)
{
    const card_kit *kit = *state;
    whet_card_lock first, second;
    whet_err err = {0};

    assert_int_equal(take(&first, 0, NULL), WHET_OK);
    assert_int_equal(ftruncate(first.fd, 0), 0);
    assert_int_equal(pwrite(first.fd, "7 \033[31mwhet\nmore", 15, 0), 15);
    assert_int_equal(take(&second, 0, &err), WHET_EUNSUPPORTED);
    assert_null(strchr(err.msg, '\033'));
    assert_null(strstr(err.msg, "more"));
    assert_int_equal(ftruncate(first.fd, 0), 0);
    assert_int_equal(pwrite(first.fd, "nonsense", 8, 0), 8);
    assert_int_equal(take(&second, 0, &err), WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "card 0000:c1:00.0 is in use by another whet");
    whet_card_lock_release(&first);
    (void)kit;
}

static void test_device_card_lock__removed_file_is_made_again(void **state)
{
    const card_kit *kit = *state;
    char *path = whet_fs_join(kit->locks, card);
    whet_card_lock first, second, third;

    assert_int_equal(take(&first, 0, NULL), WHET_OK);
    assert_int_equal(unlink(path), 0);
    /* Who tidies up takes the lock away; the next two still exclude. */
    assert_int_equal(take(&second, 0, NULL), WHET_OK);
    assert_int_equal(take(&third, 0, NULL), WHET_EUNSUPPORTED);
    whet_card_lock_release(&second);
    whet_card_lock_release(&first);
    free(path);
}

static void test_device_card_lock__names_stay_in_the_folder(void **state)
{
    static const char *const names[] = {
        "", "..", "../x", "a/b", "a b", "0123456789012345678901234567890123"};
    whet_card_lock lock;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        whet_err err = {0};

        assert_int_equal(whet_card_lock_take(&lock, names[i], 0, NULL, &err),
                         WHET_EINVAL);
        assert_non_null(strstr(err.msg, "PCI address"));
    }
}

#define ROW(name) cmocka_unit_test_setup(test_device_card_lock__##name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(second_is_told_who),
        ROW(kill_9_frees),
        ROW(waiting_gets_it),
        ROW(waiting_ends),
        ROW(cards_are_apart),
        ROW(shared_by_all_users),
        ROW(links_are_not_followed),
        ROW(odd_files_are_refused),
        ROW(odd_folders_are_refused),
        ROW(holders_text_is_not_trusted),
        ROW(removed_file_is_made_again),
        ROW(names_stay_in_the_folder),
    };

    return cmocka_run_group_tests(tests, card_kit_open, card_kit_close);
}
