/* Appending, querying, resolving. */

#include "ledger_kit.h"

static bool see(const whet_event *event, void *payload)
{
    char *data = whet_json_canonical(event->data);

    whet_buf_printf(payload, "%lld %llu %s %s %.6s %s;", (long long)event->seq,
                    (unsigned long long)event->wall_ns, event->run, event->kind,
                    event->subject, data);
    free(data);
    return true;
}

static void test_ledger_events__gives_back_what_was_appended(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    whet_event_query query = {.kind = "candidate"};
    whet_buf text = {0};
    const kit_subject a = kit_subject_of("abcd");
    json_t *data = json_pack("{s:s,s:[i,f,n]}", "b", "\xc3\xa9\n", "a", 1, 0.1);
    int64_t seq;

    kit_append(k, ledger, "r", "run_started", "", 0);
    k->wall_ns = 1234567890123456789;
    assert_int_equal(whet_ledger_append(&seq, ledger, "run-1", "candidate",
                                        a.text, data, &k->err),
                     WHET_OK);
    assert_int_equal(seq, 2);
    assert_int_equal(whet_ledger_each(ledger, &query, see, &text, &k->err),
                     WHET_OK);
    assert_string_equal(
        whet_buf_str(&text),
        "2 1234567890123456789 run-1 candidate abcd00 "
        "{\"a\":[1,0.10000000000000001,null],\"b\":\"\\u00E9\\n\"};");
    whet_buf_deinit(&text);
    json_decref(data);
    whet_ledger_close(ledger);
}

static void refuses(kit *k, whet_ledger *ledger, const char *run,
                    const char *kind, const char *subject, const json_t *data,
                    const char *words)
{
    int64_t seq = 77;

    assert_int_equal(
        whet_ledger_append(&seq, ledger, run, kind, subject, data, &k->err),
        WHET_EINVAL);
    kit_expect_message(k, words);
    assert_int_equal(seq, 0);
}

static void test_ledger_events__refuses_what_no_reader_expects(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    json_t *data = json_object(), *list = json_array(), *nul = json_object();
    json_t *deep = json_object();
    const kit_subject upper = kit_subject_of("ABCD");
    char long_name[80];
    int i;

    memset(long_name, 'x', sizeof long_name);
    long_name[64] = '\0';
    json_object_set_new(nul, "a", json_stringn("x\0y", 3));
    for (i = 0; i < 3000; i++) {
        json_t *outer = json_pack("{s:o}", "a", deep);

        deep = outer;
    }
    refuses(k, ledger, long_name, "aa", "", data, "run");
    refuses(k, ledger, "a b", "aa", "", data, "run");
    refuses(k, ledger, "a\nb", "aa", "", data, "run");
    refuses(k, ledger, "r", "", "", data, "kind");
    refuses(k, ledger, "r", long_name, "", data, "kind");
    refuses(k, ledger, "r", "Kind", "", data, "kind");
    refuses(k, ledger, "r", "aa", "abcd", data, "subject");
    refuses(k, ledger, "r", "aa", upper.text, data, "subject");
    refuses(k, ledger, "r", "aa", "", list, "object");
    refuses(k, ledger, "r", "aa", "", NULL, "object");
    refuses(k, ledger, "r", "aa", "", nul, "data");
    refuses(k, ledger, "r", "aa", "", deep, "aa");
    assert_int_equal(kit_count(k, ledger, NULL), 0);
    json_decref(deep);
    json_decref(nul);
    json_decref(list);
    json_decref(data);
    whet_ledger_close(ledger);
}

static void test_ledger_events__backslash_text_is_no_nul(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    json_t *data = json_pack("{s:s}", "a", "\\u0000");

    assert_int_equal(
        whet_ledger_append(NULL, ledger, "r", "aa", "", data, &k->err),
        WHET_OK);
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    json_decref(data);
    whet_ledger_close(ledger);
}

static void test_ledger_events__one_verdict_of_a_stage_in_a_run(void **state)
{
    static const char *const stages[] = {"screened", "confirmed"};
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    const kit_subject a = kit_subject_of("aaaa"), b = kit_subject_of("bbbb");
    json_t *data = json_object();
    size_t i;

    for (i = 0; i < 2; i++) {
        kit_append(k, ledger, "r1", stages[i], a.text, 1);
        kit_append(k, ledger, "r1", stages[i], b.text, 2);
        kit_append(k, ledger, "r2", stages[i], a.text, 3);
        refuses(k, ledger, "r1", stages[i], a.text, data, stages[i]);
        kit_expect_message(k, "run r1, candidate aaaa00000000");
        kit_expect_message(k, "one such event");
    }
    kit_append(k, ledger, "r1", "raced", a.text, 4);
    kit_append(k, ledger, "r1", "raced", a.text, 5);
    /* A refusal inside a group costs the group nothing. */
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    kit_append(k, ledger, "r1", "aa", "", 6);
    refuses(k, ledger, "r1", "screened", a.text, data, "one such event");
    kit_append(k, ledger, "r1", "aa", "", 7);
    assert_int_equal(whet_ledger_commit(ledger, &k->err), WHET_OK);
    assert_int_equal(kit_count(k, ledger, NULL), 10);
    json_decref(data);
    whet_ledger_close(ledger);
}

