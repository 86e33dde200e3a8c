/* `whet run`, `whet resume`: what they print and how they end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

#define SHAPE "--workload", "M=64,N=64,K=64", "--calls", "12"
#define GAIN "--device", "null:gain.json", "-n", "6", SHAPE
#define NO_GAIN "--device", "null:", "-n", "2", SHAPE

static int open_with_script(void **state)
{
    if (cli_kit_open(state) != 0)
        return -1;
    cli_kit_write(*state, "gain.json",
                  "{\"whet_script\": 1, \"rules\": [{\"match\": \"BM=128\", "
                  "\"time_ns\": 250000}]}");
    return 0;
}

static bool is_there(const cli_kit *kit, const char *name)
{
    char *path = whet_fs_join(kit->dir, name);
    bool exists = whet_fs_exists(path);

    free(path);
    return exists;
}

static void test_cli_cmd_run__says_what_it_found(void **state)
{
    static const char *const parts[] = {
        "baseline",
        "champion",
        "speed-up",
        "4.00x [4.00, 4.00]",
        "champion: gemm_pipelined at BM=128",
        "scripted on null",
        "candidates evaluated",
        "evidence: whet log t.ledger; whet show t.ledger",
        "judge it again: whet judge --from t.ledger"};
    size_t i;

    for (i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cli_kit_expect(*state,
                       WORDS("run", "gemm", "-q", "-l", "t.ledger", GAIN), 0,
                       parts[i], NULL);
        cli_kit_expect(*state, WORDS("resume", "t.ledger", "-q"), 0, parts[i],
                       NULL);
    }
    /* Progress goes to stderr, unless asked not to. */
    cli_kit_expect(*state, WORDS("run", "gemm", "-l", "t.ledger", GAIN), 0,
                   "champion", "confirming");
}

static void test_cli_cmd_run__no_gain_is_a_no(void **state)
{
    json_t *json;

    cli_kit_expect(*state,
                   WORDS("run", "gemm", "-q", "-l", "n.ledger", NO_GAIN), 1,
                   "no candidate is faster", NULL);
    json = cli_kit_json(*state, WORDS("resume", "n.ledger", "--json"), 1);
    assert_true(json_is_null(json_object_get(json, "champion")));
    assert_true(json_is_null(json_object_get(json, "skill")));
    assert_string_equal(json_string_value(json_object_get(json, "stop")),
                        "budget");
    json_decref(json);
}

/* The gain is the same, but nothing that was run without a sandbox counts. */
static void test_cli_cmd_run__unsafe_makes_no_champion(void **state)
{
    cli_kit_expect(
        *state, WORDS("run", "gemm", "-q", "--unsafe", "-l", "u.ledger", GAIN),
        1, "no candidate is faster", NULL);
}

static void test_cli_cmd_run__json_holds_the_verdict(void **state)
{
    static const char *const keys[] = {"run",     "ledger",     "stop",
                                       "refused", "infeasible", "wall_ns",
                                       "skill",   "champion",   "evaluated"};
    json_t *json = cli_kit_json(
        *state, WORDS("run", "gemm", "-q", "-l", "j.ledger", "--json", GAIN),
        0);
    json_t *again =
        cli_kit_json(*state, WORDS("resume", "j.ledger", "-q", "--json"), 0);
    json_t *champion = json_object_get(json, "champion");
    size_t i;

    assert_int_equal(json_object_size(json), sizeof keys / sizeof keys[0]);
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(json, keys[i]));
    assert_string_equal(json_string_value(json_object_get(json, "ledger")),
                        "j.ledger");
    assert_string_equal(json_string_value(json_object_get(champion, "outcome")),
                        "correct");
    assert_string_equal(
        json_string_value(json_object_get(champion, "evidence")), "scripted");
    /* A run that had ended reads the same when resumed. */
    assert_true(json_equal(json, again));
    json_decref(json);
    json_decref(again);
}

static void test_cli_cmd_run__names_its_ledger_after_the_task(void **state)
{
    cli_kit_expect(*state, WORDS("run", "gemm", "-q", NO_GAIN), 1,
                   "gemm.ledger", NULL);
    assert_true(is_there(*state, "gemm.ledger"));
    assert_false(is_there(*state, "gemm.ledger.lock"));
    assert_false(is_there(*state, "gemm.ledger-wal"));
}

static void test_cli_cmd_run__a_ledger_of_any_name(void **state)
{
    json_t *json = cli_kit_json(
        *state,
        WORDS("run", "gemm", "-q", "-l", "\xff.ledger", "--json", NO_GAIN), 1);

    assert_true(is_there(*state, "\xff.ledger"));
    assert_non_null(json_object_get(json, "ledger"));
    json_decref(json);
}

static void test_cli_cmd_run__bad_use_is_one_line(void **state)
{
    cli_kit_expect(*state, WORDS("run", "-q"), 2, NULL, "TASK");
    cli_kit_expect(*state, WORDS("run", "gemn", "-q", NO_GAIN), 2, NULL,
                   "gemn");
    cli_kit_expect(*state, WORDS("run", "gemm", "--seeed", "1"), 2, NULL,
                   "seed");
    cli_kit_expect(*state, WORDS("resume", "absent.ledger"), 2, NULL,
                   "absent.ledger");
    assert_false(is_there(*state, "absent.ledger"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_run__says_what_it_found),
        cmocka_unit_test(test_cli_cmd_run__no_gain_is_a_no),
        cmocka_unit_test(test_cli_cmd_run__unsafe_makes_no_champion),
        cmocka_unit_test(test_cli_cmd_run__json_holds_the_verdict),
        cmocka_unit_test(test_cli_cmd_run__names_its_ledger_after_the_task),
        cmocka_unit_test(test_cli_cmd_run__a_ledger_of_any_name),
        cmocka_unit_test(test_cli_cmd_run__bad_use_is_one_line),
    };

    return cmocka_run_group_tests(tests, open_with_script, cli_kit_close);
}
