/* Reads, writes that are whole or not at all, folders. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_dir(void **state)
{
    char *dir = NULL;

    if (whet_fs_tempdir(&dir, "test-fs", NULL) != WHET_OK)
        return -1;
    *state = dir;
    return 0;
}

static int drop_dir(void **state)
{
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

static size_t entries_in(const char *dir)
{
    char **names = NULL;
    size_t count = 0;

    assert_int_equal(whet_fs_list(&names, dir, NULL), WHET_OK);
    while (names[count] != NULL)
        count++;
    whet_fs_list_free(names);
    return count;
}

static void contains(const char *path, const char *want)
{
    whet_buf buf = {0};

    assert_int_equal(whet_fs_read(&buf, path, 1000, NULL), WHET_OK);
    assert_string_equal(whet_buf_str(&buf), want);
    whet_buf_deinit(&buf);
}

static void test_base_fs__read_appends_what_was_written(void **state)
{
    char *path = whet_fs_join(*state, "f");
    whet_buf buf = {0};

    assert_int_equal(whet_fs_write(path, "", 0, NULL), WHET_OK);
    assert_int_equal(whet_fs_read(&buf, path, 0, NULL), WHET_OK);
    assert_non_null(buf.data);
    assert_int_equal(whet_fs_write(path, "a\0b", 3, NULL), WHET_OK);
    whet_buf_puts(&buf, "pre");
    assert_int_equal(whet_fs_read(&buf, path, 3, NULL), WHET_OK);
    assert_int_equal(buf.bytes, 6);
    assert_memory_equal(buf.data, "prea\0b", 7);
    whet_buf_deinit(&buf);
    free(path);
}

static void test_base_fs__read_refuses_and_leaves_the_buffer(void **state)
{
    char *path = whet_fs_join(*state, "f");
    char *below = whet_fs_join(path, "x");
    char *fifo = whet_fs_join(*state, "fifo");
    whet_buf buf = {0};
    whet_err err = {0};

    whet_buf_puts(&buf, "pre");
    assert_int_equal(whet_fs_write(path, "abcd", 4, NULL), WHET_OK);
    assert_int_equal(whet_fs_read(&buf, path, 3, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "4 bytes, expected at most 3"));
    assert_int_equal(whet_fs_read(&buf, *state, 99, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "folder"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(whet_fs_read(&buf, fifo, 99, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "special"));
    /* Files of /proc report no size, so the limit must hold while reading. */
    assert_int_equal(whet_fs_read(&buf, "/proc/self/status", 5, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "grew"));
    assert_int_equal(whet_fs_read(&buf, below, 9, &err), WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, below));
    assert_string_equal(whet_buf_str(&buf), "pre");
    whet_buf_deinit(&buf);
    free(fifo);
    free(below);
    free(path);
}

