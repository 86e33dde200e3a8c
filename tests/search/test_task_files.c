/* Task folders rebuilt from a ledger. */

#include "search_kit.h"

static void test_search_task_files__plain_names(void **state)
{
    static const char *const good[] = {"task.yaml", "baselines/opencl.cl", "a",
                                       "x..y", "a/b-c_d+e"};
    static const char *const bad[] = {
        "",     ".",     "..",   ".x",     "/x",    "a/",
        "a/.b", "a/..",  "../x", "a/b/c",  "a//b",  "two x",
        "a\nb", "a\x7f", "\xff", "a/../b", "/etc/x"};
    char long_name[256];
    size_t i;

    for (i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(whet_search__is_plain_name(good[i]));
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (whet_search__is_plain_name(bad[i]))
            fail_msg("\"%s\" was taken", bad[i]);
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[255] = '\0';
    assert_false(whet_search__is_plain_name(long_name));
}

static whet_ledger *open_ledger(kit *k)
{
    whet_clock clock = whet_clock_system();
    whet_ledger *ledger;

    assert_int_equal(whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_CREATE,
                                      &clock, &k->err),
                     WHET_OK);
    return ledger;
}

static void test_search_task_files__are_rebuilt_as_they_were(void **state)
{
    static const char *const names[] = {"task.yaml", "reference.c", "base.cl",
                                        "more/notes.txt"};
    kit *k = *state;
    char *below = whet_fs_join(k->task, "more"), *dir = NULL;
    whet_ledger *ledger;
    json_t *started;
    size_t i;

    assert_int_equal(whet_fs_mkdirs(below, &k->err), WHET_OK);
    free(below);
    kit_write(k, "twice/more/notes.txt", "n\n");
    kit_run(k);
    started = kit_last(k, "run_started");
    ledger = open_ledger(k);
    assert_int_equal(whet_search_task_dir(&dir, ledger, started, &k->err),
                     WHET_OK);
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *from = whet_fs_join(k->task, names[i]);
        char *to = whet_fs_join(dir, names[i]);
        whet_buf a = {0}, b = {0};

        assert_int_equal(whet_fs_read(&a, from, 1 << 20, &k->err), WHET_OK);
        assert_int_equal(whet_fs_read(&b, to, 1 << 20, &k->err), WHET_OK);
        assert_string_equal(whet_buf_str(&a), whet_buf_str(&b));
        whet_buf_deinit(&a);
        whet_buf_deinit(&b);
        free(from);
        free(to);
    }
    free(dir);
    json_decref(started);
    whet_ledger_close(ledger);
}

static void test_search_task_files__hostile_lists_are_refused(void **state)
{
    static const struct {
        const char *json;
        whet_status status;
        const char *words;
    } table[] = {
        {"{}", WHET_EINVAL, "task_files"},
        {"{\"task_files\": []}", WHET_EINVAL, "task_files"},
        {"{\"task_files\": {\"../up\": \"00\"}}", WHET_EINVAL, "unusable"},
        {"{\"task_files\": {\"/abs\": \"00\"}}", WHET_EINVAL, "unusable"},
        {"{\"task_files\": {\"a\": 1}}", WHET_EINVAL, "unusable"},
    };
    kit *k = *state;
    whet_ledger *ledger = open_ledger(k);
    char *dir = NULL;
    json_t *json;
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        json = json_loads(table[i].json, 0, NULL);
        memset(&k->err, 0, sizeof k->err);
        assert_int_equal(whet_search_task_dir(&dir, ledger, json, &k->err),
                         table[i].status);
        assert_null(dir);
        kit_expect_message(k, table[i].words);
        json_decref(json);
    }
    /* A blob that is not there. */
    json = json_pack("{s:{s:s}}", "task_files", "task.yaml",
                     "00112233445566778899aabbccddeeff"
                     "00112233445566778899aabbccddeeff");
    memset(&k->err, 0, sizeof k->err);
    assert_int_equal(whet_search_task_dir(&dir, ledger, json, &k->err),
                     WHET_ENOTFOUND);
    assert_null(dir);
    kit_expect_message(k, "0011");
    json_decref(json);
    whet_ledger_close(ledger);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_search_task_files__plain_names),
        TEST(test_search_task_files__are_rebuilt_as_they_were),
        TEST(test_search_task_files__hostile_lists_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