/* ---- queries ---- */

static bool list_numbers(const whet_event *event, void *payload)
{
    whet_buf_printf(payload, "%d ",
                    (int)json_integer_value(json_object_get(event->data, "n")));
    return true;
}

static bool list_two(const whet_event *event, void *payload)
{
    list_numbers(event, payload);
    return ((whet_buf *)payload)->bytes < 4;
}

static void gives(kit *k, whet_ledger *ledger, whet_event_query query,
                  whet_event_fn fn, const char *expected)
{
    whet_buf text = {0};

    if (whet_ledger_each(ledger, &query, fn, &text, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    assert_string_equal(whet_buf_str(&text), expected);
    whet_buf_deinit(&text);
}

static void test_ledger_events__queries_combine(void **state)
{
    kit *k = *state;
    whet_ledger *l = kit_open(k, WHET_LEDGER_CREATE);
    const kit_subject a = kit_subject_of("aaaa"), b = kit_subject_of("bbbb");
    whet_event_query q = {0};

    kit_append(k, l, "r1", "run_started", "", 1);
    kit_append(k, l, "r1", "candidate", a.text, 2);
    kit_append(k, l, "r1", "candidate", b.text, 3);
    kit_append(k, l, "r1", "screened", a.text, 4);
    kit_append(k, l, "r2", "run_started", "", 5);
    kit_append(k, l, "r2", "candidate", a.text, 6);
    gives(k, l, q, list_numbers, "1 2 3 4 5 6 ");
    gives(k, l, (whet_event_query){.newest_first = true}, list_numbers,
          "6 5 4 3 2 1 ");
    gives(k, l, (whet_event_query){.after_seq = 4}, list_numbers, "5 6 ");
    gives(k, l, (whet_event_query){.limit = 2}, list_numbers, "1 2 ");
    gives(k, l, q, list_two, "1 2 ");
    gives(k, l, (whet_event_query){.run = "r1"}, list_numbers, "1 2 3 4 ");
    gives(k, l, (whet_event_query){.kind = "candidate"}, list_numbers,
          "2 3 6 ");
    gives(k, l, (whet_event_query){.subject = a.text}, list_numbers, "2 4 6 ");
    gives(k, l, (whet_event_query){.subject = ""}, list_numbers, "1 5 ");
    gives(
        k, l,
        (whet_event_query){.subject = a.text, .kind = "candidate", .run = "r2"},
        list_numbers, "6 ");
    gives(
        k, l,
        (whet_event_query){
            .kind = "candidate", .run = "r1", .newest_first = true, .limit = 1},
        list_numbers, "3 ");
    gives(k, l, (whet_event_query){.kind = "none"}, list_numbers, "");
    gives(k, l, (whet_event_query){.run = "' OR 1 --"}, list_numbers, "");
    whet_ledger_close(l);
}

/* Rows that another program wrote with the checks off, or bits that turned. */
static void test_ledger_events__damaged_rows_are_told(void **state)
{
    static const struct {
        const char *sql, *words;
    } rows[] = {
        {"INSERT INTO events VALUES(2,0,'r','k','','{\"a\":1,\"a\":2}')",
         "event 2:1"},
        {"INSERT INTO events VALUES(2,0,'a b','k','','{}')", "event 2: run"},
        {"INSERT INTO events VALUES(2,0,'r','K','','{}')", "event 2: kind"},
        {"INSERT INTO events VALUES(2,0,'r','k',printf('%064d','x')||'','{}');"
         "INSERT INTO events VALUES(3,0,'r','k',replace(printf('%064d',0),"
         "'0','z'),'{}')",
         "event 3: subject"},
        {"INSERT INTO events VALUES(2,0,'r' || char(0) || 's','k','','{}')",
         "event 2: a column"},
        {"PRAGMA ignore_check_constraints=1;"
         "INSERT INTO events VALUES(2,0,'r','k','','[1]')",
         "event 2: data is not an object"},
        {"PRAGMA ignore_check_constraints=1;"
         "INSERT INTO events VALUES(2,0,'r','k','','{')",
         "event 2:1"},
        {"PRAGMA ignore_check_constraints=1;"
         "INSERT INTO events VALUES(2,-1,'r','k','','{}')",
         "event 2: a column"},
    };
    kit *k = *state;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
        whet_buf text = {0};

        kit_append(k, ledger, "r", "aa", "", 1);
        whet_ledger_close(ledger);
        assert_int_equal(kit_sql(k, rows[i].sql, NULL), SQLITE_OK);
        ledger = kit_open(k, WHET_LEDGER_READ);
        assert_int_equal(
            whet_ledger_each(ledger, NULL, list_numbers, &text, &k->err),
            WHET_EINVAL);
        kit_expect_message(k, rows[i].words);
        kit_expect_message(k, "x.ledger");
        whet_buf_deinit(&text);
        whet_ledger_close(ledger);
        assert_int_equal(unlink(k->path), 0);
    }
}

static void test_ledger_events__numbers_do_not_run_over(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    json_t *data = json_object();

    whet_ledger_close(ledger);
    assert_int_equal(kit_sql(k,
                             "INSERT INTO events VALUES(9223372036854775807,0,"
                             "'r','k','','{}')",
                             NULL),
                     SQLITE_OK);
    ledger = kit_open(k, WHET_LEDGER_WRITE);
    refuses(k, ledger, "r", "aa", "", data, "aa");
    json_decref(data);
    whet_ledger_close(ledger);
}

/* ---- looking up ---- */

static void test_ledger_events__resolves_prefixes(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    const kit_subject a = kit_subject_of("aaaa1"), b = kit_subject_of("aaaa2");
    const kit_subject f = kit_subject_of("ffff");
    char out[WHET_HASH_TEXT_BYTES];
    char *too_long = whet_asprintf("%s0", a.text);
    size_t i;
    const struct {
        const char *prefix;
        whet_status st;
        const char *gives_or_says;
    } rows[] = {
        {"aaaa1", WHET_OK, a.text},
        {"AAAA2", WHET_OK, b.text},
        {"ffff", WHET_OK, f.text},
        {f.text, WHET_OK, f.text},
        {"aaaa", WHET_EINVAL, "several candidates start with aaaa"},
        {"aaab", WHET_ENOTFOUND, "no candidate starts with aaab"},
        {"0000", WHET_ENOTFOUND, "no candidate"},
        {"fff", WHET_EINVAL, "expected 4 to 64 hex digits"},
        {"", WHET_EINVAL, "expected 4 to 64 hex digits"},
        {"aaa%", WHET_EINVAL, "expected 4 to 64 hex digits"},
        {too_long, WHET_EINVAL, "expected 4 to 64 hex digits"},
    };

    kit_append(k, ledger, "r1", "run_started", "", 0);
    kit_append(k, ledger, "r1", "candidate", a.text, 1);
    kit_append(k, ledger, "r1", "candidate", b.text, 2);
    kit_append(k, ledger, "r1", "screened", b.text, 3);
    kit_append(k, ledger, "r1", "candidate", f.text, 4);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            whet_ledger_resolve(out, ledger, rows[i].prefix, &k->err),
            rows[i].st);
        if (rows[i].st == WHET_OK) {
            assert_string_equal(out, rows[i].gives_or_says);
        } else {
            kit_expect_message(k, rows[i].gives_or_says);
            assert_string_equal(out, "");
        }
    }
    free(too_long);
    whet_ledger_close(ledger);
}

