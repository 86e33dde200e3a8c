/* User folders, shipped data and programs, steered by the environment. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/wait.h>
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

static void expect_path(char *got, const char *dir, const char *below)
{
    char *want = whet_fs_join(dir, below);

    assert_string_equal(got, want);
    assert_true(whet_fs_is_dir(got));
    free(want);
    free(got);
}

static void clear_user_folders(void)
{
    unsetenv("WHET_CACHE_DIR");
    unsetenv("WHET_STATE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
}

static void test_base_fs_places__user_folders_in_order(void **state)
{
    char *own = whet_fs_join(*state, "own");
    char *path = NULL;

    clear_user_folders();
    setenv("HOME", *state, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_int_equal(whet_fs_cache_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, ".cache/whet");
    assert_int_equal(whet_fs_state_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, ".local/state/whet");
    setenv("XDG_CACHE_HOME", *state, 1);
    setenv("XDG_STATE_HOME", *state, 1);
    assert_int_equal(whet_fs_cache_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, "whet");
    assert_int_equal(whet_fs_state_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, "whet");
    setenv("WHET_CACHE_DIR", own, 1);
    setenv("WHET_STATE_DIR", own, 1);
    assert_int_equal(whet_fs_cache_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, "own");
    assert_int_equal(whet_fs_state_dir(&path, NULL), WHET_OK);
    expect_path(path, *state, "own");
    clear_user_folders();
    free(own);
}

static void test_base_fs_places__without_a_home(void **state)
{
    char *want = whet_asprintf("/tmp/whet-%lu", (unsigned long)geteuid());
    char *path = NULL;
    struct stat info;
    whet_err err = {0};

    (void)state;
    clear_user_folders();
    assert_int_equal(whet_fs_cache_dir(&path, &err), WHET_OK);
    assert_string_equal(path, want);
    assert_int_equal(lstat(path, &info), 0);
    assert_int_equal(info.st_mode & 0022, 0);
    free(path);
    free(want);
    assert_int_equal(whet_fs_state_dir(&path, &err), WHET_EUNSUPPORTED);
    assert_null(path);
    assert_non_null(strstr(err.msg, "WHET_STATE_DIR"));
}

/* A made-up user whose folder in /tmp was made by root beforehand, then one
 * whose own folder is open to all. */
static int cache_dir_as_other_user(const char *planted, bool own)
{
    const uid_t user = 54321;
    char *path = NULL;
    whet_err err = {0};

    if (!own && mkdir(planted, 0755) != 0)
        return 2;
    if (setgid(user) != 0 || setuid(user) != 0)
        return 3;
    if (own && (mkdir(planted, 0755) != 0 || chmod(planted, 0777) != 0))
        return 4;
    if (whet_fs_cache_dir(&path, &err) != WHET_EFAIL || path != NULL)
        return 1;
    return strstr(err.msg, planted) != NULL ? 0 : 5;
}

