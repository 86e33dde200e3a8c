/* `whet doctor` where nothing is there: facts, remedies, status 0. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static int open_bare(void **state)
{
    cli_kit *kit;

    if (cli_kit_open(state) != 0)
        return -1;
    kit = *state;
    cli_kit_set(kit, "WHET_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so");
    cli_kit_set(kit, "WHET_BWRAP", "/nonexistent/bwrap");
    cli_kit_set(kit, "PATH", "/nonexistent");
    cli_kit_set(kit, "CC", NULL);
    return 0;
}

static void test_cli_cmd_doctor__bare_machine_is_0_with_remedies(void **state)
{
    static const char *const parts[] = {
        "opencl    absent",
        "recorded  to be named",
        "null:0    scripted",
        "bubblewrap  no\n",
        "C compiler  no\n",
        "Degraded:\n",
        "  device opencl: no kernel can be measured on it.\n",
        "apt-get install ocl-icd-libopencl1",
        "  devices: 'whet run' and 'whet judge' end with status 3;",
        "  toolchain opencl: ",
        "  sandbox: ",
        "  C compiler: ",
        "apt-get install gcc",
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cli_kit_expect(*state, WORDS("doctor"), 0, parts[i], NULL);
}

static void test_cli_cmd_doctor__lines_fit_100_columns(void **state)
{
    whet_process_result result = {0};
    const char *at;

    assert_int_equal(cli_kit_run(&result, *state, WORDS("doctor")), 0);
    for (at = whet_buf_str(&result.out); *at != '\0';) {
        size_t bytes = strcspn(at, "\n");

        if (bytes > 100 && strncmp(at, "whet ", 5) != 0)
            fail_msg("%zu columns: %.*s", bytes, (int)bytes, at);
        at += bytes + (at[bytes] == '\n');
    }
    whet_process_result_deinit(&result);
}

static void test_cli_cmd_doctor__json_says_the_same(void **state)
{
    json_t *json = cli_kit_json(*state, WORDS("doctor", "--json"), 0);
    json_t *devices = json_object_get(json, "devices");
    json_t *opencl = NULL, *notes;

    assert_string_equal(json_string_value(json_object_get(json, "version")),
                        WHET_VERSION);
    for (size_t i = 0; i < json_array_size(devices); i++) {
        json_t *device = json_array_get(devices, i);

        if (strcmp(json_string_value(json_object_get(device, "backend")),
                   "opencl") == 0)
            opencl = device;
    }
    assert_true(json_is_true(json_object_get(opencl, "is_absent")));
    assert_true(json_is_string(json_object_get(opencl, "reason")));
    assert_true(json_is_null(json_object_get(json, "c_compiler")));
    assert_true(json_is_false(
        json_object_get(json_object_get(json, "sandbox"), "has_bwrap")));
    notes = json_object_get(json, "degraded");
    assert_true(json_array_size(notes) >= 5);
    for (size_t i = 0; i < json_array_size(notes); i++) {
        json_t *note = json_array_get(notes, i);

        assert_true(json_string_length(json_object_get(note, "what")) > 0);
        assert_true(json_string_length(json_object_get(note, "effect")) > 0);
        assert_true(json_string_length(json_object_get(note, "reason")) > 0);
    }
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_doctor__bare_machine_is_0_with_remedies),
        cmocka_unit_test(test_cli_cmd_doctor__lines_fit_100_columns),
        cmocka_unit_test(test_cli_cmd_doctor__json_says_the_same),
    };

    return cmocka_run_group_tests(tests, open_bare, cli_kit_close);
}
