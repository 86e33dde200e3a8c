/* `whet log`, `whet show`, `whet export` over a ledger of two runs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

#define RUN_OF(seed)                                                           \
    "run", "gemm", "--device", "null:s.json", "-n", "6", "--workload",         \
        "M=64,N=64,K=64", "-q", "-l", "x.ledger", "--seed", seed

static int open_with_runs(void **state)
{
    const cli_kit *kit;

    if (cli_kit_open(state) != 0)
        return -1;
    kit = *state;
    cli_kit_write(kit, "s.json",
                  "{\"whet_script\": 1, \"rules\": [{\"match\": \"BM=128\", "
                  "\"time_ns\": 250000}, {\"match\": \"BM=64\", \"build\": "
                  "\"refuse\"}]}");
    if (kit->binary != NULL) {
        cli_kit_expect(kit, WORDS(RUN_OF("1")), 0, "champion", NULL);
        cli_kit_expect(kit, WORDS(RUN_OF("2")), 0, "champion", NULL);
    }
    return 0;
}

/* Events of the whole ledger; caller json_decref's. */
static json_t *events(const cli_kit *kit)
{
    json_t *list = cli_kit_json(kit, WORDS("log", "x.ledger", "--json"), 0);

    assert_true(json_is_array(list));
    return list;
}

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));

    assert_non_null(text);
    return text;
}

/* First event of a kind, borrowed. */
static const json_t *first(const json_t *list, const char *kind)
{
    size_t i;

    for (i = 0; i < json_array_size(list); i++)
        if (strcmp(text_of(json_array_get(list, i), "kind"), kind) == 0)
            return json_array_get(list, i);
    fail_msg("no event %s", kind);
    return NULL;
}

static void test_cli_cmd_ledger__log_lists_the_newest_run(void **state)
{
    json_t *list = events(*state);
    const json_t *last = json_array_get(list, json_array_size(list) - 1);
    const char *newest = text_of(last, "run");

    cli_kit_expect(*state, WORDS("log", "x.ledger"), 0, newest, NULL);
    cli_kit_expect(*state, WORDS("log", "x.ledger"), 0, "speed-up", NULL);
    cli_kit_expect(*state, WORDS("log", "x.ledger"), 0, "build: compile", NULL);
    cli_kit_expect(*state, WORDS("log", "x.ledger"), 0, "4.00x [4.00, 4.00]",
                   NULL);
    cli_kit_expect(*state, WORDS("log", "x.ledger"), 0, "champion: ", NULL);
    assert_string_not_equal(newest, text_of(json_array_get(list, 0), "run"));
    json_decref(list);
}

static void test_cli_cmd_ledger__log_lists_a_run_by_name(void **state)
{
    json_t *list = events(*state), *some;
    const char *run = text_of(json_array_get(list, 0), "run");
    size_t i;

    cli_kit_expect(*state, WORDS("log", "x.ledger", "--run", run), 0, run,
                   NULL);
    some = cli_kit_json(*state,
                        WORDS("log", "x.ledger", "--json", "--run", run), 0);
    assert_true(json_array_size(some) > 4);
    assert_true(json_array_size(some) < json_array_size(list));
    for (i = 0; i < json_array_size(some); i++)
        assert_string_equal(text_of(json_array_get(some, i), "run"), run);
    cli_kit_expect(*state, WORDS("log", "x.ledger", "--run", "rx"), 2, NULL,
                   "holds no run rx");
    json_decref(some);
    json_decref(list);
}

static void test_cli_cmd_ledger__log_json_is_stable(void **state)
{
    static const char *const keys[] = {"seq",  "wall_ns", "run",
                                       "kind", "subject", "data"};
    json_t *one = events(*state), *two = events(*state);
    size_t i, j;

    assert_true(json_equal(one, two));
    for (i = 0; i < json_array_size(one); i++)
        for (j = 0; j < sizeof keys / sizeof keys[0]; j++)
            assert_non_null(json_object_get(json_array_get(one, i), keys[j]));
    cli_kit_expect(*state, WORDS("log", "x.ledger", "--events"), 0,
                   "run_started", NULL);
    json_decref(one);
    json_decref(two);
}

static void test_cli_cmd_ledger__show_tells_a_candidate(void **state)
{
    json_t *list = events(*state), *shown;
    const char *id = text_of(first(list, "champion"), "subject");
    char prefix[13];

    (void)snprintf(prefix, sizeof prefix, "%.12s", id);
    cli_kit_expect(*state, WORDS("show", "x.ledger", prefix), 0, id, NULL);
    cli_kit_expect(*state, WORDS("show", "x.ledger", id), 0, "gemm_pipelined",
                   NULL);
    cli_kit_expect(*state, WORDS("show", "x.ledger", id), 0, "launches:", NULL);
    cli_kit_expect(*state, WORDS("show", "x.ledger", id), 0,
                   "screened: ", NULL);
    cli_kit_expect(*state, WORDS("show", "x.ledger", id), 0,
                   "confirmed: ", NULL);
    shown =
        cli_kit_json(*state, WORDS("show", "x.ledger", prefix, "--json"), 0);
    assert_string_equal(text_of(first(shown, "champion"), "subject"), id);
    assert_string_equal(text_of(first(shown, "candidate"), "subject"), id);
    json_decref(shown);
    cli_kit_expect(*state, WORDS("show", "x.ledger", "0123456789abcdef0"), 2,
                   NULL, "0123");
    cli_kit_expect(*state, WORDS("show", "x.ledger", "xyz"), 2, NULL, "xyz");
    json_decref(list);
}

static void test_cli_cmd_ledger__export_is_one_json_a_line(void **state)
{
    whet_process_result result;
    const char *line, *end;
    size_t lines = 0;

    assert_int_equal(cli_kit_run(&result, *state, WORDS("export", "x.ledger")),
                     0);
    for (line = whet_buf_str(&result.out); *line != '\0'; line = end + 1) {
        json_t *json;

        end = strchr(line, '\n');
        assert_non_null(end);
        json = json_loadb(line, (size_t)(end - line), 0, NULL);
        assert_true(json_is_object(json));
        json_decref(json);
        lines++;
    }
    assert_true(lines > 20);
    whet_process_result_deinit(&result);
}

static void test_cli_cmd_ledger__a_recording_replays(void **state)
{
    json_t *recording =
        cli_kit_json(*state, WORDS("export", "x.ledger", "--recording"), 0);
    char *text = whet_json_canonical(recording);

    cli_kit_write(*state, "rec.json", text);
    free(text);
    json_decref(recording);
    cli_kit_expect(*state,
                   WORDS("run", "gemm", "--device", "recorded:rec.json", "-n",
                         "6", "--workload", "M=64,N=64,K=64", "--seed", "2",
                         "-q", "-l", "y.ledger"),
                   0, "4.00x", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_ledger__log_lists_the_newest_run),
        cmocka_unit_test(test_cli_cmd_ledger__log_lists_a_run_by_name),
        cmocka_unit_test(test_cli_cmd_ledger__log_json_is_stable),
        cmocka_unit_test(test_cli_cmd_ledger__show_tells_a_candidate),
        cmocka_unit_test(test_cli_cmd_ledger__export_is_one_json_a_line),
        cmocka_unit_test(test_cli_cmd_ledger__a_recording_replays),
    };

    return cmocka_run_group_tests(tests, open_with_runs, cli_kit_close);
}
