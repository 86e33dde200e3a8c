/* Names: what may be one, what each means, and the order of the lets. */

#include "fixture.h"

#include "candidate/candidate_priv.h"

static const char plan_text[] =
    "launches: [{kernel: k, grid: [1], block: [1], args: [x, w, p, y]}]\n"
    "tunables: {VEC: [4]}\n"
    "let: {a: b + c, b: c * total, c: d, d: cols}\n"
    "workspace: {p: {dtype: f32, shape: [1]}}\n";

static void test_candidate_scope__resolves_every_kind(void **state)
{
    static const struct {
        const char *name;
        plan_name_kind kind;
        unsigned index;
    } rows[] = {
        {"cols", PLAN_NAME_DIM, 1},      {"shift", PLAN_NAME_SCALAR, 1},
        {"y", PLAN_NAME_TENSOR, 2},      {"p", PLAN_NAME_WORKSPACE, 0},
        {"VEC", PLAN_NAME_TUNABLE, 0},   {"c", PLAN_NAME_LET, 2},
        {"cu_count", PLAN_NAME_FACT, 2}, {"shared", PLAN_NAME_WORD, 0},
        {"ceil_div", PLAN_NAME_WORD, 0}, {"or", PLAN_NAME_WORD, 0},
        {"nothing", PLAN_NAME_NONE, 0},  {"", PLAN_NAME_NONE, 0},
    };
    fixture *f = *state;
    whet_candidate *candidate = fixture_parse(f, plan_text);
    const plan_scope scope = {candidate, &f->task};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned index = 77;

        assert_int_equal(whet_candidate__resolve(&index, &scope, rows[i].name),
                         rows[i].kind);
        assert_int_equal(index, rows[i].index);
    }
    whet_candidate_free(candidate);
}

static void test_candidate_scope__refuses_names_that_clash(void **state)
{
    static const struct {
        const char *name, *message;
    } rows[] = {
        {"2a", "'2a' cannot be a name, expected an identifier of at most 63 "
               "bytes"},
        {"", "'' cannot be a name, expected an identifier of at most 63 bytes"},
        {"a=1 -DX", "'a=1 -DX' cannot be a name, expected an identifier of at "
                    "most 63 bytes"},
        {"__x", "name '__x' is reserved, expected one that does not start with "
                "'__', 'WHET_' or 'whet_'"},
        {"WHET_X", "name 'WHET_X' is reserved, expected one that does not "
                   "start with '__', 'WHET_' or 'whet_'"},
        {"whet_group_id", "name 'whet_group_id' is reserved, expected one that "
                          "does not start with '__', 'WHET_' or 'whet_'"},
        {"cols", "name 'cols' is already a dim of the task, expected another "
                 "name"},
        {"y", "name 'y' is already a tensor of the task, expected another "
              "name"},
        {"eps", "name 'eps' is already a scalar of the task, expected another "
                "name"},
        {"VEC", "name 'VEC' is already a tunable, expected another name"},
        {"a", "name 'a' is already a let, expected another name"},
        {"p", "name 'p' is already a workspace, expected another name"},
        {"wave_size", "name 'wave_size' is already a device fact, expected "
                      "another name"},
        {"shared", "name 'shared' is already a reserved word, expected another "
                   "name"},
        {"not", "name 'not' is already a reserved word, expected another "
                "name"},
        {"min", "name 'min' is already a reserved word, expected another "
                "name"},
    };
    fixture *f = *state;
    whet_candidate *candidate = fixture_parse(f, plan_text);
    const plan_scope scope = {candidate, &f->task};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_err err = {0};

        assert_int_equal(
            whet_candidate__check_new_name(&scope, rows[i].name, &err),
            WHET_EINVAL);
        assert_string_equal(err.msg, rows[i].message);
    }
    assert_int_equal(whet_candidate__check_new_name(&scope, "BLOCK", NULL),
                     WHET_OK);
    assert_int_equal(whet_candidate__check_new_name(&scope, "_x", NULL),
                     WHET_OK);
    whet_candidate_free(candidate);
}

static void test_candidate_scope__orders_lets_by_need(void **state)
{
    whet_candidate *candidate = fixture_parse(*state, plan_text);
    static const unsigned order[] = {3, 2, 1, 0}; /* d, c, b, a */
    static const bool is_i64[] = {true, true, false, false};

    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(candidate->plan->let_order[i], order[i]);
        assert_int_equal(candidate->plan->lets[i].is_i64, is_i64[i]);
    }
    whet_candidate_free(candidate);
}

static void test_candidate_scope__suggests_names_of_every_kind(void **state)
{
    static const char *const pairs[][2] = {
        {"VEX", "VEC"}, {"wave_sise", "wave_size"}, {"colls", "cols"}};
    fixture *f = *state;
    whet_candidate *candidate = fixture_parse(f, plan_text);
    const plan_scope scope = {candidate, &f->task};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char want[128];
        whet_err err = {0};

        snprintf(want, sizeof want, "unknown name '%s', did you mean '%s'?",
                 pairs[i][0], pairs[i][1]);
        assert_int_equal(
            whet_candidate__unknown_name(&scope, pairs[i][0], &err),
            WHET_EINVAL);
        assert_string_equal(err.msg, want);
    }
    whet_candidate_free(candidate);
}

static void test_candidate_scope__reads_facts_in_order(void **state)
{
    const whet_limits limits = {
        .wave_size = 64, .cu_count = 120, .lds_bytes = 65536};

    (void)state;
    assert_string_equal(whet_candidate__fact_name(0), "wave_size");
    assert_int_equal(whet_candidate__fact(&limits, 0), 64);
    assert_string_equal(whet_candidate__fact_name(1), "lds_bytes");
    assert_int_equal(whet_candidate__fact(&limits, 1), 65536);
    assert_string_equal(whet_candidate__fact_name(2), "cu_count");
    assert_int_equal(whet_candidate__fact(&limits, 2), 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_candidate_scope__resolves_every_kind),
        FIXTURE_TEST(test_candidate_scope__refuses_names_that_clash),
        FIXTURE_TEST(test_candidate_scope__orders_lets_by_need),
        FIXTURE_TEST(test_candidate_scope__suggests_names_of_every_kind),
        FIXTURE_TEST(test_candidate_scope__reads_facts_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