static void test_ledger_events__last_run_is_the_newest_started(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    char run[64] = "?";

    assert_int_equal(whet_ledger_last_run(run, ledger, &k->err), WHET_OK);
    assert_string_equal(run, "");
    kit_append(k, ledger, "", "calibration", "", 0);
    assert_int_equal(whet_ledger_last_run(run, ledger, &k->err), WHET_OK);
    assert_string_equal(run, "");
    kit_append(k, ledger, "r1", "run_started", "", 1);
    kit_append(k, ledger, "r2", "run_started", "", 2);
    kit_append(k, ledger, "r2", "aa", "", 3);
    assert_int_equal(whet_ledger_last_run(run, ledger, &k->err), WHET_OK);
    assert_string_equal(run, "r2");
    whet_ledger_close(ledger);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_events__gives_back_what_was_appended),
        TEST(test_ledger_events__refuses_what_no_reader_expects),
        TEST(test_ledger_events__backslash_text_is_no_nul),
        TEST(test_ledger_events__one_verdict_of_a_stage_in_a_run),
        TEST(test_ledger_events__queries_combine),
        TEST(test_ledger_events__damaged_rows_are_told),
        TEST(test_ledger_events__numbers_do_not_run_over),
        TEST(test_ledger_events__resolves_prefixes),
        TEST(test_ledger_events__last_run_is_the_newest_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
