/* Records by name, over the shipped ones: all load, and what they say of the
 * questions that code asks. */

#include "device/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static whet_arch *load(const char *name)
{
    whet_arch *arch = malloc(sizeof *arch);
    whet_err err = {0};

    if (whet_arch_load(arch, name, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return arch;
}

static void test_device_arch__loads_all_records(void **state)
{
    char **names;
    uint32_t count, i;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_arch_names(&names, &count, &err), WHET_OK);
    assert_true(count >= 15);
    for (i = 0; i < count; i++) {
        whet_arch *arch = load(names[i]);

        assert_string_equal(arch->name, names[i]);
        if (i > 0)
            assert_true(strcmp(names[i - 1], names[i]) < 0);
        if (arch->stand_in[0] != '\0')
            free(load(arch->stand_in));
        free(arch);
    }
    whet_arch_names_free(names, count);
}

static void test_device_arch__maps_names_to_records(void **state)
{
    whet_arch *arch = load("gfx928:sramecc+:xnack-");

    (void)state;
    assert_string_equal(arch->name, "gfx928");
    free(arch);
    arch = load("sm_90a");
    assert_string_equal(arch->name, "sm_90");
    free(arch);
    /* Its letter is a digit, not a variant. */
    arch = load("gfx90a");
    assert_string_equal(arch->name, "gfx90a");
    free(arch);
}

static void expect_not_found(const char *name, const char *word)
{
    whet_arch *arch = malloc(sizeof *arch);
    whet_err err = {0};

    assert_int_equal(whet_arch_load(arch, name, &err), WHET_ENOTFOUND);
    if (strstr(err.msg, word) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", word, err.msg);
    assert_string_equal(arch->name, "");
    free(arch);
}

static void test_device_arch__tells_what_there_is(void **state)
{
    (void)state;
    expect_not_found("gfx92", "did you mean 'gfx926'");
    expect_not_found("../arch/gfx906", "expected one of gfx906");
    expect_not_found("", "expected one of");
    expect_not_found("sm_", "expected one of");
    expect_not_found("haswell-of-some-very-long-name", "expected one of");
}

static void test_device_arch__answers_by_feature(void **state)
{
    whet_arch *k100 = load("gfx928"), *bw = load("gfx936"), *h = load("sm_90");

    (void)state;
    assert_true(whet_arch_has(k100, "mmac"));
    assert_true(whet_arch_has(k100, "i8.matrix"));
    assert_false(whet_arch_has(k100, "f64_hw"));
    assert_false(whet_arch_has(k100, "mfma"));
    assert_false(k100->has_split_wait_counters);
    assert_true(bw->has_split_wait_counters);
    assert_int_equal(k100->fp8, WHET_FP8_NONE);
    assert_true(whet_arch_has(h, "wgmma"));
    assert_non_null(whet_arch_find_unit(h, "tf32.matrix"));
    assert_null(whet_arch_find_unit(h, "tf32.matri"));
    free(k100);
    free(bw);
    free(h);
}

/* What sources disagree on is shown, and nothing is built on it. */
static void test_device_arch__builds_nothing_on_conflicts(void **state)
{
    whet_arch *k100 = load("gfx928");

    (void)state;
    assert_true(k100->peak_bytes_per_s.is_known);
    assert_string_not_equal(k100->peak_bytes_per_s.conflict, "");
    assert_false(whet_figure_is_usable(&k100->peak_bytes_per_s));
    assert_false(whet_figure_is_usable(&k100->vgpr_simd_count));
    free(k100);
}

static void test_device_arch__refuses_bad_files(void **state)
{
    static const char other[] = "name: gfx2\nvendor: a\nboards: b\nfp8: none\n"
                                "features: []\nsources: {}\nfigures: {}\n";
    whet_arch *arch = malloc(sizeof *arch);
    const char *old = getenv("WHET_DATA_DIR");
    char *keep = whet_strdup(old), *dir, *sub, *path;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_fs_tempdir(&dir, "whet-arch", &err), WHET_OK);
    sub = whet_asprintf("%s/arch", dir);
    path = whet_asprintf("%s/gfx1.yaml", sub);
    assert_int_equal(whet_fs_mkdirs(sub, &err), WHET_OK);
    setenv("WHET_DATA_DIR", dir, 1);
    assert_int_equal(whet_fs_write(path, "name: [", 7, &err), WHET_OK);
    assert_int_equal(whet_arch_load(arch, "gfx1", &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "gfx1.yaml:"));
    assert_int_equal(whet_fs_write(path, other, sizeof other - 1, &err),
                     WHET_OK);
    assert_int_equal(whet_arch_load(arch, "gfx1", &err), WHET_EINVAL);
    if (strstr(err.msg, "expected 'gfx1'") == NULL)
        fail_msg("%s", err.msg);
    setenv("WHET_DATA_DIR", keep, 1);
    whet_fs_remove_tree(dir);
    free(keep);
    free(dir);
    free(sub);
    free(path);
    free(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_arch__loads_all_records),
        cmocka_unit_test(test_device_arch__maps_names_to_records),
        cmocka_unit_test(test_device_arch__tells_what_there_is),
        cmocka_unit_test(test_device_arch__answers_by_feature),
        cmocka_unit_test(test_device_arch__builds_nothing_on_conflicts),
        cmocka_unit_test(test_device_arch__refuses_bad_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