static void test_base_fs_places__planted_tmp_folder_is_refused(void **state)
{
    const char *planted = "/tmp/whet-54321";

    (void)state;
    if (geteuid() != 0)
        skip();
    clear_user_folders();
    for (int own = 0; own < 2; own++) {
        int status = 0;
        pid_t child;

        whet_fs_remove_tree(planted);
        child = fork();
        if (child == 0)
            _exit(cache_dir_as_other_user(planted, own == 1));
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        whet_fs_remove_tree(planted);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void test_base_fs_places__unusable_folder_is_an_error(void **state)
{
    whet_err err = {0};
    char *path = NULL;

    (void)state;
    setenv("WHET_CACHE_DIR", "/dev/null/x", 1);
    assert_int_equal(whet_fs_cache_dir(&path, &err), WHET_EFAIL);
    assert_null(path);
    assert_non_null(strstr(err.msg, "/dev/null"));
    clear_user_folders();
}

static void test_base_fs_places__data_dir_from_the_environment(void **state)
{
    char *kind = whet_fs_join(*state, "whet-test-kind");
    char *path = NULL;
    whet_err err = {0};

    setenv("WHET_DATA_DIR", *state, 1);
    assert_int_equal(whet_fs_data_dir(&path, "whet-test-kind", &err),
                     WHET_EUNSUPPORTED);
    assert_null(path);
    assert_non_null(strstr(err.msg, kind));
    assert_non_null(strstr(err.msg, "share/whet/whet-test-kind"));
    assert_int_equal(whet_fs_mkdirs(kind, NULL), WHET_OK);
    assert_int_equal(whet_fs_data_dir(&path, "whet-test-kind", &err), WHET_OK);
    assert_string_equal(path, kind);
    free(path);
    free(kind);
}

static void test_base_fs_places__data_dir_of_the_source_tree(void **state)
{
    char *path = NULL;

    (void)state;
    unsetenv("WHET_DATA_DIR");
    assert_int_equal(whet_fs_data_dir(&path, "src", NULL), WHET_OK);
    assert_true(whet_fs_is_dir(path));
    free(path);
}

static void test_base_fs_places__self_is_this_program(void **state)
{
    char *path = NULL;

    (void)state;
    assert_int_equal(whet_fs_self(&path, NULL), WHET_OK);
    assert_int_equal(path[0], '/');
    assert_non_null(strstr(path, "test_fs_places"));
    free(path);
}

static void test_base_fs_places__programs_on_path(void **state)
{
    char *program = whet_fs_join(*state, "prog");
    char *plain = whet_fs_join(*state, "plain");
    char *list = whet_asprintf("/nonexistent::%s:/bin", (char *)*state);
    char *path = NULL;
    whet_err err = {0};

    assert_int_equal(whet_fs_write(program, "x", 1, NULL), WHET_OK);
    assert_int_equal(chmod(program, 0755), 0);
    assert_int_equal(whet_fs_write(plain, "x", 1, NULL), WHET_OK);
    setenv("PATH", list, 1);
    assert_int_equal(whet_fs_find_program(&path, "prog", &err), WHET_OK);
    assert_string_equal(path, program);
    free(path);
    assert_int_equal(whet_fs_find_program(&path, "sh", &err), WHET_OK);
    assert_string_equal(path, "/bin/sh");
    free(path);
    assert_int_equal(whet_fs_find_program(&path, "plain", &err),
                     WHET_ENOTFOUND);
    assert_null(path);
    assert_non_null(strstr(err.msg, "plain"));
    assert_int_equal(whet_fs_find_program(&path, "", &err), WHET_ENOTFOUND);
    assert_int_equal(whet_fs_find_program(&path, plain, &err), WHET_ENOTFOUND);
    assert_int_equal(whet_fs_find_program(&path, *state, &err), WHET_ENOTFOUND);
    unsetenv("PATH");
    assert_int_equal(whet_fs_find_program(&path, "sh", &err), WHET_OK);
    free(path);
    free(list);
    free(plain);
    free(program);
}

static void test_base_fs_places__current_folder_is_not_searched(void **state)
{
    char *program = whet_fs_join(*state, "prog");
    char *before = getcwd(NULL, 0);
    char *path = NULL;
    whet_err err = {0};

    assert_int_equal(whet_fs_write(program, "x", 1, NULL), WHET_OK);
    assert_int_equal(chmod(program, 0755), 0);
    assert_int_equal(chdir(*state), 0);
    setenv("PATH", ":.:", 1);
    assert_int_equal(whet_fs_find_program(&path, "prog", &err), WHET_ENOTFOUND);
    assert_int_equal(whet_fs_find_program(&path, "./prog", &err), WHET_OK);
    assert_int_equal(path[0], '/');
    assert_true(whet_fs_exists(path));
    free(path);
    assert_int_equal(chdir(before), 0);
    free(before);
    free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__user_folders_in_order, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs_places__without_a_home,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__planted_tmp_folder_is_refused, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__unusable_folder_is_an_error, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__data_dir_from_the_environment, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__data_dir_of_the_source_tree, make_dir,
            drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__self_is_this_program, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs_places__programs_on_path,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_places__current_folder_is_not_searched, make_dir,
            drop_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
