/* Screening and confirming single trials. */

#include "search_kit.h"

static const uint64_t second_ns = 1000000000u;

/* A run over template wide alone, its points sampled: trial 0 is V=1 W=16. */
static whet_run *begin_wide(kit *k)
{
    int list[32];
    size_t count;
    whet_run *run;

    kit_only(k, "wide");
    run = kit_begin(k);
    assert_int_equal(whet_search__sample(list, &count, 32, run, &k->err),
                     WHET_OK);
    return run;
}

static int find(const whet_run *run, const char *text)
{
    size_t i;

    for (i = 0; i < run->trial_count; i++) {
        char *point = kit_point(run, (int)i);
        bool is_it = strcmp(point, text) == 0;

        free(point);
        if (is_it)
            return (int)i;
    }
    fail_msg("no point %s", text);
    return -1;
}

static whet_trial *screen(kit *k, whet_run *run, int trial, unsigned rung)
{
    if (whet_search__screen(run, trial, rung, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    return &run->trials[trial];
}

static void test_search_evaluate__a_screening_is_recorded(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);
    whet_trial *t = screen(k, run, 0, 0);
    json_t *data = kit_last(k, "candidate");

    assert_true(t->is_correct);
    assert_int_equal(t->median_ns, 1000000);
    assert_float_equal(t->score, 1.0, 1e-9);
    assert_int_equal(k->result.evaluated, 1);
    assert_int_equal(k->result.refused, 0);
    assert_string_equal(json_string_value(json_object_get(data, "point_text")),
                        "V=1 W=16");
    assert_string_equal(json_string_value(json_object_get(data, "skill")),
                        "wide");
    assert_string_equal(json_string_value(json_object_get(data, "move")),
                        "skill");
    json_decref(data);
    data = kit_last(k, "screened");
    assert_int_equal(json_integer_value(json_object_get(data, "rung")), 0);
    assert_string_equal(json_string_value(json_object_get(data, "outcome")),
                        "correct");
    json_decref(data);
    kit_end(run);
}

static void test_search_evaluate__what_is_known_is_not_measured(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);
    uint64_t before_ns;
    size_t events;

    screen(k, run, 0, 0);
    events = kit_count(k, "");
    before_ns = whet_clock_now(&run->clock);
    screen(k, run, 0, 0);
    assert_int_equal(whet_clock_now(&run->clock), before_ns);
    assert_int_equal(kit_count(k, ""), events);
    assert_int_equal(k->result.evaluated, 2);
    /* Another rung is another measurement, but no other evaluation. */
    screen(k, run, 0, 1);
    assert_true(whet_clock_now(&run->clock) > before_ns);
    assert_int_equal(kit_count(k, "raced"), 1);
    assert_int_equal(k->result.evaluated, 2);
    kit_end(run);
}

static void test_search_evaluate__refused_and_wrong_are_counted(void **state)
{
    kit *k = *state;
    whet_run *run;
    json_t *data;

    kit_script(k, "",
               "{\"match\": \" V=2 W=16 \", \"build\": \"refuse\"},"
               "{\"match\": \" V=4 W=16 \", \"fail\": \"mismatch\"},"
               "{\"match\": \" V=8 W=16 \", \"build\": \"timeout\"}");
    run = begin_wide(k);
    assert_false(screen(k, run, find(run, "V=2 W=16"), 0)->is_correct);
    data = kit_last(k, "screened");
    assert_string_equal(json_string_value(json_object_get(data, "outcome")),
                        "build");
    json_decref(data);
    assert_false(screen(k, run, find(run, "V=4 W=16"), 0)->is_correct);
    data = kit_last(k, "screened");
    assert_string_equal(json_string_value(json_object_get(data, "reason")),
                        "mismatch");
    json_decref(data);
    assert_false(screen(k, run, find(run, "V=8 W=16"), 0)->is_correct);
    assert_int_equal(k->result.refused, 3);
    assert_int_equal(k->result.evaluated, 3);
    assert_int_equal(run->incumbent.trial, -1);
    kit_end(run);
}

static void test_search_evaluate__scores_are_against_the_baseline(void **state)
{
    kit *k = *state;
    whet_run *run;
    int fast, faster, near;

    kit_script(k, "",
               "{\"match\": \" V=2 W=16 \", \"time_ns\": 500000},"
               "{\"match\": \" V=4 W=16 \", \"time_ns\": 250000},"
               "{\"match\": \" V=4 W=32 \", \"time_ns\": 240000}");
    run = begin_wide(k);
    fast = find(run, "V=2 W=16");
    faster = find(run, "V=4 W=16");
    near = find(run, "V=4 W=32");
    assert_float_equal(screen(k, run, fast, 0)->score, 2.0, 1e-6);
    assert_int_equal(run->incumbent.trial, fast);
    /* Measured against the incumbent, told against the baseline. */
    assert_float_equal(screen(k, run, faster, 0)->score, 4.0, 1e-6);
    assert_int_equal(run->incumbent.trial, faster);
    /* A small step does not replace the incumbent. */
    assert_true(screen(k, run, near, 0)->score > 4.1);
    assert_int_equal(run->incumbent.trial, faster);
    kit_end(run);
}

