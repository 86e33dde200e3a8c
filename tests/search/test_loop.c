/* Whole searches over the null device. */

#include "search_kit.h"

static const uint64_t second_ns = 1000000000u;

/* V=4 W=64 is by far the best point; its neighbours are good. */
static const char hill[] = "{\"match\": \" V=4 \", \"time_ns\": 500000},"
                           "{\"match\": \" W=64 \", \"time_ns\": 600000},"
                           "{\"match\": \" V=4 W=64 \", \"time_ns\": 200000}";

static const char *stop_of(json_t *data)
{
    return json_string_value(json_object_get(data, "stop"));
}

static void test_search_loop__names_its_stops(void **state)
{
    assert_string_equal(whet_stop_name(WHET_STOP_DONE), "done");
    assert_string_equal(whet_stop_name(WHET_STOP_BUDGET), "budget");
    assert_string_equal(whet_stop_name(WHET_STOP_LIMIT), "limit");
    assert_string_equal(whet_stop_name(WHET_STOP_CANCELLED), "cancelled");
}

static void test_search_loop__finds_the_best_point(void **state)
{
    kit *k = *state;
    json_t *data;

    kit_script(k, "", hill);
    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_true(k->result.has_champion);
    assert_string_equal(k->result.champion_point, "V=4 W=64");
    assert_float_equal(k->result.champion.ratio, 5.0, 1e-6);
    assert_int_equal(k->result.evaluated, KIT_WIDE_POINTS + KIT_FLAT_POINTS);
    assert_int_equal(k->result.infeasible, 2);
    assert_int_equal(kit_count(k, "screened"), k->result.evaluated);
    data = kit_last(k, "run_stopped");
    assert_string_equal(stop_of(data), "done");
    assert_int_equal(json_integer_value(json_object_get(data, "wall_ns")),
                     k->result.wall_ns);
    json_decref(data);
}

static void test_search_loop__climbs_to_a_point_outside_the_sample(void **state)
{
    kit *k = *state;
    json_t *data;
    unsigned seed, climbed = 0;

    kit_only(k, "wide");
    kit_script(k, "", hill);
    k->opts.budget.evaluations = 9;
    for (seed = 1; seed <= 8; seed++) {
        k->opts.seed = seed;
        kit_run(k);
        assert_true(k->result.evaluated <= 9);
        data = kit_last(k, "candidate");
        climbed += strcmp(json_string_value(json_object_get(data, "move")),
                          "tune") == 0 &&
                   strcmp(k->result.champion_point, "V=4 W=64") == 0;
        json_decref(data);
    }
    assert_true(climbed > 0);
}

static void test_search_loop__no_gain_gives_no_champion(void **state)
{
    kit *k = *state;

    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_false(k->result.has_champion);
    assert_int_equal(kit_count(k, "champion"), 0);
}

