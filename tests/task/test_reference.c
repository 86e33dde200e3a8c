/* The compiled reference: values, caching, shipped objects, and what is said
 * when it cannot be had. Needs a C compiler, as the build does. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/reference_priv.h"
#include "task_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Every test has a cache folder of its own. */
static int set_up(void **state)
{
    char *cache = NULL;

    assert_int_equal(whet_fs_tempdir(&cache, "whet-test-cache", NULL), WHET_OK);
    setenv("WHET_CACHE_DIR", cache, 1);
    unsetenv("CC");
    *state = cache;
    return 0;
}

static int tear_down(void **state)
{
    unsetenv("CC");
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

static size_t cached_count(const char *cache)
{
    char *dir = whet_fs_join(cache, "reference");
    char **names = NULL;
    size_t count = 0;

    if (whet_fs_list(&names, dir, NULL) == WHET_OK) {
        while (names[count] != NULL)
            count++;
    }
    whet_fs_list_free(names);
    free(dir);
    return count;
}

static void assert_row_is_right(const whet_task *task)
{
    static const float x[6] = {1, 2, 3, 4, 5, 6}, w[3] = {1, 0, -1};
    whet_workload workload = {.dim = {2, 3}};
    whet_reference_args args = {{x, w, NULL}, &workload};
    whet_reference *reference = NULL;
    double value[3], scale[3], a = (double)0.1f;
    whet_err err = {0};

    if (whet_reference_open(&reference, task, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    whet_reference_row(value, scale, reference, 2, &args, 1);
    for (int i = 0; i < 3; i++) {
        double p = a * (double)x[3 + i], q = -3.0 * (double)w[i];

        assert_true(value[i] == p + q);
        assert_true(scale[i] == fabs(p) + fabs(q));
    }
    whet_reference_close(reference);
}

static void test_task_reference__computes_rows(void **state)
{
    char *dir = task_kit_folder(task_kit_yaml, task_kit_reference);
    whet_task *task = task_kit_load(dir);

    assert_row_is_right(task);
    assert_int_equal(cached_count(*state), 1);
    assert_row_is_right(task); /* from the cache, whatever the compiler */
    assert_int_equal(cached_count(*state), 1);
    whet_task_free(task);
    whet_fs_remove_tree(dir);
    free(dir);
}

static void test_task_reference__header_lists_arguments_in_order(void **state)
{
    whet_task *task = task_kit_parse(task_kit_yaml);
    whet_buf text = {0};

    (void)state;
    whet_task__reference_header(&text, task);
    assert_non_null(strstr(whet_buf_str(&text), "struct whet_args {\n"
                                                "    const float *x;\n"
                                                "    const float *w;\n"
                                                "    long rows;\n"
                                                "    long cols;\n"
                                                "    double a;\n"
                                                "    double b;\n"
                                                "};\n"));
    whet_buf_deinit(&text);
    whet_task_free(task);
}

static void
test_task_reference__uses_a_shipped_object_without_compiler(void **state)
{
    const char *name = whet_task__reference_shipped_name();
    char *dir = task_kit_folder(task_kit_yaml, task_kit_reference);
    whet_task *task = task_kit_load(dir);
    whet_reference *reference = NULL;
    char *object;
    whet_err err = {0};

    if (name == NULL) {
        whet_task_free(task);
        whet_fs_remove_tree(dir);
        free(dir);
        skip();
    }
    object = whet_fs_join(dir, name);
    assert_int_equal(whet_reference_compile(task, NULL, NULL), WHET_OK);
    assert_true(whet_fs_exists(object));
    setenv("CC", "/no/such/compiler", 1);
    assert_row_is_right(task);
    assert_int_equal(cached_count(*state), 0);

    /* An object made for another version of the task is not used. */
    task->hash.text[0] = task->hash.text[0] == 'a' ? 'b' : 'a';
    assert_int_equal(whet_reference_open(&reference, task, &err),
                     WHET_EUNSUPPORTED);
    assert_null(reference);
    assert_non_null(strstr(err.msg, "/no/such/compiler"));

    /* Nor is a file that is no object at all. */
    assert_int_equal(whet_fs_write(object, "junk", 4, NULL), WHET_OK);
    unsetenv("CC");
    assert_row_is_right(task);
    assert_int_equal(cached_count(*state), 1);
    whet_task_free(task);
    whet_fs_remove_tree(dir);
    free(object);
    free(dir);
}

static void assert_open_fails(const char *reference, whet_status want,
                              const char *text)
{
    char *dir = task_kit_folder(task_kit_yaml, reference);
    whet_task *task = task_kit_load(dir);
    whet_reference *opened = NULL;
    whet_err err = {0};

    assert_int_equal(whet_reference_open(&opened, task, &err), want);
    assert_null(opened);
    if (strstr(err.msg, text) == NULL)
        fail_msg("got '%s', expected '%s'", err.msg, text);
    assert_null(strchr(err.msg, '\n'));
    whet_task_free(task);
    whet_fs_remove_tree(dir);
    free(dir);
}

static void test_task_reference__says_why_it_does_not_compile(void **state)
{
    char *typo = task_kit_edit(task_kit_reference, "t->w[c]", "t->v[c]");
    char *name =
        task_kit_edit(task_kit_reference, "reference_y", "reference_z");
    char *extra = task_kit_edit(task_kit_reference, "value[c] = x + w;",
                                "value[c] = x + nowhere(w);");

    assert_open_fails(typo, WHET_EINVAL, "reference.c:8:");
    assert_open_fails("", WHET_EINVAL, "no function reference_y, expected");
    assert_open_fails(name, WHET_EINVAL, "no function reference_y, expected");
    assert_open_fails(extra, WHET_EINVAL, "nowhere");
    /* A failed build leaves nothing behind that could be taken for one; the
     * two that lack a function did compile. */
    assert_int_equal(cached_count(*state), 2);
    free(typo);
    free(name);
    free(extra);
}

static void test_task_reference__names_the_missing_compiler(void **state)
{
    (void)state;
    setenv("CC", "no-such-cc -O2", 1);
    assert_open_fails(task_kit_reference, WHET_EUNSUPPORTED,
                      "no compiler 'no-such-cc' (from $CC)");
    setenv("CC", "false", 1);
    assert_open_fails(task_kit_reference, WHET_EUNSUPPORTED, "--version");
    setenv("CC", "a b c d e f g h i", 1);
    assert_open_fails(task_kit_reference, WHET_EINVAL, "more than 8 words");
}

static void test_task_reference__refuses_a_cache_others_may_write(void **state)
{
    char *folder = whet_fs_join(*state, "reference");

    assert_int_equal(whet_fs_mkdirs(folder, NULL), WHET_OK);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_open_fails(task_kit_reference, WHET_EFAIL, "others may write to it");
    free(folder);
}

static void test_task_reference__reports_an_unwritable_target(void **state)
{
    char *dir = task_kit_folder(task_kit_yaml, task_kit_reference);
    whet_task *task = task_kit_load(dir);
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_reference_compile(task, "/no/such/folder/object.so", &err),
        WHET_EINVAL);
    assert_true(err.msg[0] != '\0');
    whet_task_free(task);
    whet_fs_remove_tree(dir);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_task_reference__computes_rows,
                                        set_up, tear_down),
        cmocka_unit_test(test_task_reference__header_lists_arguments_in_order),
        cmocka_unit_test_setup_teardown(
            test_task_reference__uses_a_shipped_object_without_compiler, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            test_task_reference__says_why_it_does_not_compile, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            test_task_reference__names_the_missing_compiler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_task_reference__refuses_a_cache_others_may_write, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            test_task_reference__reports_an_unwritable_target, set_up,
            tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
