/* Loading: where tasks are found, what must lie beside task.yaml, the hash. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_kit.h"

#include <stdlib.h>
#include <string.h>

static void test_task_task__loads_shipped_tasks(void **state)
{
    static const char *const names[] = {"gemm", "rmsnorm", "softmax",
                                        "reduce_sum", "transpose"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        whet_task *task = task_kit_load(names[i]);
        bool has_opencl = false;

        assert_string_equal(task->name, names[i]);
        assert_true(task->workload_count >= 3);
        for (unsigned b = 0; b < task->baseline_count; b++) {
            assert_true(whet_fs_exists(task->baselines[b].path));
            has_opencl |= strcmp(task->baselines[b].language, "opencl") == 0;
        }
        assert_true(has_opencl);
        assert_int_equal(strlen(task->hash.text), 64);
        whet_task_free(task);
    }
}

static void test_task_task__loads_folders_and_files(void **state)
{
    char *dir = task_kit_folder(task_kit_yaml, task_kit_reference);
    char *file = whet_fs_join(dir, "task.yaml");
    whet_task *by_dir = task_kit_load(dir);
    whet_task *by_file = task_kit_load(file);

    (void)state;
    assert_string_equal(by_dir->hash.text, by_file->hash.text);
    assert_string_equal(by_dir->dir, dir);
    assert_string_equal(by_file->dir, dir);
    whet_task_free(by_dir);
    whet_task_free(by_file);
    whet_fs_remove_tree(dir);
    free(file);
    free(dir);
}

static void test_task_task__hashes_both_files(void **state)
{
    char *yaml = task_kit_edit(task_kit_yaml, "Test task", "Test tusk");
    char *source = task_kit_edit(task_kit_reference, "x + w", "w + x");
    char *dirs[3] = {task_kit_folder(task_kit_yaml, task_kit_reference),
                     task_kit_folder(yaml, task_kit_reference),
                     task_kit_folder(task_kit_yaml, source)};
    whet_hash hashes[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        whet_task *task = task_kit_load(dirs[i]);

        hashes[i] = task->hash;
        whet_task_free(task);
        whet_fs_remove_tree(dirs[i]);
        free(dirs[i]);
    }
    assert_string_not_equal(hashes[0].text, hashes[1].text);
    assert_string_not_equal(hashes[0].text, hashes[2].text);
    assert_string_not_equal(hashes[1].text, hashes[2].text);
    free(yaml);
    free(source);
}

static void assert_refused(const char *dir, whet_status want, const char *text)
{
    whet_err err = {0};
    whet_task *task = (whet_task *)1;

    assert_int_equal(whet_task_load(&task, dir, &err), want);
    assert_null(task);
    if (strstr(err.msg, text) == NULL)
        fail_msg("'%s': got '%s', expected '%s'", dir, err.msg, text);
}

static void test_task_task__says_what_is_missing(void **state)
{
    char *bare = task_kit_folder(task_kit_yaml, NULL);
    char *yaml = task_kit_edit(task_kit_yaml, "edge_where:",
                               "baselines: {opencl: none.cl}\nedge_where:");
    char *lacking = task_kit_folder(yaml, task_kit_reference);

    (void)state;
    assert_refused("gem", WHET_ENOTFOUND, "did you mean 'gemm'?");
    assert_refused("nothing-like-it", WHET_ENOTFOUND, "rmsnorm");
    assert_refused("", WHET_EINVAL, "empty");
    assert_refused("/no/such/folder", WHET_ENOTFOUND, "/no/such/folder");
    assert_refused("/no/such/task.yaml", WHET_ENOTFOUND, "no task");
    assert_refused("a\nb", WHET_ENOTFOUND, "no task 'a?b'");
    assert_refused("/", WHET_ENOTFOUND, "no task.yaml in this folder");
    assert_refused(bare, WHET_ENOTFOUND, "reference.c");
    assert_refused(lacking, WHET_EINVAL,
                   "baseline for opencl: no file 'none.cl'");
    whet_fs_remove_tree(bare);
    whet_fs_remove_tree(lacking);
    free(bare);
    free(lacking);
    free(yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_task__loads_shipped_tasks),
        cmocka_unit_test(test_task_task__loads_folders_and_files),
        cmocka_unit_test(test_task_task__hashes_both_files),
        cmocka_unit_test(test_task_task__says_what_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