static void test_search_loop__no_feasible_point_is_an_end(void **state)
{
    kit *k = *state;

    kit_only(k, "flat");
    kit_write(k, "skills/templates/flat.wk",
              "/* whet:\nlaunches:\n  - {kernel: k, grid: [n], block: [64], "
              "args: [x, y, n]}\ntunables: {U: [1, 2]}\n"
              "constraints: [\"U > 2\"]\n*/\nint k;\n");
    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_false(k->result.has_champion);
    assert_int_equal(k->result.evaluated, 0);
    assert_int_equal(k->result.infeasible, 2);
    kit_resume(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_int_equal(k->result.infeasible, 2);
}

static void test_search_loop__keeps_to_its_evaluations(void **state)
{
    kit *k = *state;
    json_t *data;

    kit_script(k, "", "{\"match\": \"=\", \"time_ns\": 500000}");
    k->opts.budget.evaluations = 4;
    kit_run(k);
    assert_true(k->result.evaluated <= 4);
    assert_true(k->result.evaluated >= 3);
    assert_true(k->result.has_champion);
    assert_int_equal(kit_count(k, "screened"), k->result.evaluated);
    k->opts.budget.evaluations = 1;
    kit_run(k);
    assert_int_equal(k->result.evaluated, 1);
    assert_int_equal(k->result.stop, WHET_STOP_BUDGET);
    data = kit_last(k, "run_stopped");
    assert_string_equal(stop_of(data), "budget");
    json_decref(data);
}

static void test_search_loop__keeps_to_its_time(void **state)
{
    kit *k = *state;

    kit_script(k, "\"build_ns\": 10000000000,", "");
    k->opts.budget.wall_ns = 45 * second_ns;
    kit_run(k);
    /* Ten seconds a build: the baseline's and four more. */
    assert_int_equal(k->result.evaluated, 4);
    assert_int_equal(k->result.stop, WHET_STOP_BUDGET);
    assert_true(k->result.wall_ns >= 45 * second_ns);
}

static void test_search_loop__stops_at_the_limit(void **state)
{
    kit *k = *state;
    whet_device_handle device;
    whet_calibration calibration = {
        .copy_bytes_per_s = 8.0 * 4096 / 0.000198,
        .rate_count = 1,
        .rates = {{.name = "f32.vector", .ops_per_s = 1e15}},
        .wall_ns = 1,
    };

    kit_only(k, "wide");
    kit_script(k, "", "{\"match\": \"W=16\", \"time_ns\": 200000}");
    assert_int_equal(whet_device_open(&device, k->device, &k->err), WHET_OK);
    (void)whet_strcopy(calibration.device_id, sizeof calibration.device_id,
                       device.facts.id);
    assert_int_equal(
        whet_calibration_store(&calibration, &device.facts, &k->err), WHET_OK);
    whet_device_close(&device);
    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_LIMIT);
    assert_int_equal(k->result.evaluated, 1);
    assert_true(k->result.has_champion);
    assert_true(k->result.champion.limit_ns > 0);
}

static void test_search_loop__the_next_is_confirmed_if_one_fails(void **state)
{
    kit *k = *state;

    kit_only(k, "wide");
    kit_script(k, "",
               "{\"match\": \" V=4 \", \"time_ns\": 500000},"
               "{\"match\": \" V=4 W=64 \", \"time_ns\": 400000, \"fail\": "
               "\"mismatch\", \"fail_from_call\": 20}");
    kit_run(k);
    assert_true(k->result.has_champion);
    assert_non_null(strstr(k->result.champion_point, "V=4 W="));
    assert_string_not_equal(k->result.champion_point, "V=4 W=64");
}

static void test_search_loop__a_flaky_leader_costs_only_itself(void **state)
{
    kit *k = *state;
    whet_run_result first;
    size_t events;

    kit_only(k, "wide");
    kit_script(k, "",
               "{\"match\": \" V=4 \", \"time_ns\": 500000},"
               "{\"match\": \" W=64 \", \"time_ns\": 600000},"
               "{\"match\": \" V=2 W=16 \", \"time_ns\": 100000, \"fail\": "
               "\"mismatch\", \"fail_from_call\": 8}");
    kit_run(k);
    assert_true(k->result.has_champion);
    assert_non_null(strstr(k->result.champion_point, "V=4"));
    assert_int_equal(k->result.refused, 1);
    assert_int_equal(kit_count(k, "demoted"), 1);
    events = kit_count(k, "");
    first = k->result;
    memset(&k->result, 0, sizeof k->result);
    kit_resume(k);
    assert_int_equal(kit_count(k, ""), events);
    assert_int_equal(k->result.refused, first.refused);
    assert_string_equal(k->result.champion.candidate.text,
                        first.champion.candidate.text);
    whet_run_result_deinit(&first);
}

static void test_search_loop__fallen_leaders_give_way(void **state)
{
    kit *k = *state;

    /* The race's two last are wrong in its longest comparison. */
    kit_only(k, "wide");
    kit_script(k, "",
               "{\"match\": \" V=4 W=16 \", \"time_ns\": 500000},"
               "{\"match\": \" V=2 \", \"time_ns\": 100000, \"fail\": "
               "\"mismatch\", \"fail_from_call\": 8}");
    kit_run(k);
    assert_true(k->result.has_champion);
    assert_string_equal(k->result.champion_point, "V=4 W=16");
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
}

