/* Points: enumeration, text, macros, hash. */

#include "fixture.h"

#define LAUNCH                                                                 \
    "launches: [{kernel: k, grid: [1], block: [1], args: [x, w, y]}]\n"

static const char plan_text[] =
    LAUNCH "tunables: {BLOCK: [64, 128, 256], VEC: [4, 1], S: [-2]}\n";

static void test_candidate_point__enumerates_last_tunable_fastest(void **state)
{
    static const int64_t want[][3] = {{64, 4, -2},  {64, 1, -2},  {128, 4, -2},
                                      {128, 1, -2}, {256, 4, -2}, {256, 1, -2}};
    whet_candidate *candidate = fixture_parse(*state, plan_text);

    assert_int_equal(whet_candidate_point_count(candidate), 6);
    for (size_t i = 0; i < 6; i++) {
        whet_point point = whet_candidate_point_at(candidate, i);

        for (size_t j = 0; j < 3; j++)
            assert_int_equal(point.value[j], want[i][j]);
    }
    {
        whet_point first = whet_candidate_default_point(candidate);
        whet_point zeroth = whet_candidate_point_at(candidate, 0);

        assert_memory_equal(&first, &zeroth, sizeof first);
    }
    whet_candidate_free(candidate);
}

static void test_candidate_point__count_saturates(void **state)
{
    whet_buf text = {0};
    whet_candidate *candidate;

    whet_buf_puts(&text, LAUNCH "tunables:\n");
    for (int i = 0; i < 16; i++) {
        whet_buf_printf(&text, "  T%d: [0", i);
        for (int j = 1; j < 32; j++)
            whet_buf_printf(&text, ", %d", j);
        whet_buf_puts(&text, "]\n");
    }
    candidate = fixture_parse(*state, whet_buf_str(&text));
    assert_true(whet_candidate_point_count(candidate) == UINT64_MAX);
    whet_candidate_free(candidate);
    whet_buf_deinit(&text);
}

static void test_candidate_point__text_goes_there_and_back(void **state)
{
    whet_candidate *candidate = fixture_parse(*state, plan_text);
    whet_point point;
    char text[256], cut[8];
    whet_err err = {0};

    assert_int_equal(
        whet_point_parse(&point, candidate, "VEC=1,BLOCK=256", &err), WHET_OK);
    whet_point_format(text, sizeof text, candidate, &point);
    assert_string_equal(text, "BLOCK=256 VEC=1 S=-2");
    assert_int_equal(whet_point_parse(&point, candidate, text, &err), WHET_OK);
    assert_int_equal(point.value[0], 256);
    assert_int_equal(point.value[1], 1);
    assert_int_equal(whet_point_parse(&point, candidate, "", &err), WHET_OK);
    assert_int_equal(point.value[0], 64);
    assert_int_equal(whet_point_parse(&point, candidate, "-", &err), WHET_OK);
    whet_point_format(cut, sizeof cut, candidate, &point);
    assert_string_equal(cut, "BLOCK=6");
    whet_point_format(cut, 0, candidate, &point);
    whet_candidate_free(candidate);
    candidate = fixture_parse(*state, LAUNCH);
    point = whet_candidate_default_point(candidate);
    whet_point_format(text, sizeof text, candidate, &point);
    assert_string_equal(text, "-");
    assert_int_equal(whet_candidate_point_count(candidate), 1);
    whet_candidate_free(candidate);
}

static void test_candidate_point__refuses_bad_text(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"BLOCK=100", "BLOCK=100 is not in its domain, expected one of 64 128 "
                      "256"},
        {"BLOK=64", "unknown tunable 'BLOK', did you mean 'BLOCK'?"},
        {"unroll=64", "unknown tunable 'unroll', expected one like BLOCK"},
        {"BLOCK", "'BLOCK', expected NAME=VALUE"},
        {"BLOCK=", "'BLOCK=', expected NAME=VALUE"},
        {"=64", "'=64', expected NAME=VALUE"},
        {"BLOCK=64x", "'64x' is no value for BLOCK, expected an integer"},
        {"BLOCK=+64", "'+64' is no value for BLOCK, expected an integer"},
        {"BLOCK=99999999999999999999",
         "'99999999999999999999' is no value for BLOCK, expected an integer"},
        {"BLOCK=64,BLOCK=128", "BLOCK is given twice, expected it once"},
    };
    whet_candidate *candidate = fixture_parse(*state, plan_text);
    whet_point point, zero = {{0}};
    whet_err err = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&point, 1, sizeof point);
        assert_int_equal(
            whet_point_parse(&point, candidate, rows[i].text, &err),
            WHET_EINVAL);
        assert_string_equal(err.msg, rows[i].message);
        assert_memory_equal(&point, &zero, sizeof point);
    }
    whet_candidate_free(candidate);
    candidate = fixture_parse(*state, LAUNCH);
    assert_int_equal(whet_point_parse(&point, candidate, "A=1", &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, "unknown tunable 'A', the candidate has none");
    whet_candidate_free(candidate);
}

static void test_candidate_point__defines_every_tunable(void **state)
{
    whet_candidate *candidate = fixture_parse(*state, plan_text);
    whet_point point = whet_candidate_default_point(candidate);
    char out[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32];

    assert_int_equal(whet_candidate_defines(out, candidate, &point), 3);
    assert_string_equal(out[0], "-DBLOCK=64");
    assert_string_equal(out[1], "-DVEC=4");
    assert_string_equal(out[2], "-DS=-2");
    whet_candidate_free(candidate);
}

static void test_candidate_point__hash_covers_all_that_decides(void **state)
{
    fixture *f = *state;
    whet_candidate *a = fixture_parse(f, plan_text);
    whet_candidate *b = fixture_parse(f, plan_text);
    whet_candidate *c = fixture_parse(f, LAUNCH "tunables: {BLOCK: [64]}\n");
    whet_candidate *d = NULL;
    whet_point point = whet_candidate_default_point(a);
    whet_hash hash = whet_candidate_hash(a, &point), other;

    assert_int_equal(strlen(hash.text), 64);
    other = whet_candidate_hash(b, &point);
    assert_string_equal(hash.text, other.text);
    /* What lies beyond the tunables is no part of a point. */
    point.value[5] = 1;
    other = whet_candidate_hash(a, &point);
    assert_string_equal(hash.text, other.text);
    point.value[1] = 1;
    other = whet_candidate_hash(a, &point);
    assert_string_not_equal(hash.text, other.text);
    point = whet_candidate_default_point(c);
    other = whet_candidate_hash(c, &point);
    assert_string_not_equal(hash.text, other.text);
    assert_int_equal(whet_candidate_parse(&d, a->source, a->source_bytes, "k",
                                          "portable", &f->task, NULL),
                     WHET_OK);
    point = whet_candidate_default_point(d);
    other = whet_candidate_hash(d, &point);
    assert_string_not_equal(hash.text, other.text);
    whet_candidate_free(a);
    whet_candidate_free(b);
    whet_candidate_free(c);
    whet_candidate_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_candidate_point__enumerates_last_tunable_fastest),
        FIXTURE_TEST(test_candidate_point__count_saturates),
        FIXTURE_TEST(test_candidate_point__text_goes_there_and_back),
        FIXTURE_TEST(test_candidate_point__refuses_bad_text),
        FIXTURE_TEST(test_candidate_point__defines_every_tunable),
        FIXTURE_TEST(test_candidate_point__hash_covers_all_that_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