static void test_search_evaluate__a_gain_is_crowned(void **state)
{
    kit *k = *state;
    whet_run *run;
    json_t *data;

    kit_script(k, "", "{\"match\": \" V=1 W=16 \", \"time_ns\": 500000}");
    run = begin_wide(k);
    screen(k, run, 0, 0);
    assert_int_equal(whet_search__confirm(run, 0, &k->err), WHET_OK);
    assert_int_equal(run->champion, 0);
    assert_true(k->result.has_champion);
    assert_float_equal(k->result.champion.ratio, 2.0, 1e-6);
    assert_string_equal(k->result.champion_skill, "wide");
    assert_string_equal(k->result.champion_point, "V=1 W=16");
    assert_int_equal(k->result.champion.candidate_time.call_count, 24);
    /* A gain is corrected for all that were tried. */
    assert_int_equal(k->result.champion.tried, k->result.evaluated);
    assert_true(k->result.evaluated > 0);
    data = kit_last(k, "champion");
    assert_string_equal(json_string_value(json_object_get(data, "point")),
                        "V=1 W=16");
    json_decref(data);
    /* Known by now. */
    assert_int_equal(whet_search__confirm(run, 0, &k->err), WHET_OK);
    assert_int_equal(kit_count(k, "confirmed"), 1);
    assert_int_equal(kit_count(k, "champion"), 1);
    kit_end(run);
}

static void test_search_evaluate__no_gain_is_not_crowned(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);

    screen(k, run, 0, 0);
    assert_int_equal(whet_search__confirm(run, 0, &k->err), WHET_OK);
    assert_int_equal(run->champion, -1);
    assert_false(k->result.has_champion);
    assert_int_equal(kit_count(k, "confirmed"), 1);
    assert_int_equal(kit_count(k, "champion"), 0);
    kit_end(run);
}

static void test_search_evaluate__a_later_failure_is_not_crowned(void **state)
{
    kit *k = *state;
    whet_run *run;

    /* Correct in the few calls of a screening, wrong later on. */
    kit_script(k, "",
               "{\"match\": \" V=1 W=16 \", \"time_ns\": 500000, \"fail\": "
               "\"mismatch\", \"fail_from_call\": 15}");
    run = begin_wide(k);
    assert_true(screen(k, run, 0, 0)->is_correct);
    assert_int_equal(whet_search__confirm(run, 0, &k->err), WHET_OK);
    assert_false(k->result.has_champion);
    kit_end(run);
}

static void test_search_evaluate__only_a_better_one_dethrones(void **state)
{
    kit *k = *state;
    whet_run *run;
    int first, slower, better;

    kit_script(k, "",
               "{\"match\": \" V=1 W=16 \", \"time_ns\": 500000},"
               "{\"match\": \" V=2 W=16 \", \"time_ns\": 600000},"
               "{\"match\": \" V=4 W=16 \", \"time_ns\": 400000}");
    run = begin_wide(k);
    first = find(run, "V=1 W=16");
    slower = find(run, "V=2 W=16");
    better = find(run, "V=4 W=16");
    assert_int_equal(whet_search__confirm(run, first, &k->err), WHET_OK);
    assert_int_equal(whet_search__confirm(run, slower, &k->err), WHET_OK);
    assert_int_equal(run->champion, first);
    assert_int_equal(whet_search__confirm(run, better, &k->err), WHET_OK);
    assert_int_equal(run->champion, better);
    kit_end(run);
}

static void test_search_evaluate__a_failing_baseline_is_an_error(void **state)
{
    kit *k = *state;
    whet_run *run;

    kit_script(k, "", "{\"match\": \" - \", \"fail\": \"mismatch\"}");
    run = begin_wide(k);
    assert_int_equal(whet_search__screen(run, 0, 0, &k->err), WHET_EFAIL);
    kit_expect_message(k, "reference");
    assert_int_equal(k->result.evaluated, 0);
    assert_int_equal(kit_count(k, "screened"), 0);
    kit_end(run);
}

