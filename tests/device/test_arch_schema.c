/* Reading a record: every field, and every complaint. */

#include "device/arch_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char good[] =
    "name: gfx1\nvendor: acme\nboards: \"One, Two\"\nstand_in: gfx0\n"
    "fp8: fnuz\nfeatures: [dot2, split_wait_counters]\n"
    "sources: {isa: The manual}\n"
    "figures:\n"
    "  wave_size: {value: 64, trust: vendor, source: isa}\n"
    "  l2_bytes: {value: 8e6, trust: reported, source: isa}\n"
    "  lds_banks: {value: 32, trust: none, source: isa, conflict: said 64}\n"
    "units:\n"
    "  f32.vector: {ops_cu_clk: {value: 128, trust: vendor, source: isa}}\n"
    "  f16.matrix:\n"
    "    shapes: 16x16x16\n"
    "    peak_ops_per_s: {value: 1.5e12, trust: vendor, source: isa}\n";

static void test_device_arch_schema__reads_every_field(void **state)
{
    whet_arch *arch = malloc(sizeof *arch);
    whet_err err = {0};

    (void)state;
    if (whet_arch__parse(arch, good, sizeof good - 1, "g", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(arch->name, "gfx1");
    assert_string_equal(arch->vendor, "acme");
    assert_string_equal(arch->boards, "One, Two");
    assert_string_equal(arch->stand_in, "gfx0");
    assert_int_equal(arch->fp8, WHET_FP8_FNUZ);
    assert_true(arch->has_split_wait_counters);
    assert_int_equal(arch->feature_count, 2);
    assert_true(arch->wave_size.is_known);
    assert_true(arch->wave_size.value == 64);
    assert_string_equal(arch->wave_size.source, "The manual");
    assert_true(whet_figure_is_usable(&arch->wave_size));
    assert_int_equal(arch->l2_bytes.trust, WHET_TRUST_REPORTED);
    assert_true(arch->lds_banks.is_known);
    assert_string_equal(arch->lds_banks.conflict, "said 64");
    assert_false(whet_figure_is_usable(&arch->lds_banks));
    assert_false(arch->simds_cu.is_known);
    assert_false(whet_figure_is_usable(&arch->simds_cu));
    assert_int_equal(arch->unit_count, 2);
    assert_string_equal(arch->units[1].name, "f16.matrix");
    assert_string_equal(arch->units[1].shapes, "16x16x16");
    assert_true(arch->units[1].peak_ops_per_s.value == 1.5e12);
    assert_false(arch->units[0].peak_ops_per_s.is_known);
    free(arch);
}

/* Replace the first `from` of the good record by `to`. */
static void expect_refused(const char *from, const char *to, const char *word)
{
    whet_arch *arch = malloc(sizeof *arch);
    const char *at = strstr(good, from);
    whet_buf text = {0};
    whet_err err = {0};

    assert_non_null(at);
    whet_buf_add(&text, good, (size_t)(at - good));
    whet_buf_puts(&text, to);
    whet_buf_puts(&text, at + strlen(from));
    assert_int_equal(
        whet_arch__parse(arch, text.data, text.bytes, "here", &err),
        WHET_EINVAL);
    if (strstr(err.msg, word) == NULL || strncmp(err.msg, "here:", 5) != 0)
        fail_msg("\"%s\" is not in \"%s\"", word, err.msg);
    assert_int_equal(arch->unit_count, 0);
    assert_string_equal(arch->name, "");
    whet_buf_deinit(&text);
    free(arch);
}

static void test_device_arch_schema__refuses_bad_figures(void **state)
{
    (void)state;
    expect_refused("value: 64", "value: many", "finite number");
    expect_refused("value: 64", "value: -1", "from 0 to 1e18");
    expect_refused("value: 64", "value: 1e19", "from 0 to 1e18");
    expect_refused("trust: vendor", "trust: vendors", "did you mean vendor");
    expect_refused("source: isa", "source: book", "key of sources");
    expect_refused("{isa: The manual}", "{isa: [1]}", "here:");
    expect_refused("trust: none", "trust: reported", "in conflict");
    expect_refused("wave_size:", "wave_sise:", "did you mean wave_size");
    expect_refused("value: 64, ", "", "value");
    expect_refused("conflict: said 64", "conflict: \"\"", "1 to 159");
}

static void test_device_arch_schema__refuses_bad_units(void **state)
{
    (void)state;
    expect_refused("f32.vector", "f32", "no unit");
    expect_refused("f32.vector", ".vector", "no unit");
    expect_refused("f32.vector", "f32.tensor", "no unit");
    expect_refused("f32.vector", "F32.vector", "no unit");
    expect_refused("shapes", "shape", "did you mean");
}

static void test_device_arch_schema__refuses_bad_words(void **state)
{
    whet_buf list = {0};
    int i;

    (void)state;
    expect_refused("gfx1", "\"gfx 1\"", "no word");
    expect_refused("gfx1", "gfx1234567890123456789012", "1 to 23");
    expect_refused("dot2", "Dot2", "no word");
    expect_refused("fnuz", "fnus", "did you mean fnuz");
    expect_refused("vendor: acme\n", "", "vendor");
    whet_buf_puts(&list, "dot2");
    for (i = 0; i < WHET_ARCH_FEATURE_MAX; i++)
        whet_buf_printf(&list, ", f%d", i);
    expect_refused("dot2", list.data, "34 features");
    whet_buf_deinit(&list);
    for (i = 0; i < WHET_ARCH_UNIT_MAX; i++)
        whet_buf_printf(&list, "  i%d.vector: {}\n", i);
    whet_buf_puts(&list, "  f32.vector");
    expect_refused("  f32.vector", list.data, "34 units");
    whet_buf_deinit(&list);
}

static void test_device_arch_schema__names_its_words(void **state)
{
    whet_arch *arch = calloc(1, sizeof *arch);
    const char *key = NULL;

    (void)state;
    assert_string_equal(whet_trust_name(WHET_TRUST_REPORTED), "reported");
    assert_string_equal(whet_trust_name((whet_trust)9), "none");
    assert_string_equal(whet_fp8_name(WHET_FP8_OCP), "ocp");
    assert_string_equal(whet_fp8_name((whet_fp8)9), "none");
    assert_ptr_equal(whet_arch_figure(arch, 0, &key), &arch->wave_size);
    assert_string_equal(key, "wave_size");
    assert_non_null(whet_arch_figure(arch, 17, NULL));
    assert_null(whet_arch_figure(arch, 18, &key));
    free(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_arch_schema__reads_every_field),
        cmocka_unit_test(test_device_arch_schema__refuses_bad_figures),
        cmocka_unit_test(test_device_arch_schema__refuses_bad_units),
        cmocka_unit_test(test_device_arch_schema__refuses_bad_words),
        cmocka_unit_test(test_device_arch_schema__names_its_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
