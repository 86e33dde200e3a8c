/* One skill file: what is read, and one line for each thing that is wrong. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

static const char full[] =
    "---\n"
    "id: gemm_tile.2\n"
    "level: general\n"
    "applies: {ops: [gemm, gemv], dtypes: [f32, f16], features: [lds],\n"
    "          finding_codes: [bank-conflict]}\n"
    "expected_gain: {ratio: 6.5, samples: 30, device: \"a \\u00e9 CPU\",\n"
    "                date: 2026-11-30}\n"
    "refuted_by: \"small K\"\n"
    "source: measured here\n"
    "template: templates/tile.wk\n"
    "---\n"
    "\n"
    "# Tile it\n"
    "\n"
    "---\n"
    "Text after a rule.\n"
    "\n";

/* Everything that is required, to be continued. */
#define LEAST                                                                  \
    "---\nid: s\nlevel: basic\napplies: {}\nrefuted_by: x\nsource: y\n"

struct folder {
    char *path;
    char *template_path;
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    char *templates;

    assert_non_null(folder);
    assert_int_equal(whet_fs_tempdir(&folder->path, "whet-test", NULL),
                     WHET_OK);
    templates = whet_fs_join(folder->path, "templates");
    assert_int_equal(whet_fs_mkdirs(templates, NULL), WHET_OK);
    folder->template_path = whet_fs_join(templates, "tile.wk");
    assert_int_equal(whet_fs_write(folder->template_path, "kernel", 6, NULL),
                     WHET_OK);
    free(templates);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;

    whet_fs_remove_tree(folder->path);
    free(folder->template_path);
    free(folder->path);
    free(folder);
    return 0;
}

static whet_status parse(whet_skill *out, const char *text, void **state,
                         whet_err *err)
{
    const struct folder *folder = *state;

    return whet_skill_parse(out, text, strlen(text), "s.md", folder->path, err);
}

