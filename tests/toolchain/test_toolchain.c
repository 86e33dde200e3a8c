/* The registry of toolchains and the header put in front of sources. */

#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_toolchain_toolchain__rows_are_complete(void **state)
{
    const whet_toolchain_ops *const *all = whet_toolchain_all();
    size_t i;

    (void)state;
    assert_non_null(all[0]);
    for (i = 0; all[i] != NULL; i++) {
        assert_true(whet_is_identifier(all[i]->name, strlen(all[i]->name)));
        assert_non_null(all[i]->summary);
        assert_non_null(all[i]->languages[0]);
        assert_non_null(all[i]->identify);
        assert_non_null(all[i]->options);
        assert_non_null(all[i]->build);
        assert_ptr_equal(whet_toolchain_find(all[i]->name), all[i]);
    }
    assert_null(whet_toolchain_find("nonesuch"));
    assert_null(whet_toolchain_find(""));
}

static void test_toolchain_toolchain__opencl_accepts_its_languages(void **state)
{
    const whet_toolchain_ops *ops = whet_toolchain_find("opencl");

    (void)state;
    assert_true(whet_toolchain_accepts(ops, "opencl"));
    assert_true(whet_toolchain_accepts(ops, "portable"));
    assert_false(whet_toolchain_accepts(ops, "cuda"));
    assert_false(whet_toolchain_accepts(ops, ""));
}

static bool has_option(const char *const *options, const char *word)
{
    size_t i;

    for (i = 0; options[i] != NULL; i++)
        if (strstr(options[i], word) != NULL)
            return true;
    return false;
}

/* Numerics that do not allow it never see relaxed arithmetic, and nothing may
 * assume that no NaN occurs: poison is made of them. */
static void test_toolchain_toolchain__relaxes_only_when_allowed(void **state)
{
    const whet_toolchain_ops *ops = whet_toolchain_find("opencl");

    (void)state;
    assert_false(has_option(ops->options(false), "unsafe"));
    assert_false(has_option(ops->options(false), "fast"));
    assert_false(has_option(ops->options(false), "mad"));
    assert_true(has_option(ops->options(true), "unsafe-math"));
    assert_false(has_option(ops->options(true), "fast-relaxed"));
    assert_false(has_option(ops->options(true), "finite"));
}

static void test_toolchain_toolchain__dialect_is_the_shipped_file(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_toolchain_dialect(&text, &bytes, &err), WHET_OK);
    assert_int_equal(strlen(text), bytes);
    assert_non_null(strstr(text, "#define WHET_KERNEL"));
    free(text);
}

static void test_toolchain_toolchain__missing_dialect_is_told(void **state)
{
    char *before = whet_strdup(getenv("WHET_DATA_DIR"));
    char *text = NULL;
    char *dir = NULL;
    char *skills = NULL;
    size_t bytes = 1;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_fs_tempdir(&dir, "whet-test", &err), WHET_OK);
    skills = whet_fs_join(dir, "skills");
    assert_int_equal(whet_fs_mkdirs(skills, &err), WHET_OK);
    setenv("WHET_DATA_DIR", dir, 1);
    assert_int_equal(whet_toolchain_dialect(&text, &bytes, &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "whet_dialect.h"));
    assert_null(text);
    assert_int_equal(bytes, 0);
    if (before != NULL)
        setenv("WHET_DATA_DIR", before, 1);
    whet_fs_remove_tree(dir);
    free(skills);
    free(dir);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_toolchain__rows_are_complete),
        cmocka_unit_test(
            test_toolchain_toolchain__opencl_accepts_its_languages),
        cmocka_unit_test(test_toolchain_toolchain__relaxes_only_when_allowed),
        cmocka_unit_test(test_toolchain_toolchain__dialect_is_the_shipped_file),
        cmocka_unit_test(test_toolchain_toolchain__missing_dialect_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
