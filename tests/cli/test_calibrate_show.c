/* How a calibration is shown: published figures never pass for measured. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/calibrate_priv.h"

#include <stdlib.h>
#include <string.h>

/* What a card's calibration could look like. */
static whet_calibration sample(void)
{
    whet_calibration c = {
        .copy_bytes_per_s = 4.2154e12,
        .copy = {"LDG.E.128 (8 times)", "BLOCK=256 VEC=4 STREAM=0"},
        .launch_ns = 2500,
        .controls = {3.04, 0.49},
        .wall_ns = UINT64_C(1796070746123456789),
        .clock_mhz = 1980};
    const whet_measured how = {"HGMMA.64x256x16.F32.BF16 (12 times)", "TYPE=1"};

    assert_true(whet_calibration_add_rate(&c, "bf16.matrix", 8.123e14, &how));
    return c;
}

static whet_arch *record(void)
{
    whet_arch *arch = calloc(1, sizeof *arch);

    assert_non_null(arch);
    arch->unit_count = 1;
    whet_strcopy(arch->units[0].name, sizeof arch->units[0].name,
                 "bf16.matrix");
    arch->units[0].peak_ops_per_s = (whet_figure){.value = 9.89e14,
                                                  .is_known = true,
                                                  .trust = WHET_TRUST_REPORTED,
                                                  .source = "a sheet\033",
                                                  .conflict = "another one"};
    return arch;
}

static void test_cli_calibrate_show__measured_beside_published(void **s)
{
    const whet_device_facts facts = {.name = "a card", .driver = "1.2"};
    whet_calibration c = sample();
    whet_arch *arch = record();
    whet_buf text = {0};

    (void)s;
    whet_cli__calibration_text(&text, &c, &facts, arch);
    assert_non_null(strstr(text.data, "4.215 TB/s"));
    assert_non_null(strstr(text.data, "812.3 Top/s"));
    assert_non_null(strstr(text.data, "989.0 Top/s (reported)"));
    assert_non_null(strstr(text.data, "HGMMA.64x256x16"));
    assert_non_null(strstr(text.data, "1980 MHz"));
    assert_non_null(strstr(text.data, "controls hold"));
    assert_non_null(
        strstr(text.data, "bf16.matrix: a sheet\\x1b; but another"));
    /* Not measured, not shown. */
    assert_null(strstr(text.data, "write  "));
    whet_buf_deinit(&text);

    /* A figure that nothing may be built on is not shown. */
    c.controls.spin = 4;
    arch->units[0].peak_ops_per_s.trust = WHET_TRUST_NONE;
    whet_cli__calibration_text(&text, &c, &facts, arch);
    assert_null(strstr(text.data, "989"));
    assert_non_null(strstr(text.data, "controls FAIL"));
    assert_null(strstr(text.data, "a sheet"));
    whet_buf_deinit(&text);
    free(arch);
}

static void test_cli_calibrate_show__json_keeps_published_apart(void **state)
{
    const whet_device_facts facts = {.name = "a card", .driver = "1.2"};
    whet_calibration c = sample();
    whet_arch *arch = record();
    json_t *json = whet_cli__calibration_json(&c, &facts, arch);
    json_t *rate, *published;

    (void)state;
    assert_non_null(json);
    rate = json_array_get(json_object_get(json, "rates"), 0);
    assert_string_equal(json_string_value(json_object_get(rate, "name")),
                        "bf16.matrix");
    assert_true(json_number_value(json_object_get(rate, "ops_per_s")) ==
                8.123e14);
    assert_null(json_object_get(rate, "source"));
    published = json_array_get(json_object_get(json, "published"), 0);
    assert_true(json_number_value(json_object_get(published, "per_s")) ==
                9.89e14);
    assert_string_equal(json_string_value(json_object_get(published, "trust")),
                        "reported");
    assert_true(json_is_null(json_object_get(json, "read_bytes_per_s")));
    assert_true(json_is_null(json_object_get(json, "read")));
    assert_true(json_is_null(json_object_get(json, "memory_clock_mhz")));
    assert_int_equal(json_integer_value(json_object_get(json, "clock_mhz")),
                     1980);
    json_decref(json);
    json = whet_cli__calibration_json(&c, &facts, NULL);
    assert_int_equal(json_array_size(json_object_get(json, "published")), 0);
    json_decref(json);
    free(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_calibrate_show__measured_beside_published),
        cmocka_unit_test(test_cli_calibrate_show__json_keeps_published_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