static const char flaky[] =
    "{\"match\": \" V=2 W=16 \", \"time_ns\": 250000, \"fail\": "
    "\"mismatch\", \"fail_from_call\": 8},"
    "{\"match\": \" V=4 W=16 \", \"time_ns\": 500000}";

static void test_search_evaluate__a_flaky_incumbent_is_demoted(void **state)
{
    kit *k = *state;
    whet_run *run;
    int bad, good;
    json_t *data;

    kit_script(k, "", flaky);
    run = begin_wide(k);
    bad = find(run, "V=2 W=16");
    good = find(run, "V=4 W=16");
    assert_true(screen(k, run, bad, 0)->is_correct);
    assert_int_equal(run->incumbent.trial, bad);
    /* The longer comparison meets its failure, and blames it alone. */
    assert_float_equal(screen(k, run, good, 2)->score, 2.0, 1e-6);
    assert_true(run->trials[good].is_correct);
    assert_false(run->trials[bad].is_correct);
    assert_int_equal(run->incumbent.trial, good);
    assert_int_equal(k->result.refused, 1);
    data = kit_last(k, "demoted");
    assert_non_null(strstr(json_string_value(json_object_get(data, "message")),
                           "mismatch"));
    json_decref(data);
    /* Nothing makes it correct again, nor counts it twice. */
    assert_false(screen(k, run, bad, 1)->is_correct);
    assert_int_equal(k->result.refused, 1);
    kit_end(run);
}

static void test_search_evaluate__a_failed_confirmation_demotes(void **state)
{
    kit *k = *state;
    whet_run *run;
    int bad;

    kit_script(k, "", flaky);
    run = begin_wide(k);
    bad = find(run, "V=2 W=16");
    screen(k, run, bad, 0);
    assert_int_equal(run->incumbent.trial, bad);
    assert_int_equal(whet_search__confirm(run, bad, &k->err), WHET_OK);
    assert_int_equal(run->incumbent.trial, -1);
    assert_false(k->result.has_champion);
    kit_end(run);
}

static void test_search_evaluate__cancelled_records_nothing(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);

    k->cancel = 1;
    assert_int_equal(whet_search__screen(run, 0, 0, &k->err), WHET_ECANCELLED);
    kit_expect_message(k, "stopped");
    assert_int_equal(k->result.evaluated, 0);
    assert_int_equal(kit_count(k, "screened"), 0);
    kit_end(run);
}

static void test_search_evaluate__budgets_are_spent(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);

    assert_false(whet_search__is_spent(run));
    run->opts.budget.evaluations = 2;
    k->result.evaluated = 1;
    assert_false(whet_search__is_spent(run));
    k->result.evaluated = 2;
    assert_true(whet_search__is_spent(run));
    run->opts.budget.evaluations = 0;
    run->opts.budget.wall_ns = 100 * second_ns;
    assert_false(whet_search__is_spent(run));
    /* Time of the parts before a resume counts. */
    run->earlier_ns = 100 * second_ns;
    assert_true(whet_search__is_spent(run));
    kit_end(run);
}

static void test_search_evaluate__the_limit_needs_a_calibration(void **state)
{
    kit *k = *state;
    whet_run *run = begin_wide(k);

    run->trials[0].median_ns = 1000000;
    assert_false(whet_search__is_at_limit(run, 0));
    run->has_calibration = true;
    run->calibration =
        (whet_calibration){.copy_bytes_per_s = 8.0 * 4096 / 0.00095};
    assert_true(whet_search__is_at_limit(run, 0));
    run->calibration.copy_bytes_per_s = 8.0 * 4096 / 0.00090;
    assert_false(whet_search__is_at_limit(run, 0));
    run->trials[0].median_ns = 0;
    assert_false(whet_search__is_at_limit(run, 0));
    kit_end(run);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_evaluate__a_screening_is_recorded),
        TEST(test_search_evaluate__what_is_known_is_not_measured),
        TEST(test_search_evaluate__refused_and_wrong_are_counted),
        TEST(test_search_evaluate__scores_are_against_the_baseline),
        TEST(test_search_evaluate__a_gain_is_crowned),
        TEST(test_search_evaluate__no_gain_is_not_crowned),
        TEST(test_search_evaluate__a_later_failure_is_not_crowned),
        TEST(test_search_evaluate__only_a_better_one_dethrones),
        TEST(test_search_evaluate__a_failing_baseline_is_an_error),
        TEST(test_search_evaluate__a_flaky_incumbent_is_demoted),
        TEST(test_search_evaluate__a_failed_confirmation_demotes),
        TEST(test_search_evaluate__cancelled_records_nothing),
        TEST(test_search_evaluate__budgets_are_spent),
        TEST(test_search_evaluate__the_limit_needs_a_calibration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
