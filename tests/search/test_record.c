/* What a run leaves in its ledger, and what a resumed one takes from it. */

#include "search_kit.h"

#include <sys/stat.h>

static void expect_no_start(kit *k, whet_status expected, const char *words)
{
    struct stat info;

    assert_int_equal(whet_search_run(&k->result, &k->opts, &k->err), expected);
    kit_expect_message(k, words);
    assert_int_not_equal(stat(k->ledger, &info), 0);
    assert_int_equal(k->result.run[0], '\0');
    assert_false(k->result.has_champion);
}

static void expect_no_resume(kit *k, whet_status expected, const char *words)
{
    whet_run_opts opts = {.ledger = k->ledger};

    assert_int_equal(whet_search_resume(&k->result, &opts, &k->err), expected);
    kit_expect_message(k, words);
}

static void test_search_record__a_start_says_all_that_defines_it(void **state)
{
    static const char *const files[] = {"task.yaml", "reference.c", "base.cl"};
    kit *k = *state;
    json_t *data, *sources;
    size_t i;

    k->opts.seed = 42;
    k->opts.budget = (whet_budget){7, 123456789012u};
    k->opts.workload = "big";
    kit_run(k);
    data = kit_last(k, "run_started");
    assert_string_equal(json_string_value(json_object_get(data, "task")),
                        "twice");
    assert_string_equal(json_string_value(json_object_get(data, "workload")),
                        "n=65536");
    assert_int_equal(json_integer_value(json_object_get(data, "seed")), 42);
    assert_int_equal(json_integer_value(json_object_get(data, "evaluations")),
                     7);
    assert_int_equal(json_integer_value(json_object_get(data, "wall_ns")),
                     123456789012);
    for (i = 0; i < 3; i++)
        assert_true(json_is_string(
            json_object_get(json_object_get(data, "task_files"), files[i])));
    sources = json_object_get(data, "sources");
    assert_int_equal(json_array_size(sources), 2);
    assert_int_equal(json_array_size(json_object_get(data, "baseline")), 1);
    json_decref(data);
}

static void test_search_record__resume_needs_only_the_ledger(void **state)
{
    kit *k = *state;
    whet_hash champion;
    size_t screened;

    kit_script(k, "", "{\"match\": \"V=4\", \"time_ns\": 500000}");
    k->cancel = 1;
    kit_run(k);
    k->cancel = 0;
    whet_fs_remove_tree(k->task);
    whet_fs_remove_tree(k->skills);
    kit_resume(k);
    assert_true(k->result.has_champion);
    champion = k->result.champion.candidate;
    screened = kit_count(k, "screened");
    assert_int_equal(screened, KIT_WIDE_POINTS + KIT_FLAT_POINTS);
    kit_resume(k);
    assert_string_equal(k->result.champion.candidate.text, champion.text);
    assert_int_equal(kit_count(k, "screened"), screened);
}

static void test_search_record__runs_of_one_ledger_are_apart(void **state)
{
    kit *k = *state;
    char first[64];
    size_t screened;

    kit_run(k);
    (void)whet_strcopy(first, sizeof first, k->result.run);
    screened = kit_count(k, "screened");
    /* The same seed, the same scripted clock. */
    kit_run(k);
    assert_string_not_equal(k->result.run, first);
    assert_int_equal(kit_count(k, "screened"), 2 * screened);
    assert_int_equal(kit_count(k, "run_started"), 2);
    /* The newest one is resumed. */
    kit_resume(k);
    assert_string_not_equal(k->result.run, first);
    assert_int_equal(kit_count(k, "screened"), 2 * screened);
}

static void test_search_record__nothing_is_left_of_no_start(void **state)
{
    kit *k = *state;

    k->opts.task = "no-such-task";
    expect_no_start(k, WHET_ENOTFOUND, "no-such-task");
    k->opts.task = k->task;
    k->opts.workload = "huge";
    expect_no_start(k, WHET_EINVAL, "huge");
    k->opts.workload = NULL;
    k->opts.device = "nul:";
    expect_no_start(k, WHET_EINVAL, "null");
    k->opts.device = "null:\xff";
    expect_no_start(k, WHET_EINVAL, "UTF-8");
    k->opts.device = k->device;
    k->opts.baseline = "absent.cl";
    expect_no_start(k, WHET_ENOTFOUND, "absent.cl");
    k->opts.baseline = NULL;
    k->opts.skills = k->task;
    expect_no_start(k, WHET_EINVAL, "no skill");
    k->opts.skills = k->skills;
    kit_script(k, "", "{\"match\": \" - \", \"build\": \"refuse\"}");
    expect_no_start(k, WHET_EINVAL, "baseline refused");
}

static void test_search_record__odd_files_of_a_task(void **state)
{
    kit *k = *state;
    json_t *data, *files;

    kit_write(k, "twice/.task.yaml.swp", "x");
    kit_write(k, "twice/old.so", "x");
    kit_write(k, "twice/notes", "");
    kit_run(k);
    data = kit_last(k, "run_started");
    files = json_object_get(data, "task_files");
    assert_null(json_object_get(files, ".task.yaml.swp"));
    assert_null(json_object_get(files, "old.so"));
    assert_non_null(json_object_get(files, "notes"));
    json_decref(data);
    kit_resume(k);
    assert_int_equal(unlink(k->ledger), 0);
    kit_write(k, "twice/two words", "x");
    expect_no_start(k, WHET_EINVAL, "two words");
}

