/* `whet arch`. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <string.h>

static void expect_100_columns(const whet_process_result *result)
{
    const char *line = whet_buf_str(&result->out), *end;

    for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
        assert_in_range(end - line, 0, 100);
}

static void test_cli_cmd_arch__lists_all_in_100_columns(void **state)
{
    whet_process_result result;

    assert_int_equal(cli_kit_run(&result, *state, WORDS("arch")), 0);
    assert_non_null(strstr(whet_buf_str(&result.out), "gfx928"));
    assert_non_null(strstr(whet_buf_str(&result.out), "sm_90"));
    expect_100_columns(&result);
    whet_process_result_deinit(&result);
}

static void test_cli_cmd_arch__shows_one_in_100_columns(void **state)
{
    static const char *const names[] = {"gfx906", "gfx928", "sm_90"};
    whet_process_result result;
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(cli_kit_run(&result, *state, WORDS("arch", names[i])),
                         0);
        expect_100_columns(&result);
        whet_process_result_deinit(&result);
    }
}

static void test_cli_cmd_arch__shows_sources_and_conflicts(void **state)
{
    cli_kit_expect(*state, WORDS("arch", "gfx928:xnack-"), 0,
                   "Features  mmac\n", NULL);
    cli_kit_expect(*state, WORDS("arch", "gfx928"), 0,
                   "f16.matrix: 1.1e+14, but about 192e12 is often quoted",
                   NULL);
    cli_kit_expect(*state, WORDS("arch", "gfx928"), 0, "Stand-in  gfx906\n",
                   NULL);
    cli_kit_expect(*state, WORDS("arch", "gfx928"), 0,
                   "Sources:\n   1  compiler metadata printed for gfx926",
                   NULL);
    cli_kit_expect(*state, WORDS("arch", "sm_90a"), 0, "H200", NULL);
    cli_kit_expect(*state, WORDS("arch", "gfx92"), 2, NULL,
                   "did you mean 'gfx926'");
}

static void test_cli_cmd_arch__prints_json(void **state)
{
    json_t *json = cli_kit_json(*state, WORDS("arch", "gfx928", "--json"), 0);
    json_t *figures = json_object_get(json, "figures");
    json_t *registers = json_object_get(figures, "vgpr_simd_count");

    assert_string_equal(json_string_value(json_object_get(registers, "trust")),
                        "none");
    assert_true(json_is_string(json_object_get(registers, "conflict")));
    assert_true(json_is_null(json_object_get(figures, "vgpr_granule")));
    json_decref(json);
    json = cli_kit_json(*state, WORDS("arch", "--json"), 0);
    assert_true(json_array_size(json_object_get(json, "archs")) >= 15);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_arch__lists_all_in_100_columns),
        cmocka_unit_test(test_cli_cmd_arch__shows_one_in_100_columns),
        cmocka_unit_test(test_cli_cmd_arch__shows_sources_and_conflicts),
        cmocka_unit_test(test_cli_cmd_arch__prints_json),
    };

    return cmocka_run_group_tests(tests, cli_kit_open, cli_kit_close);
}
