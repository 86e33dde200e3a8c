/* Which points the search tries. */

#include "search_kit.h"

enum { MAX = 64 };

static size_t sample(int *out, whet_run *run, size_t max)
{
    whet_err err = {0};
    size_t count = 0;

    assert_int_equal(whet_search__sample(out, &count, max, run, &err), WHET_OK);
    return count;
}

static void expect_point(const whet_run *run, int trial, const char *text)
{
    char *point = kit_point(run, trial);

    assert_string_equal(point, text);
    free(point);
}

static void test_search_tune__samples_every_feasible_point_once(void **state)
{
    kit *k = *state;
    whet_run *run = kit_begin(k);
    int list[MAX];
    size_t i, j, count = sample(list, run, MAX);

    assert_int_equal(count, KIT_WIDE_POINTS + KIT_FLAT_POINTS);
    assert_int_equal(k->result.infeasible, 2);
    for (i = 0; i < count; i++)
        for (j = 0; j < i; j++)
            assert_string_not_equal(run->trials[list[i]].hash.text,
                                    run->trials[list[j]].hash.text);
    for (i = 0; i < count; i++)
        assert_string_equal(run->trials[list[i]].parent, "");
    kit_end(run);
}

static void test_search_tune__deals_in_turn_with_defaults_first(void **state)
{
    whet_run *run = kit_begin(*state);
    int list[MAX];
    size_t count = sample(list, run, MAX);

    assert_true(count > 6);
    assert_int_equal(run->source_count, 2);
    assert_string_equal(run->sources[0].skill, "flat");
    /* Its default, U=1, is not feasible: the next one leads. */
    expect_point(run, list[0], "U=2");
    expect_point(run, list[1], "V=1 W=16");
    expect_point(run, list[2], "U=3");
    /* flat has no more. */
    assert_int_equal(run->trials[list[3]].source, 1);
    assert_int_equal(run->trials[list[4]].source, 1);
    kit_end(run);
}

static void test_search_tune__a_seed_decides_the_order_alone(void **state)
{
    kit *k = *state;
    char *order[3][MAX];
    size_t s, i, j, count = 0, same = 0;

    kit_only(k, "wide");
    for (s = 0; s < 3; s++) {
        int list[MAX];
        whet_run *run;

        k->opts.seed = s == 2 ? 2 : 1;
        run = kit_begin(k);
        count = sample(list, run, MAX);
        assert_int_equal(count, KIT_WIDE_POINTS);
        for (i = 0; i < count; i++)
            order[s][i] = kit_point(run, list[i]);
        kit_end(run);
    }
    for (i = 0; i < count; i++) {
        bool found = false;

        assert_string_equal(order[0][i], order[1][i]);
        same += strcmp(order[0][i], order[2][i]) == 0;
        for (j = 0; j < count; j++)
            found = found || strcmp(order[0][i], order[2][j]) == 0;
        assert_true(found);
    }
    assert_string_equal(order[2][0], "V=1 W=16");
    assert_true(same < count);
    for (s = 0; s < 3; s++)
        for (i = 0; i < count; i++)
            free(order[s][i]);
}

static void test_search_tune__a_smaller_sample_is_a_beginning(void **state)
{
    kit *k = *state;
    char *start[5];
    int list[MAX];
    whet_run *run = kit_begin(k);
    size_t i, count = sample(list, run, 5);

    assert_int_equal(count, 5);
    for (i = 0; i < count; i++)
        start[i] = kit_point(run, list[i]);
    kit_end(run);
    run = kit_begin(k);
    sample(list, run, MAX);
    for (i = 0; i < count; i++) {
        expect_point(run, list[i], start[i]);
        free(start[i]);
    }
    kit_end(run);
}

static void test_search_tune__limits_of_the_device_exclude_points(void **state)
{
    kit *k = *state;
    whet_run *run;
    int list[MAX];

    kit_script(k,
               "\"limits\": {\"wave_size\": 32, \"cu_count\": 1, "
               "\"lds_bytes\": 1024, \"group_items_max\": 32, \"block_max\": "
               "[32, 32, 32], \"grid_max\": [1000, 1000, 1000], "
               "\"memory_bytes\": 1000000000},",
               "");
    /* The baseline fits; the templates' groups of 64 do not. */
    kit_write(k, "twice/base.cl",
              "/* whet:\nlaunches:\n  - {kernel: k, grid: [\"ceil_div(n, "
              "32)\"], block: [32], args: [x, y, n]}\n*/\nint k;\n");
    run = kit_begin(k);
    assert_int_equal(sample(list, run, MAX), 0);
    assert_int_equal(k->result.infeasible, 16 + 3);
    kit_end(run);
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
    return -1;
}

static void test_search_tune__neighbours_differ_by_one_step(void **state)
{
    kit *k = *state;
    whet_run *run;
    int list[MAX];
    size_t count = 0;

    kit_only(k, "wide");
    run = kit_begin(k);
    assert_int_equal(sample(list, run, 1), 1);
    assert_int_equal(
        whet_search__neighbours(list, &count, MAX, run, 0, &k->err), WHET_OK);
    assert_int_equal(count, 2);
    expect_point(run, list[0], "V=2 W=16");
    expect_point(run, list[1], "V=1 W=32");
    assert_string_equal(run->trials[list[0]].parent, run->trials[0].hash.text);
    /* From V=2 W=16: V=1 W=16 is tried, V=2 W=8 is none. */
    assert_int_equal(
        whet_search__neighbours(list, &count, MAX, run, list[0], &k->err),
        WHET_OK);
    assert_int_equal(count, 2);
    expect_point(run, list[0], "V=4 W=16");
    expect_point(run, list[1], "V=2 W=32");
    kit_end(run);
}

static void test_search_tune__neighbours_are_feasible_and_new(void **state)
{
    kit *k = *state;
    whet_run *run;
    int list[MAX], corner;
    size_t count = 7;

    kit_only(k, "wide");
    run = kit_begin(k);
    sample(list, run, MAX);
    corner = find(run, "V=4 W=128");
    assert_true(corner >= 0);
    assert_int_equal(find(run, "V=8 W=128"), -1);
    assert_int_equal(
        whet_search__neighbours(list, &count, MAX, run, corner, &k->err),
        WHET_OK);
    assert_int_equal(count, 0);
    kit_end(run);
}

static void test_search_tune__neighbours_stop_at_the_most(void **state)
{
    kit *k = *state;
    whet_run *run;
    int list[MAX];
    size_t count = 7;

    kit_only(k, "wide");
    run = kit_begin(k);
    sample(list, run, 1);
    assert_int_equal(whet_search__neighbours(list, &count, 1, run, 0, &k->err),
                     WHET_OK);
    assert_int_equal(count, 1);
    kit_end(run);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_tune__samples_every_feasible_point_once),
        TEST(test_search_tune__deals_in_turn_with_defaults_first),
        TEST(test_search_tune__a_seed_decides_the_order_alone),
        TEST(test_search_tune__a_smaller_sample_is_a_beginning),
        TEST(test_search_tune__limits_of_the_device_exclude_points),
        TEST(test_search_tune__neighbours_differ_by_one_step),
        TEST(test_search_tune__neighbours_are_feasible_and_new),
        TEST(test_search_tune__neighbours_stop_at_the_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
