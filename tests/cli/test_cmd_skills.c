/* `whet skills`. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

#define SKILL(id, rest)                                                        \
    "---\nid: " id "\nlevel: basic\nrefuted_by: \"small\\u001bK\"\n"           \
    "source: here\n" rest "---\n# Title\n\nDo\x1b it.\n"

static const char gain[] =
    "expected_gain: {ratio: 2.5, samples: 7, device: A CPU}\n";

static int open_with_skills(void **state)
{
    char *text;

    if (cli_kit_open(state) != 0)
        return -1;
    text = whet_asprintf(SKILL("one", "applies: {ops: [gemm]}\n%s"), gain);
    cli_kit_write(*state, "some/one.md", text);
    cli_kit_write(*state, "some/two.md", SKILL("two", "applies: {}\n"));
    cli_kit_write(*state, "bad/one.md", "---\nid: one\n---\nx");
    cli_kit_write(*state, "none/readme.txt", "x");
    free(text);
    return 0;
}

static void test_cli_cmd_skills__lists_what_each_is_based_on(void **state)
{
    cli_kit_expect(*state, WORDS("skills", "--dir", "some"), 0,
                   "one    basic  gemm; any dtype    2.5x        7  A CPU",
                   NULL);
    cli_kit_expect(*state, WORDS("skills", "--dir", "some"), 0,
                   "two    basic  any op; any dtype   n/a        0  -", NULL);
    cli_kit_expect(*state, WORDS("skills", "--dir", "none"), 0, "no skill\n",
                   NULL);
}

static void test_cli_cmd_skills__keeps_those_of_a_task(void **state)
{
    json_t *json = cli_kit_json(
        *state, WORDS("skills", "--dir", "some", "--task", "softmax", "--json"),
        0);
    json_t *list = json_object_get(json, "skills");
    json_t *only = json_array_get(list, 0);

    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(only, "id")), "two");
    assert_true(json_is_null(json_object_get(only, "expected_gain")));
    json_decref(json);
}

static void test_cli_cmd_skills__shows_one_escaped(void **state)
{
    json_t *json, *expected;

    cli_kit_expect(*state, WORDS("skills", "show", "one", "--dir", "some"), 0,
                   "Refuted by    small\\x1bK\n", NULL);
    cli_kit_expect(*state, WORDS("skills", "show", "one", "--dir", "some"), 0,
                   "# Title\n\nDo\\x1b it.\n", NULL);
    json = cli_kit_json(
        *state, WORDS("skills", "show", "one", "--dir=some", "--json"), 0);
    expected = json_object_get(json, "expected_gain");
    assert_true(json_real_value(json_object_get(expected, "ratio")) == 2.5);
    assert_non_null(json_object_get(json, "text"));
    json_decref(json);
}

static void test_cli_cmd_skills__explains_what_is_wrong(void **state)
{
    cli_kit_expect(*state, WORDS("skills", "show", "on", "--dir", "some"), 2,
                   NULL, "did you mean 'one'");
    cli_kit_expect(*state, WORDS("skills", "show", "quite", "--dir", "some"), 2,
                   NULL, "no skill 'quite'");
    cli_kit_expect(*state, WORDS("skills", "--dir", "bad"), 2, NULL,
                   "bad/one.md:");
    cli_kit_expect(*state, WORDS("skills", "--dir", "absent"), 2, NULL,
                   "absent");
    cli_kit_expect(*state, WORDS("skills", "--task", "gem"), 2, NULL,
                   "did you mean 'gemm'");
}

static void test_cli_cmd_skills__lists_the_shipped_ones(void **state)
{
    cli_kit_expect(*state, WORDS("skills"), 0, "template\n", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_skills__lists_what_each_is_based_on),
        cmocka_unit_test(test_cli_cmd_skills__keeps_those_of_a_task),
        cmocka_unit_test(test_cli_cmd_skills__shows_one_escaped),
        cmocka_unit_test(test_cli_cmd_skills__explains_what_is_wrong),
        cmocka_unit_test(test_cli_cmd_skills__lists_the_shipped_ones),
    };

    return cmocka_run_group_tests(tests, open_with_skills, cli_kit_close);
}