static void test_base_fs__read_of_what_cannot_be_there(void **state)
{
    char *loop = whet_fs_join(*state, "loop");
    char name[300];
    whet_buf buf = {0};
    whet_err err = {0};

    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(whet_fs_read(&buf, loop, 10, &err), WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no such file"));
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(whet_fs_read(&buf, name, 10, &err), WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no such file"));
    free(loop);
}

static void test_base_fs__write_replaces_and_keeps_the_mode(void **state)
{
    char *path = whet_fs_join(*state, "f");
    struct stat info;

    assert_int_equal(whet_fs_write(path, "one", 3, NULL), WHET_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(whet_fs_write(path, "two", 3, NULL), WHET_OK);
    contains(path, "two");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(entries_in(*state), 1);
    free(path);
}

static void test_base_fs__write_takes_bare_and_long_names(void **state)
{
    char *before = getcwd(NULL, 0);
    char name[256];

    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(chdir(*state), 0);
    assert_int_equal(whet_fs_write(name, "x", 1, NULL), WHET_OK);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(entries_in(*state), 1);
    free(before);
}

static void test_base_fs__write_refuses_too_long_a_path(void **state)
{
    char path[5001];
    whet_err err = {0};

    (void)state;
    memset(path, 'n', 5000);
    path[5000] = '\0';
    assert_int_equal(whet_fs_write(path, "x", 1, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "too long"));
}

/* The file aside has a short name, so only the rename meets the limit of 255
 * bytes. */
static void test_base_fs__failed_rename_leaves_nothing(void **state)
{
    char name[300];
    char *path;
    whet_err err = {0};

    memset(name, 'n', 299);
    name[299] = '\0';
    path = whet_fs_join(*state, name);
    assert_int_equal(whet_fs_write(path, "x", 1, &err), WHET_EFAIL);
    assert_true(err.msg[0] != '\0');
    assert_int_equal(entries_in(*state), 0);
    free(path);
}

/* A file-size limit fails like a full disk: part of the data is written. */
static void test_base_fs__failed_write_leaves_the_old_file(void **state)
{
    char *path = whet_fs_join(*state, "f");
    char *data = calloc(1, 100000);
    struct rlimit before, tight;
    whet_err err = {0};
    whet_status st;

    assert_int_equal(whet_fs_write(path, "old", 3, NULL), WHET_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    st = whet_fs_write(path, data, 100000, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(st, WHET_EFAIL);
    assert_non_null(strstr(err.msg, "File too large"));
    contains(path, "old");
    assert_int_equal(entries_in(*state), 1);
    free(data);
    free(path);
}

static void test_base_fs__write_refuses_what_is_no_file(void **state)
{
    char *folder = whet_fs_join(*state, "d");
    char *file = whet_fs_join(*state, "f");
    char *below = whet_fs_join(file, "x");
    struct stat info;
    whet_err err = {0};

    assert_int_equal(whet_fs_mkdirs(folder, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(file, "x", 1, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(folder, "x", 1, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "not a regular file"));
    assert_int_equal(whet_fs_write(below, "x", 1, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "Not a directory"));
    assert_int_equal(whet_fs_write("/dev/null", "x", 1, &err), WHET_EFAIL);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(entries_in(*state), 2);
    free(below);
    free(file);
    free(folder);
}

static void test_base_fs__mkdirs_makes_all_parts(void **state)
{
    char *path = whet_fs_join(*state, "a//b/c/");
    char *file = whet_fs_join(*state, "f");
    char *below = whet_fs_join(file, "x/y");
    whet_err err = {0};

    assert_int_equal(whet_fs_mkdirs(path, &err), WHET_OK);
    assert_true(whet_fs_is_dir(path));
    assert_int_equal(whet_fs_mkdirs(path, &err), WHET_OK);
    assert_int_equal(whet_fs_mkdirs("/", &err), WHET_OK);
    assert_int_equal(whet_fs_write(file, "x", 1, NULL), WHET_OK);
    assert_int_equal(whet_fs_mkdirs(below, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, file));
    assert_int_equal(whet_fs_mkdirs(file, &err), WHET_EFAIL);
    err.msg[0] = '\0';
    assert_int_equal(whet_fs_mkdirs("", &err), WHET_EFAIL);
    assert_true(err.msg[0] != '\0');
    free(below);
    free(file);
    free(path);
}

static void test_base_fs__tempdir_is_private(void **state)
{
    char *dir = NULL;
    struct stat info;
    whet_err err = {0};

    setenv("TMPDIR", *state, 1);
    assert_int_equal(whet_fs_tempdir(&dir, "p", &err), WHET_OK);
    assert_memory_equal(dir, *state, strlen(*state));
    assert_int_equal(stat(dir, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    free(dir);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(whet_fs_tempdir(&dir, "p", &err), WHET_EFAIL);
    assert_null(dir);
    assert_non_null(strstr(err.msg, "/nonexistent"));
    unsetenv("TMPDIR");
}

static void test_base_fs__join_has_one_slash(void **state)
{
    static const char *const rows[][3] = {{"a", "b", "a/b"},
                                          {"a//", "b", "a/b"},
                                          {"/", "b", "/b"},
                                          {"", "b", "b"}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char *got = whet_fs_join(rows[i][0], rows[i][1]);

        assert_string_equal(got, rows[i][2]);
        free(got);
    }
}

static void test_base_fs__list_is_sorted(void **state)
{
    static const char *const made[] = {"b", "B", "a", ".h", "\xc3\xa9"};
    static const char *const want[] = {".h", "B", "a", "b", "\xc3\xa9"};
    char **names = NULL;

    for (size_t i = 0; i < 5; i++) {
        char *path = whet_fs_join(*state, made[i]);

        assert_int_equal(whet_fs_write(path, "", 0, NULL), WHET_OK);
        free(path);
    }
    assert_int_equal(whet_fs_list(&names, *state, NULL), WHET_OK);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(names[i], want[i]);
    assert_null(names[5]);
    whet_fs_list_free(names);
    whet_fs_list_free(NULL);
}

static void test_base_fs__list_of_nothing(void **state)
{
    char *path = whet_fs_join(*state, "none");
    char **names = (char **)state;
    whet_err err = {0};

    assert_int_equal(entries_in(*state), 0);
    assert_int_equal(whet_fs_list(&names, path, &err), WHET_ENOTFOUND);
    assert_null(names);
    assert_non_null(strstr(err.msg, path));
    assert_false(whet_fs_exists(path));
    assert_false(whet_fs_is_dir(path));
    assert_int_equal(symlink("nowhere", path), 0);
    assert_false(whet_fs_exists(path));
    free(path);
}

static void test_base_fs__loaders_get_files_only(void **state)
{
    char *path = whet_fs_join(*state, "lib.so");
    char *fifo = whet_fs_join(*state, "fifo");

    assert_true(whet_fs_is_loadable("libm.so.6"));
    assert_true(whet_fs_is_loadable(path)); /* the loader tells better */
    assert_int_equal(whet_fs_write(path, "x", 1, NULL), WHET_OK);
    assert_true(whet_fs_is_loadable(path));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_false(whet_fs_is_loadable(fifo));
    assert_false(whet_fs_is_loadable(*state));
    free(fifo);
    free(path);
}

/* Through a pipe that holds less than is written. */
static void test_base_fs__descriptors_pass_all_bytes(void **state)
{
    enum { BYTES = 300000 };
    char *sent = malloc(BYTES), *got = malloc(BYTES);
    int tube[2];
    pid_t pid;

    (void)state;
    assert_true(sent != NULL && got != NULL);
    for (int i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7);
    assert_int_equal(pipe(tube), 0);
    pid = fork();
    if (pid == 0) {
        close(tube[0]);
        _exit(whet_fs_write_fd(tube[1], sent, BYTES) ? 0 : 1);
    }
    close(tube[1]);
    assert_true(whet_fs_read_fd(tube[0], got, BYTES));
    assert_memory_equal(got, sent, BYTES);
    /* An early end is no error of the system. */
    errno = EIO;
    assert_false(whet_fs_read_fd(tube[0], got, 1));
    assert_int_equal(errno, 0);
    close(tube[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(whet_fs_write_fd(-1, sent, 1));
    assert_int_equal(errno, EBADF);
    free(sent);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_fs__descriptors_pass_all_bytes),
        cmocka_unit_test_setup_teardown(test_base_fs__loaders_get_files_only,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__read_appends_what_was_written, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__read_refuses_and_leaves_the_buffer, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__read_of_what_cannot_be_there, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__write_replaces_and_keeps_the_mode, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__write_takes_bare_and_long_names, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__write_refuses_too_long_a_path, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__failed_rename_leaves_nothing, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__failed_write_leaves_the_old_file, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs__write_refuses_what_is_no_file, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs__mkdirs_makes_all_parts,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs__tempdir_is_private,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs__join_has_one_slash,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs__list_is_sorted, make_dir,
                                        drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs__list_of_nothing, make_dir,
                                        drop_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
