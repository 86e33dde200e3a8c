/* `whet devices` without a card, and over the fake libraries. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static const char nowhere[] = "/nonexistent/library.so";

/* A machine without cards. */
static int open_bare(void **state)
{
    cli_kit *kit;

    if (cli_kit_open(state) != 0)
        return -1;
    kit = *state;
    cli_kit_set(kit, "WHET_NVML_LIBRARY", nowhere);
    cli_kit_set(kit, "WHET_AMDSMI_LIBRARY", nowhere);
    cli_kit_set(kit, "WHET_ROCM_SMI_LIBRARY", nowhere);
    cli_kit_set(kit, "WHET_CUDA_LIBRARY", nowhere);
    cli_kit_set(kit, "WHET_HIP_LIBRARY", nowhere);
    cli_kit_set(kit, "WHET_HIP_SYSFS", kit->dir);
    cli_kit_set(kit, "WHET_SMI_DIRS", "/nonexistent");
    return 0;
}

/* The build puts fake libraries beside the test programs. */
static void use_fakes(cli_kit *kit)
{
    char *self = NULL, *nvml, *cuda;

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    *strrchr(self, '/') = '\0';
    nvml = whet_asprintf("%s/device/fake_nvml.so", self);
    cuda = whet_asprintf("%s/device/fake_cuda.so", self);
    cli_kit_set(kit, "WHET_NVML_LIBRARY", nvml);
    cli_kit_set(kit, "WHET_CUDA_LIBRARY", cuda);
    free(nvml);
    free(cuda);
    free(self);
}

static void test_cli_cmd_devices__none_is_one_line_and_0(void **state)
{
    cli_kit_expect(*state, WORDS("devices"), 0,
                   "no card: none of 6 sources tells of one (-v says why)\n",
                   NULL);
    cli_kit_expect(*state, WORDS("devices", "-v"), 0, "/nonexistent/", NULL);
}

static void test_cli_cmd_devices__none_as_json(void **state)
{
    json_t *json = cli_kit_json(*state, WORDS("devices", "--json"), 0);
    json_t *sources = json_object_get(json, "sources");

    assert_int_equal(json_array_size(json_object_get(json, "cards")), 0);
    assert_int_equal(json_array_size(sources), 6);
    assert_true(
        json_is_false(json_object_get(json_array_get(sources, 0), "is_there")));
    json_decref(json);
}

static void test_cli_cmd_devices__table_fits_and_says_na(void **state)
{
    whet_process_result result = {0};
    const char *at;

    use_fakes(*state);
    assert_int_equal(cli_kit_run(&result, *state, WORDS("devices", "-v")), 0);
    at = whet_buf_str(&result.out);
    assert_non_null(strstr(at, "Fake H200"));
    assert_non_null(strstr(at, "75.0/150 GiB  42 %  51 C  123 W      2\n"));
    assert_non_null(strstr(at, "3.0/150 GiB   n/a   n/a    n/a    n/a\n"));
    assert_non_null(strstr(at, "card 0000:c1:00.0: process 4711, 1.0 GiB\n"));
    assert_null(strchr(at, '\033'));
    while (*at != '\0') {
        size_t bytes = strcspn(at, "\n");

        if (bytes > 100)
            fail_msg("%zu columns: %.*s", bytes, (int)bytes, at);
        at += bytes + (at[bytes] == '\n');
    }
    whet_process_result_deinit(&result);
}

static void test_cli_cmd_devices__hidden_cards_and_logical_index(void **state)
{
    json_t *json, *cards;

    use_fakes(*state);
    cli_kit_set(*state, "CUDA_VISIBLE_DEVICES", "1");
    cli_kit_expect(*state, WORDS("devices"), 0, "-/0", NULL);
    cli_kit_expect(*state, WORDS("devices"), 0, "0/1", NULL);
    json = cli_kit_json(*state, WORDS("devices", "--json"), 0);
    cli_kit_set(*state, "CUDA_VISIBLE_DEVICES", NULL);
    cards = json_object_get(json, "cards");
    assert_true(json_is_null(
        json_object_get(json_array_get(cards, 0), "logical_index")));
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(cards, 1), "logical_index")),
                     0);
    assert_true(
        json_is_null(json_object_get(json_array_get(cards, 1), "use_pct")));
    json_decref(json);
}

static void test_cli_cmd_devices__cards_know_their_device(void **state)
{
    json_t *json, *cards;
    unsigned answers = 0;

    use_fakes(*state);
    json = cli_kit_json(*state, WORDS("devices", "--json"), 0);
    cards = json_object_get(json, "cards");
    for (size_t i = 0; i < json_array_size(cards); i++) {
        const char *device = json_string_value(
            json_object_get(json_array_get(cards, i), "device"));

        answers += device != NULL && strncmp(device, "cuda:", 5) == 0;
    }
    assert_int_equal(answers, 2);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_devices__none_is_one_line_and_0),
        cmocka_unit_test(test_cli_cmd_devices__none_as_json),
        cmocka_unit_test(test_cli_cmd_devices__table_fits_and_says_na),
        cmocka_unit_test(test_cli_cmd_devices__hidden_cards_and_logical_index),
        cmocka_unit_test(test_cli_cmd_devices__cards_know_their_device),
    };

    return cmocka_run_group_tests(tests, open_bare, cli_kit_close);
}