/* Refused as malformed, with this in the message. */
static void assert_refused(void **state, const char *text, const char *part)
{
    whet_skill skill;
    whet_err err = {0};

    assert_int_equal(parse(&skill, text, state, &err), WHET_EINVAL);
    assert_string_not_equal(err.msg, "");
    if (strstr(err.msg, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err.msg, part);
    assert_null(skill.text);
    assert_null(skill.template_path);
}

static void test_agent_skill__reads_every_field(void **state)
{
    const struct folder *folder = *state;
    whet_skill skill;
    whet_err err = {0};

    if (parse(&skill, full, state, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(skill.id, "gemm_tile.2");
    assert_int_equal(skill.level, WHET_SKILL_GENERAL);
    assert_int_equal(skill.op_count, 2);
    assert_string_equal(skill.ops[1], "gemv");
    assert_int_equal(skill.dtype_count, 2);
    assert_string_equal(skill.dtypes[0], "f32");
    assert_int_equal(skill.feature_count, 1);
    assert_string_equal(skill.features[0], "lds");
    assert_int_equal(skill.finding_code_count, 1);
    assert_string_equal(skill.finding_codes[0], "bank-conflict");
    assert_true(skill.gain_ratio == 6.5);
    assert_int_equal(skill.gain_samples, 30);
    assert_string_equal(skill.gain_device, "a \u00e9 CPU");
    assert_string_equal(skill.gain_date, "2026-11-30");
    assert_string_equal(skill.refuted_by, "small K");
    assert_string_equal(skill.source, "measured here");
    assert_string_equal(skill.template_path, folder->template_path);
    assert_string_equal(skill.text, "# Tile it\n\n---\nText after a rule.");
    whet_skill_deinit(&skill);
    assert_null(skill.text);
}

static void test_agent_skill__needs_little(void **state)
{
    whet_skill skill;
    whet_err err = {0};

    if (parse(&skill, LEAST "---\r\nDo it.", state, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(skill.op_count, 0);
    assert_true(skill.gain_ratio == 0);
    assert_int_equal(skill.gain_samples, 0);
    assert_null(skill.template_path);
    assert_string_equal(skill.text, "Do it.");
    whet_skill_deinit(&skill);
}

static void test_agent_skill__hash_covers_file_and_template(void **state)
{
    const struct folder *folder = *state;
    whet_skill first, again, text, template;
    char *changed = whet_strdup(full);

    assert_non_null(changed);
    assert_int_equal(parse(&first, full, state, NULL), WHET_OK);
    assert_int_equal(parse(&again, full, state, NULL), WHET_OK);
    changed[strlen(changed) - 3] = '!';
    assert_int_equal(parse(&text, changed, state, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(folder->template_path, "Kernel", 6, NULL),
                     WHET_OK);
    assert_int_equal(parse(&template, full, state, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(folder->template_path, "kernel", 6, NULL),
                     WHET_OK);
    assert_string_equal(first.hash.text, again.hash.text);
    assert_string_not_equal(first.hash.text, text.hash.text);
    assert_string_not_equal(first.hash.text, template.hash.text);
    whet_skill_deinit(&first);
    whet_skill_deinit(&again);
    whet_skill_deinit(&text);
    whet_skill_deinit(&template);
    free(changed);
}

static void test_agent_skill__refuses_without_front_matter(void **state)
{
    assert_refused(state, "", "s.md:1:1: no front matter");
    assert_refused(state, "# Title\n", "s.md:1:1: no front matter");
    assert_refused(state, "----\nid: s\n---\n", "s.md:1:1: no front matter");
    assert_refused(state, "---\nid: s\n", "without end");
    assert_refused(state, "---\n---\ntext", "empty front matter");
    assert_refused(state, LEAST "---\n \n\t\n", "no text after");
}

static void test_agent_skill__refuses_binary_and_huge(void **state)
{
    size_t bytes = 300 << 10;
    char *huge = malloc(bytes);
    whet_skill skill;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_skill_parse(&skill, "---\n\0", 5, "s.md", ".", &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "NUL"));
    assert_non_null(huge);
    memset(huge, '-', bytes);
    assert_int_equal(whet_skill_parse(&skill, huge, bytes, "s.md", ".", &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "307200 bytes"));
    free(huge);
}

static void test_agent_skill__tells_place_and_key(void **state)
{
    assert_refused(state, "---\nid: s\n---\nx", "missing");
    assert_refused(state, LEAST "sorce: y\n---\nx", "s.md:7:1");
    assert_refused(state, LEAST "sorce: y\n---\nx", "did you mean 'source'");
    assert_refused(state, LEAST "id: t\n---\nx", "s.md:7:");
    assert_refused(state, LEAST "template: [a]\n---\nx", "s.md:7:");
    assert_refused(state, LEAST "template: *a\n---\nx", "s.md:7:");
}

static void test_agent_skill__refuses_bad_names(void **state)
{
    char text[512];
    static const char *const bad[] = {
        "\"\"",
        "Gemm",
        "-a",
        "../x",
        "\"a b\"",
        "\"a\\x1b\"",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text,
                 "---\nid: %s\nlevel: basic\napplies: {}\nrefuted_by: x\n"
                 "source: y\n---\nx",
                 bad[i]);
        assert_refused(state, text, "is not a name");
    }
    assert_refused(state,
                   "---\nid: s\nlevel: genral\napplies: {}\nrefuted_by: x\n"
                   "source: y\n---\nx",
                   "did you mean 'general'");
    assert_refused(state,
                   "---\nid: s\nlevel: 3\napplies: {}\nrefuted_by: x\n"
                   "source: y\n---\nx",
                   "expected basic, general or advanced");
}

static void test_agent_skill__refuses_bad_lists(void **state)
{
    static const char head[] = "---\nid: s\nlevel: basic\nrefuted_by: x\n"
                               "source: y\napplies: ";
    static const struct {
        const char *applies, *part;
    } cases[] = {
        {"{ops: gemm}", "s.md:6:"},
        {"{ops: [[a]]}", "expected a name"},
        {"{dtypes: [f33]}", "did you mean 'f32'"},
        {"{devices: [a]}", "unknown key 'devices'"},
        {"{ops: [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]}", "17 names"},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s\n---\nx", head, cases[i].applies);
        assert_refused(state, text, cases[i].part);
    }
}

static void test_agent_skill__refuses_gains_that_say_nothing(void **state)
{
    static const struct {
        const char *gain, *part;
    } cases[] = {
        {"{ratio: 2}", "missing"},
        {"{ratio: 2, samples: 3}", "missing"},
        {"{ratio: 2, samples: 0, device: d}", "s.md:7:"},
        {"{ratio: 0, samples: 3, device: d}", "ratio 0"},
        {"{ratio: -1, samples: 3, device: d}", "ratio -1"},
        {"{ratio: 1e9, samples: 3, device: d}", "ratio 1e+09"},
        {"{ratio: .nan, samples: 3, device: d}", "s.md:7:"},
        {"{ratio: 2, samples: 3, device: d, date: today}", "YYYY-MM-DD"},
        {"{ratio: 2, samples: 3, device: d, date: 2026-1-130}", "YYYY-MM-DD"},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, LEAST "expected_gain: %s\n---\nx",
                 cases[i].gain);
        assert_refused(state, text, cases[i].part);
    }
}

static void test_agent_skill__refuses_overlong_text(void **state)
{
    char text[600], long_text[257];

    memset(long_text, 'a', 256);
    long_text[256] = '\0';
    snprintf(text, sizeof text,
             "---\nid: s\nlevel: basic\napplies: {}\nrefuted_by: %s\n"
             "source: y\n---\nx",
             long_text);
    assert_refused(state, text, "256 bytes, expected at most 255");
}

static void test_agent_skill__keeps_templates_inside(void **state)
{
    static const char *const outside[] = {
        "/etc/passwd",  "../tile.wk", "templates/../../tile.wk",
        "templates/..", "a//b",       "templates/"};
    char text[512];

    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        snprintf(text, sizeof text, LEAST "template: %s\n---\nx", outside[i]);
        assert_refused(state, text, "expected a path below");
    }
    assert_refused(state, LEAST "template: none.wk\n---\nx",
                   "s.md:7:11: template: ");
    assert_refused(state, LEAST "template: templates\n---\nx",
                   "s.md:7:11: template: ");
}

static void test_agent_skill__names_levels(void **state)
{
    (void)state;
    assert_string_equal(whet_skill_level_name(WHET_SKILL_BASIC), "basic");
    assert_string_equal(whet_skill_level_name(WHET_SKILL_ADVANCED), "advanced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agent_skill__reads_every_field),
        cmocka_unit_test(test_agent_skill__needs_little),
        cmocka_unit_test(test_agent_skill__hash_covers_file_and_template),
        cmocka_unit_test(test_agent_skill__refuses_without_front_matter),
        cmocka_unit_test(test_agent_skill__refuses_binary_and_huge),
        cmocka_unit_test(test_agent_skill__tells_place_and_key),
        cmocka_unit_test(test_agent_skill__refuses_bad_names),
        cmocka_unit_test(test_agent_skill__refuses_bad_lists),
        cmocka_unit_test(test_agent_skill__refuses_gains_that_say_nothing),
        cmocka_unit_test(test_agent_skill__refuses_overlong_text),
        cmocka_unit_test(test_agent_skill__keeps_templates_inside),
        cmocka_unit_test(test_agent_skill__names_levels),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
