/* Removal of trees that were made to resist it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
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

static void test_base_fs_remove__never_follows_links(void **state)
{
    char *tree = whet_fs_join(*state, "tree");
    char *inner = whet_fs_join(tree, "inner");
    char *kept = whet_fs_join(*state, "kept");
    char *file = whet_fs_join(kept, "f");
    char *link_top = whet_fs_join(tree, "link");
    char *link_inner = whet_fs_join(inner, "link");

    assert_int_equal(whet_fs_mkdirs(inner, NULL), WHET_OK);
    assert_int_equal(whet_fs_mkdirs(kept, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(file, "x", 1, NULL), WHET_OK);
    assert_int_equal(symlink(kept, link_top), 0);
    assert_int_equal(symlink(kept, link_inner), 0);
    whet_fs_remove_tree(tree);
    assert_false(whet_fs_exists(tree));
    assert_true(whet_fs_exists(file));
    /* A link given as the tree itself is removed, not what it names. */
    assert_int_equal(symlink(kept, tree), 0);
    whet_fs_remove_tree(tree);
    assert_int_equal(access(tree, F_OK), -1);
    assert_true(whet_fs_exists(file));
    whet_fs_remove_tree(file);
    assert_false(whet_fs_exists(file));
    whet_fs_remove_tree(file);
    whet_fs_remove_tree("");
    free(link_inner);
    free(link_top);
    free(file);
    free(kept);
    free(inner);
    free(tree);
}

/* 800 levels of 6-byte names exceed PATH_MAX; 24 descriptors could not hold
 * one per level. */
static void test_base_fs_remove__depth_does_not_matter(void **state)
{
    char *tree = whet_fs_join(*state, "tree");
    struct rlimit before, tight;
    int at;

    assert_int_equal(mkdir(tree, 0755), 0);
    at = open(tree, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 800; i++) {
        int below;

        assert_int_equal(mkdirat(at, "deeper", 0755), 0);
        assert_int_equal(symlinkat("/", at, "root"), 0);
        below = openat(at, "deeper", O_RDONLY | O_DIRECTORY);
        assert_true(below >= 0);
        close(at);
        at = below;
    }
    close(at);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    tight = before;
    tight.rlim_cur = 24;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    whet_fs_remove_tree(tree);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(whet_fs_exists(tree));
    free(tree);
}

static void test_base_fs_remove__wide_trees(void **state)
{
    char *tree = whet_fs_join(*state, "tree");

    for (int i = 0; i < 40; i++) {
        char *inner = whet_asprintf("%s/%d/y%d/z", tree, i, i);

        assert_int_equal(whet_fs_mkdirs(inner, NULL), WHET_OK);
        free(inner);
    }
    whet_fs_remove_tree(tree);
    assert_false(whet_fs_exists(tree));
    free(tree);
}

/* What cannot be removed stays, and all around it goes: a mounted folder is
 * such a thing, and its content is not the tree's. */
static int remove_around_a_mount(const char *dir)
{
    char *tree = whet_fs_join(dir, "tree");
    char *kept = whet_fs_join(dir, "kept");
    char *file = whet_fs_join(kept, "f");
    char *mounted = whet_fs_join(tree, "b/mounted");
    char *others[] = {whet_fs_join(tree, "a/x/y"), whet_fs_join(tree, "b/x/y"),
                      whet_fs_join(tree, "c/x/y")};
    int result = 0;

    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 77;
    if (whet_fs_mkdirs(mounted, NULL) != WHET_OK ||
        whet_fs_mkdirs(kept, NULL) != WHET_OK ||
        whet_fs_write(file, "x", 1, NULL) != WHET_OK)
        return 2;
    for (int i = 0; i < 3; i++) {
        if (whet_fs_mkdirs(others[i], NULL) != WHET_OK)
            return 2;
    }
    if (mount(kept, mounted, NULL, MS_BIND, NULL) != 0)
        return 77;
    whet_fs_remove_tree(tree);
    if (!whet_fs_exists(file))
        result = 3;
    for (int i = 0; i < 3; i++) {
        *strrchr(others[i], '/') = '\0';
        if (whet_fs_exists(others[i]))
            result = 4;
        free(others[i]);
    }
    if (umount(mounted) != 0)
        result = 5;
    free(mounted);
    free(file);
    free(kept);
    free(tree);
    return result;
}

static void test_base_fs_remove__mounts_are_left_alone(void **state)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(remove_around_a_mount(*state));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Permissions do not bind root, so the tree is made and removed as nobody. */
static int make_and_remove_locked_tree(void)
{
    char *dir = NULL, *inner, *leaf;
    bool gone;

    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 2;
    unsetenv("TMPDIR");
    if (whet_fs_tempdir(&dir, "test-locked", NULL) != WHET_OK)
        return 3;
    inner = whet_asprintf("%s/a/b/c", dir);
    leaf = whet_fs_join(inner, "leaf");
    if (whet_fs_mkdirs(inner, NULL) != WHET_OK ||
        whet_fs_write(leaf, "x", 1, NULL) != WHET_OK)
        return 4;
    for (int i = 0; i < 4; i++) {
        if (chmod(inner, i % 2 == 0 ? 0000 : 0500) != 0)
            return 5;
        *strrchr(inner, '/') = '\0';
    }
    whet_fs_remove_tree(dir);
    gone = access(dir, F_OK) != 0;
    free(leaf);
    free(inner);
    free(dir);
    return gone ? 0 : 1;
}

static void test_base_fs_remove__permissions_do_not_protect(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void)state;
    if (child == 0)
        _exit(make_and_remove_locked_tree());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_base_fs_remove__never_follows_links, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_remove__depth_does_not_matter, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_base_fs_remove__wide_trees,
                                        make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_remove__mounts_are_left_alone, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(
            test_base_fs_remove__permissions_do_not_protect, make_dir,
            drop_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