static void test_search_loop__cancelled_goes_on_when_resumed(void **state)
{
    kit *k = *state;
    json_t *data;

    kit_script(k, "", hill);
    k->cancel = 1;
    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_CANCELLED);
    data = kit_last(k, "run_stopped");
    assert_string_equal(stop_of(data), "cancelled");
    json_decref(data);
    k->cancel = 0;
    kit_resume(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_string_equal(k->result.champion_point, "V=4 W=64");
    assert_int_equal(kit_count(k, "resumed"), 1);
    assert_int_equal(kit_count(k, "screened"), k->result.evaluated);
}

static void test_search_loop__an_ended_run_is_reported_as_it_is(void **state)
{
    kit *k = *state;
    whet_run_result first;
    size_t events;

    kit_script(k, "", hill);
    kit_run(k);
    events = kit_count(k, "");
    first = k->result;
    memset(&k->result, 0, sizeof k->result);
    kit_resume(k);
    assert_int_equal(kit_count(k, ""), events);
    assert_string_equal(k->result.run, first.run);
    assert_int_equal(k->result.stop, first.stop);
    assert_int_equal(k->result.evaluated, first.evaluated);
    assert_int_equal(k->result.refused, first.refused);
    assert_int_equal(k->result.infeasible, first.infeasible);
    assert_int_equal(k->result.wall_ns, first.wall_ns);
    assert_string_equal(k->result.champion.candidate.text,
                        first.champion.candidate.text);
    whet_run_result_deinit(&first);
}

static void test_search_loop__a_spent_run_is_reported_as_it_is(void **state)
{
    kit *k = *state;
    uint64_t wall_ns;
    size_t events;

    kit_script(k, "\"build_ns\": 10000000000,", "");
    k->opts.budget.wall_ns = 45 * second_ns;
    kit_run(k);
    events = kit_count(k, "");
    wall_ns = k->result.wall_ns;
    k->opts.budget.wall_ns = 0;
    kit_resume(k);
    assert_int_equal(k->result.stop, WHET_STOP_BUDGET);
    assert_int_equal(k->result.evaluated, 4);
    assert_int_equal(k->result.wall_ns, wall_ns);
    assert_int_equal(kit_count(k, ""), events);
}

static void test_search_loop__a_raised_budget_goes_on(void **state)
{
    kit *k = *state;
    size_t screened;

    kit_script(k, "", hill);
    k->opts.budget.evaluations = 2;
    kit_run(k);
    assert_int_equal(k->result.stop, WHET_STOP_BUDGET);
    screened = kit_count(k, "screened");
    assert_int_equal(screened, 2);
    k->opts.budget.evaluations = 100;
    kit_resume(k);
    assert_int_equal(k->result.stop, WHET_STOP_DONE);
    assert_string_equal(k->result.champion_point, "V=4 W=64");
    assert_int_equal(kit_count(k, "screened"), k->result.evaluated);
    assert_true(kit_count(k, "screened") > screened);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_loop__names_its_stops),
        TEST(test_search_loop__finds_the_best_point),
        TEST(test_search_loop__climbs_to_a_point_outside_the_sample),
        TEST(test_search_loop__no_gain_gives_no_champion),
        TEST(test_search_loop__no_feasible_point_is_an_end),
        TEST(test_search_loop__keeps_to_its_evaluations),
        TEST(test_search_loop__keeps_to_its_time),
        TEST(test_search_loop__stops_at_the_limit),
        TEST(test_search_loop__the_next_is_confirmed_if_one_fails),
        TEST(test_search_loop__a_flaky_leader_costs_only_itself),
        TEST(test_search_loop__fallen_leaders_give_way),
        TEST(test_search_loop__cancelled_goes_on_when_resumed),
        TEST(test_search_loop__an_ended_run_is_reported_as_it_is),
        TEST(test_search_loop__a_spent_run_is_reported_as_it_is),
        TEST(test_search_loop__a_raised_budget_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