static void test_search_record__a_template_that_does_not_fit(void **state)
{
    kit *k = *state;
    json_t *data;

    kit_write(k, "skills/templates/flat.wk",
              "/* whet:\nlaunches:\n  - {kernel: k, grid: [n], block: [1], "
              "args: [x, z, n]}\n*/\nint k;\n");
    k->opts.log = (whet_log){0};
    kit_run(k);
    data = kit_last(k, "run_started");
    assert_int_equal(json_array_size(json_object_get(data, "sources")), 1);
    json_decref(data);
    assert_int_equal(k->result.evaluated, KIT_WIDE_POINTS);
}

static void test_search_record__no_run_to_resume(void **state)
{
    kit *k = *state;
    whet_clock clock = whet_clock_system();
    whet_ledger *ledger;

    expect_no_resume(k, WHET_ENOTFOUND, "x.ledger");
    assert_int_equal(whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_CREATE,
                                      &clock, &k->err),
                     WHET_OK);
    whet_ledger_close(ledger);
    expect_no_resume(k, WHET_ENOTFOUND, "holds no run");
}

static void test_search_record__another_device_is_refused(void **state)
{
    kit *k = *state;

    kit_run(k);
    kit_script(k, "\"seed\": 9,", "");
    expect_no_resume(k, WHET_EINVAL, "another device");
}

/* Begin run "r2" by the data of the last start, one member changed. */
static void forge_start(kit *k, const char *key, json_t *value)
{
    whet_clock clock = whet_clock_system();
    json_t *data = kit_last(k, "run_started");
    whet_ledger *ledger;

    if (value != NULL)
        json_object_set_new(data, key, value);
    else
        json_object_del(data, key);
    assert_int_equal(whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_WRITE,
                                      &clock, &k->err),
                     WHET_OK);
    assert_int_equal(whet_ledger_append(NULL, ledger, "r2", "run_started", "",
                                        data, &k->err),
                     WHET_OK);
    whet_ledger_close(ledger);
    json_decref(data);
    memset(&k->err, 0, sizeof k->err);
}

static void test_search_record__a_start_that_is_not_its_own(void **state)
{
    static const struct {
        const char *key, *json, *words;
    } table[] = {
        {"task_hash", "\"00\"", "not those of run"},
        {"task_hash", NULL, "task_hash"},
        {"seed", "\"x\"", "seed"},
        {"seed", "-1", "seed"},
        {"evaluations", "-1", "evaluations"},
        {"wall_ns", "null", "wall_ns"},
        {"confirm_calls", "99999999", "confirm_calls"},
        {"is_unsafe", "3", "is_unsafe"},
        {"device", "7", "device"},
        {"device", "\"nosuch\"", "nosuch"},
        {"workload", "\"q=1\"", "q"},
        {"task_files", "[]", "task_files"},
        {"task_files", "{\"task.yaml\": 3}", "unusable"},
        {"sources", "{}", "sources"},
        {"sources", "[3]", "skill"},
        {"baseline", "[]", "language"},
        {"baseline", "[{\"language\": \"opencl\", \"source\": \"00\"}]", ""},
    };
    kit *k = *state;
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *json = table[i].json;
        json_t *value = json ? json_loads(json, JSON_DECODE_ANY, NULL) : NULL;
        whet_run_opts opts = {.ledger = k->ledger};
        whet_status st;

        (void)unlink(k->ledger);
        kit_run(k);
        forge_start(k, table[i].key, value);
        st = whet_search_resume(&k->result, &opts, &k->err);
        if (st != WHET_EINVAL && st != WHET_ENOTFOUND)
            fail_msg("%s %s: status %d %s", table[i].key, json ? json : "-",
                     (int)st, k->err.msg);
        kit_expect_message(k, table[i].words);
    }
}

static void test_search_record__recalls_by_kind_candidate_and_rung(void **state)
{
    kit *k = *state;
    whet_run *run = kit_begin(k);
    char hash[WHET_HASH_TEXT_BYTES];

    (void)whet_strcopy(hash, sizeof hash, run->task->hash.text);
    assert_null(whet_search__recall(run, "raced", hash, 1));
    assert_int_equal(whet_search__record(run, "raced", hash, 1,
                                         json_pack("{s:i}", "a", 5), &k->err),
                     WHET_OK);
    assert_int_equal(json_integer_value(json_object_get(
                         whet_search__recall(run, "raced", hash, 1), "a")),
                     5);
    assert_null(whet_search__recall(run, "raced", hash, 2));
    assert_null(whet_search__recall(run, "screened", hash, 1));
    assert_int_equal(whet_search__record(run, "raced", hash, 1, NULL, &k->err),
                     WHET_ENOMEM);
    kit_expect_message(k, "memory");
    kit_end(run);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_record__a_start_says_all_that_defines_it),
        TEST(test_search_record__resume_needs_only_the_ledger),
        TEST(test_search_record__runs_of_one_ledger_are_apart),
        TEST(test_search_record__nothing_is_left_of_no_start),
        TEST(test_search_record__odd_files_of_a_task),
        TEST(test_search_record__a_template_that_does_not_fit),
        TEST(test_search_record__no_run_to_resume),
        TEST(test_search_record__another_device_is_refused),
        TEST(test_search_record__a_start_that_is_not_its_own),
        TEST(test_search_record__recalls_by_kind_candidate_and_rung),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
