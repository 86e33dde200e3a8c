/* Vendors' libraries in a verdict: JSON there and back, and what is refused.
 * Timing one end to end is test_library.py's. */

#include "judge_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static whet_verdict two_libraries(void)
{
    whet_verdict v = {.library_count = 2};

    v.libraries[0] = (whet_verdict_library){.name = "cublas",
                                            .is_correct = true,
                                            .median_ns = 65000,
                                            .call_count = 30,
                                            .ratio = 1.04,
                                            .ratio_lo = 1.02,
                                            .ratio_hi = 1.06};
    v.libraries[1] =
        (whet_verdict_library){.name = "cublaslt", .text = "launch: not there"};
    return v;
}

static void test_judge_library__survives_json(void **state)
{
    whet_verdict v = two_libraries(), got = {0};
    json_t *json = json_object();
    whet_err err = {0};

    (void)state;
    assert_true(
        whet_json_set(json, "libraries", whet_judge__libraries_to_json(&v)));
    assert_int_equal(whet_judge__libraries_from_json(&got, json, &err),
                     WHET_OK);
    assert_int_equal(got.library_count, 2);
    assert_memory_equal(got.libraries, v.libraries, sizeof v.libraries);
    json_decref(json);
}

static void test_judge_library__absent_means_none(void **state)
{
    json_t *json = json_object();
    whet_verdict got = {0};

    (void)state;
    assert_int_equal(whet_judge__libraries_from_json(&got, json, NULL),
                     WHET_OK);
    assert_int_equal(got.library_count, 0);
    json_decref(json);
}

static void test_judge_library__refuses_what_is_out_of_range(void **state)
{
    static const char *const bad[] = {
        "{\"libraries\": 3}",
        "{\"libraries\": [1]}",
        "{\"libraries\": [{}]}",
        "{\"libraries\": [{\"name\": \"a\\u001bb\", \"is_correct\": false, "
        "\"text\": \"\"}]}",
        "{\"libraries\": [{\"name\": \"abcdefghijklmnopqrstuvwxyz\", "
        "\"is_correct\": false, \"text\": \"\"}]}",
        "{\"libraries\": [{\"name\": \"a\", \"is_correct\": true, "
        "\"median_ns\": 0, \"calls\": 1, \"ratio\": 1, \"lo\": 1, \"hi\": 1}]}",
        "{\"libraries\": [{\"name\": \"a\", \"is_correct\": true, "
        "\"median_ns\": 5, \"calls\": 1, \"ratio\": 1, \"lo\": 2, \"hi\": 3}]}",
        "{\"libraries\": [{}, {}, {}, {}, {}]}",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *json = json_loads(bad[i], 0, NULL);
        whet_verdict got = {0};
        whet_err err = {0};

        assert_non_null(json);
        assert_int_equal(whet_judge__libraries_from_json(&got, json, &err),
                         WHET_EINVAL);
        assert_string_not_equal(err.msg, "");
        json_decref(json);
    }
}

static void test_judge_library__prints_a_line_for_each(void **state)
{
    whet_verdict v = two_libraries();
    whet_buf text = {0};

    (void)state;
    whet_judge__libraries_print(&text, &v);
    assert_non_null(strstr(whet_buf_str(&text), "cublas "));
    assert_non_null(strstr(whet_buf_str(&text), "1.04 [1.02, 1.06]"));
    assert_non_null(strstr(whet_buf_str(&text), "no time: launch: not there"));
    whet_buf_deinit(&text);
}

/* A replay device has no libraries, and nothing is called. */
static void test_judge_library__does_nothing_without_a_library(void **state)
{
    kit_session *s = kit_open_session("{\"whet_script\": 1}");
    whet_verdict v = {.outcome = WHET_OUTCOME_CORRECT, .library_count = 7};

    (void)state;
    assert_int_equal(whet_judge_libraries(&v, s->judge, s->arms[0], NULL),
                     WHET_OK);
    assert_int_equal(v.library_count, 0);
    kit_close_session(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_library__survives_json),
        cmocka_unit_test(test_judge_library__absent_means_none),
        cmocka_unit_test(test_judge_library__refuses_what_is_out_of_range),
        cmocka_unit_test(test_judge_library__prints_a_line_for_each),
        cmocka_unit_test(test_judge_library__does_nothing_without_a_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
