/* Runs turned into recordings that replay them. */

#include "search_kit.h"

static json_t *record(kit *k)
{
    whet_clock clock = whet_clock_system();
    whet_ledger *ledger;
    json_t *recording = NULL;

    assert_int_equal(
        whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_READ, &clock, &k->err),
        WHET_OK);
    if (whet_search_recording(&recording, ledger, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    whet_ledger_close(ledger);
    return recording;
}

/* Search again over a recording of k's ledger, into another ledger. */
static void run_again(kit *k)
{
    json_t *recording = record(k);
    char *text = whet_json_canonical(recording);

    kit_write(k, "rec.json", text);
    free(text);
    json_decref(recording);
    free(k->device);
    k->device = whet_asprintf("recorded:%s/rec.json", k->dir);
    free(k->ledger);
    k->ledger = whet_fs_join(k->dir, "again.ledger");
    k->opts.device = k->device;
    k->opts.ledger = k->ledger;
    kit_run(k);
}

static void test_search_recording__replays_to_the_same_end(void **state)
{
    kit *k = *state;
    whet_run_result first;

    kit_script(k, "",
               "{\"match\": \" V=4 \", \"time_ns\": 500000},"
               "{\"match\": \" V=2 W=16 \", \"build\": \"refuse\"},"
               "{\"match\": \" V=2 W=32 \", \"fail\": \"mismatch\"}");
    kit_run(k);
    first = k->result;
    memset(&k->result, 0, sizeof k->result);
    run_again(k);
    assert_true(k->result.has_champion);
    assert_int_equal(k->result.evaluated, first.evaluated);
    assert_int_equal(k->result.refused, first.refused);
    assert_int_equal(k->result.refused, 2);
    assert_string_equal(k->result.champion_point, first.champion_point);
    assert_float_equal(k->result.champion.ratio, first.champion.ratio, 1e-9);
    /* Scripted numbers stay scripted. */
    assert_int_equal(k->result.champion.evidence, WHET_EVIDENCE_SCRIPTED);
    whet_run_result_deinit(&first);
}

static void
test_search_recording__a_failed_confirmation_fails_again(void **state)
{
    kit *k = *state;

    kit_only(k, "wide");
    kit_script(k, "",
               "{\"match\": \" V=4 W=64 \", \"time_ns\": 500000},"
               "{\"match\": \" V=4 W=64 \", \"workload\": \"n=\", \"fail\": "
               "\"mismatch\", \"fail_from_call\": 24}");
    kit_run(k);
    assert_false(k->result.has_champion);
    assert_int_equal(kit_count(k, "confirmed"), 1);
    run_again(k);
    assert_false(k->result.has_champion);
}

static void test_search_recording__the_newest_run_is_taken(void **state)
{
    kit *k = *state;
    json_t *one, *two;

    k->opts.seed = 5;
    kit_run(k);
    one = record(k);
    k->opts.seed = 6;
    k->opts.budget.evaluations = 2;
    kit_run(k);
    two = record(k);
    assert_int_equal(json_integer_value(json_object_get(one, "seed")), 5);
    assert_int_equal(json_integer_value(json_object_get(two, "seed")), 6);
    assert_false(json_equal(one, two));
    json_decref(one);
    json_decref(two);
}

static void test_search_recording__survives_a_resume(void **state)
{
    kit *k = *state;
    json_t *recording;

    k->opts.budget.evaluations = 3;
    kit_run(k);
    k->opts.budget.evaluations = 8;
    kit_resume(k);
    recording = record(k);
    /* The baseline and the candidates of both parts, each once. */
    assert_true(kit_count(k, "screened") > 3);
    assert_int_equal(json_array_size(json_object_get(recording, "entries")),
                     1 + kit_count(k, "screened"));
    json_decref(recording);
}

static void test_search_recording__of_no_run(void **state)
{
    kit *k = *state;
    whet_clock clock = whet_clock_system();
    whet_ledger *ledger;
    json_t *recording = NULL;

    assert_int_equal(whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_CREATE,
                                      &clock, &k->err),
                     WHET_OK);
    assert_int_equal(whet_search_recording(&recording, ledger, &k->err),
                     WHET_ENOTFOUND);
    assert_null(recording);
    kit_expect_message(k, "no run");
    whet_ledger_close(ledger);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_recording__replays_to_the_same_end),
        TEST(test_search_recording__a_failed_confirmation_fails_again),
        TEST(test_search_recording__the_newest_run_is_taken),
        TEST(test_search_recording__survives_a_resume),
        TEST(test_search_recording__of_no_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
