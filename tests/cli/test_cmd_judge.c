/* `whet judge` over the null device: statuses, JSON, and the ways to name a
 * candidate. Real kernels are judged in tests/attacks/run.py. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static const char kernel[] =
    "/* whet:\n"
    "launches:\n"
    "  - {kernel: gemm, grid: [M], block: [SPEED], args: [A, B, C, M, N, K]}\n"
    "tunables: {SPEED: [1, 2]}\n"
    "*/\n"
    "__kernel void gemm() {}\n";

static int open_with_files(void **state)
{
    if (cli_kit_open(state) != 0)
        return -1;
    cli_kit_write(*state, "k.cl", kernel);
    cli_kit_write(*state, "fast.json",
                  "{\"whet_script\": 1, \"default\": {\"time_ns\": 8000000},"
                  " \"rules\": [{\"match\": \" SPEED=2 \","
                  " \"time_ns\": 2000000}]}");
    cli_kit_write(*state, "wrong.json",
                  "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=2 \","
                  " \"fail\": \"unwritten\"}]}");
    cli_kit_write(*state, "broken.json",
                  "{\"whet_script\": 1, \"rules\": [{\"match\": \" SPEED=1 \","
                  " \"fail\": \"mismatch\"}]}");
    return 0;
}

/* "PREFIX DIR/NAME", freed with the kit's process: tests are short. */
static const char *in_dir(const cli_kit *kit, const char *prefix,
                          const char *name)
{
    return whet_asprintf("%s%s/%s", prefix, kit->dir, name);
}

static json_t *judge_json(const cli_kit *kit, const char *script, int status)
{
    const char *path = in_dir(kit, "", "k.cl");
    const char *device = in_dir(kit, "null:", script);
    json_t *json = cli_kit_json(kit,
                                WORDS("judge", "--json", "--device", device,
                                      "--baseline", path, "--point", "SPEED=2",
                                      "--calls", "24", "gemm", path),
                                status);

    free((void *)(uintptr_t)path);
    free((void *)(uintptr_t)device);
    return json;
}

static void test_cli_cmd_judge__tells_a_gain(void **state)
{
    json_t *json = judge_json(*state, "fast.json", 0);
    const json_t *ratio = json_object_get(json, "ratio");

    assert_string_equal(json_string_value(json_object_get(json, "outcome")),
                        "correct");
    assert_string_equal(json_string_value(json_object_get(json, "evidence")),
                        "scripted");
    assert_true(json_is_true(json_object_get(ratio, "is_gain")));
    assert_true(json_number_value(json_object_get(ratio, "value")) > 3.99);
    assert_true(json_number_value(json_object_get(ratio, "value")) < 4.01);
    json_decref(json);
}

static void test_cli_cmd_judge__exits_1_for_wrong_kernels(void **state)
{
    json_t *json = judge_json(*state, "wrong.json", 1);

    assert_string_equal(json_string_value(json_object_get(json, "reason")),
                        "unwritten");
    json_decref(json);
}

static void test_cli_cmd_judge__exits_3_if_the_baseline_fails(void **state)
{
    const cli_kit *kit = *state;
    const char *path = in_dir(kit, "", "k.cl");
    const char *device = in_dir(kit, "null:", "broken.json");

    cli_kit_expect(kit,
                   WORDS("judge", "--device", device, "--baseline", path,
                         "--point", "SPEED=2", "gemm", path),
                   3, NULL, "the reference kernel fails");
    free((void *)(uintptr_t)path);
    free((void *)(uintptr_t)device);
}

static void test_cli_cmd_judge__refuses_bad_use(void **state)
{
    const cli_kit *kit = *state;
    const char *path = in_dir(kit, "", "k.cl");

    cli_kit_expect(kit, WORDS("judge", "gemm"), 2, NULL, "TASK FILE");
    cli_kit_expect(kit, WORDS("judge", "gemm", "/nonexistent.cl"), 2, NULL,
                   "/nonexistent.cl");
    cli_kit_expect(
        kit,
        WORDS("judge", "--device", "null", "--point", "SPEED=3", "gemm", path),
        2, NULL, "SPEED");
    cli_kit_expect(
        kit,
        WORDS("judge", "--device", "null", "--workload", "M=0", "gemm", path),
        2, NULL, "workload: M");
    cli_kit_expect(kit, WORDS("judge", "--calls", "1", "gemm", path), 2, NULL,
                   "calls");
    cli_kit_expect(kit, WORDS("judge", "--from", "/nonexistent", "abcd"), 2,
                   NULL, "/nonexistent");
    free((void *)(uintptr_t)path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_judge__tells_a_gain),
        cmocka_unit_test(test_cli_cmd_judge__exits_1_for_wrong_kernels),
        cmocka_unit_test(test_cli_cmd_judge__exits_3_if_the_baseline_fails),
        cmocka_unit_test(test_cli_cmd_judge__refuses_bad_use),
    };

    return cmocka_run_group_tests(tests, open_with_files, cli_kit_close);
}
