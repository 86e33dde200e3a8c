/* Tables that refuse change, views that read events, schemas that are refused
 * because they are not letter by letter ours. */

#include "ledger_kit.h"

static void append_text(kit *k, whet_ledger *ledger, const char *kind,
                        const char *subject, const char *text)
{
    json_t *data;

    assert_int_equal(
        whet_json_parse(&data, text, strlen(text), "test", &k->err), WHET_OK);
    if (whet_ledger_append(NULL, ledger, "r1", kind, subject, data, &k->err) !=
        WHET_OK)
        fail_msg("%s", k->err.msg);
    json_decref(data);
}

static void make_run(kit *k)
{
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    const kit_subject a = kit_subject_of("aaaa");
    whet_hash hash;

    append_text(k, ledger, "run_started", "",
                "{\"task\":\"gemm\",\"device\":\"opencl:0\",\"device_name\":"
                "\"cpu\",\"workload\":\"m=4\",\"seed\":7}");
    append_text(k, ledger, "candidate", a.text,
                "{\"source\":\"s1\",\"language\":\"opencl\",\"move\":\"skill\","
                "\"skill\":\"tile\",\"point\":{\"bm\":8},\"point_text\":"
                "\"bm=8\",\"parent\":\"\"}");
    append_text(k, ledger, "screened", a.text,
                "{\"rung\":0,\"score\":3.5,\"outcome\":"
                "\"correct\",\"reason\":\"none\",\"ratio\":{\"value\":3.5,"
                "\"lo\":3.0,\"hi\":4.0},\"candidate_time\":{\"median_ns\":"
                "100}}");
    append_text(k, ledger, "candidate", a.text, "{\"move\":\"tune\"}");
    append_text(k, ledger, "confirmed", a.text,
                "{\"outcome\":\"correct\",\"reason\":\"none\",\"ratio\":"
                "{\"value\":3.25,\"lo\":3.125,\"hi\":3.5,\"is_gain\":true},"
                "\"candidate_time\":{\"median_ns\":99},\"share_of_limit\":"
                "null}");
    append_text(k, ledger, "champion", a.text, "{}");
    append_text(k, ledger, "run_stopped", "", "{\"stop\":\"budget\"}");
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "x", 1, &k->err),
                     WHET_OK);
    whet_ledger_close(ledger);
}

static void expect_sql(kit *k, const char *sql, const char *expected)
{
    char found[256];

    assert_int_equal(kit_sql(k, sql, found), SQLITE_OK);
    assert_string_equal(found, expected);
}

static void test_ledger_schema__views_read_events(void **state)
{
    kit *k = *state;

    make_run(k);
    expect_sql(k,
               "SELECT task || '/' || device || '/' || device_name || '/' || "
               "workload || '/' || seed || '/' || stop FROM runs",
               "gemm/opencl:0/cpu/m=4/7/budget");
    expect_sql(k, "SELECT count(*) FROM candidates", "1");
    expect_sql(k,
               "SELECT seq || source || language || move || skill || point ||"
               " parent || substr(subject, 1, 5) FROM candidates",
               "2s1openclskilltilebm=8aaaa0");
    expect_sql(k,
               "SELECT group_concat(stage || ':' || outcome || reason || ratio"
               " || '/' || ratio_lo || '/' || ratio_hi || '/' || median_ns || "
               "'/' || ifnull(score, '-') || ifnull(rung, '-') ||"
               " ifnull(is_gain, '-') || ifnull(share_of_limit, '-'), ' ')"
               " FROM (SELECT * FROM verdicts ORDER BY seq)",
               "screened:correctnone3.5/3.0/4.0/100/3.50-- "
               "confirmed:correctnone3.25/3.125/3.5/99/--1-");
    expect_sql(k,
               "SELECT seq || '/' || verdict_seq || '/' || ratio || '/' || "
               "ratio_lo || '/' || ratio_hi || '/' || median_ns FROM champions",
               "6/5/3.25/3.125/3.5/99");
}

static void test_ledger_schema__nothing_changes_or_goes(void **state)
{
    static const char *const attempts[] = {
        "UPDATE events SET kind='x' WHERE seq=1",
        "UPDATE events SET seq=99 WHERE seq=1",
        "DELETE FROM events WHERE seq=1",
        "DELETE FROM events",
        "UPDATE blobs SET bytes=x'00'",
        "DELETE FROM blobs",
        "INSERT OR REPLACE INTO events VALUES(1,0,'r','k','','{}')",
        "INSERT INTO events VALUES(0,0,'r','k','','{}')",
        "INSERT INTO events VALUES(-5,0,'r','k','','{}')",
        "INSERT OR REPLACE INTO events SELECT 100, wall_ns, run, kind, subject,"
        " '{}' FROM events WHERE kind='screened'",
        "INSERT OR REPLACE INTO events SELECT 100, wall_ns, run, kind, subject,"
        " '{}' FROM events WHERE kind='confirmed'",
    };
    kit *k = *state;
    char before[256], after[256];
    size_t i;
    static const char digest[] =
        "SELECT group_concat(seq || wall_ns || kind || length(data)) ||"
        " (SELECT group_concat(hash || hex(bytes)) FROM blobs) FROM events";

    make_run(k);
    kit_sql(k, digest, before);
    for (i = 0; i < sizeof attempts / sizeof attempts[0]; i++)
        if (kit_sql(k, attempts[i], NULL) != SQLITE_CONSTRAINT)
            fail_msg("not refused: %s", attempts[i]);
    kit_sql(k, "INSERT OR REPLACE INTO blobs SELECT hash, x'00' FROM blobs",
            NULL);
    kit_sql(k, digest, after);
    assert_string_equal(before, after);
}

static void test_ledger_schema__tables_are_strict(void **state)
{
    static const char *const attempts[] = {
        "INSERT INTO events VALUES(100,'soon','r','k','','{}')",
        "INSERT INTO events VALUES(100,-1,'r','k','','{}')",
        "INSERT INTO events VALUES(100,0,'r','','','{}')",
        "INSERT INTO events VALUES(100,0,'r','k','abcd','{}')",
        "INSERT INTO events VALUES(100,0,'r','k','','{')",
        "INSERT INTO events VALUES(100,0,'r','k','','[]')",
        "INSERT INTO events VALUES(100,0,'r','k','',NULL)",
        "INSERT INTO events VALUES(100,0,printf('%064d', 1),'k','','{}')",
        "INSERT INTO blobs VALUES('short', x'00')",
        "INSERT INTO blobs VALUES(printf('%064d', 1), 'text')",
    };
    kit *k = *state;
    size_t i;

    make_run(k);
    for (i = 0; i < sizeof attempts / sizeof attempts[0]; i++)
        if (kit_sql(k, attempts[i], NULL) != SQLITE_CONSTRAINT)
            fail_msg("not refused: %s", attempts[i]);
    assert_int_equal(
        kit_sql(k, "INSERT INTO events VALUES(100,0,'r','k','','{}')", NULL),
        SQLITE_OK);
}

static void test_ledger_schema__refuses_a_changed_schema(void **state)
{
    static const char *const changes[] = {
        "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END",
        "DROP TRIGGER events_no_update",
        "DROP VIEW runs; CREATE VIEW runs AS SELECT 1 AS run",
        "DROP INDEX events_screened",
        "ALTER TABLE blobs ADD COLUMN more TEXT",
        "ANALYZE",
    };
    kit *k = *state;
    size_t i;

    for (i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        make_run(k);
        assert_int_equal(kit_sql(k, changes[i], NULL), SQLITE_OK);
        kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL, "not those of a");
        kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EINVAL, "not those of a");
        assert_int_equal(unlink(k->path), 0);
    }
}

static void test_ledger_schema__stamps_the_file(void **state)
{
    kit *k = *state;

    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    expect_sql(k, "PRAGMA user_version", "1");
    expect_sql(k, "PRAGMA application_id", "1466459508");
    expect_sql(k, "PRAGMA integrity_check", "ok");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_schema__views_read_events),
        TEST(test_ledger_schema__nothing_changes_or_goes),
        TEST(test_ledger_schema__tables_are_strict),
        TEST(test_ledger_schema__refuses_a_changed_schema),
        TEST(test_ledger_schema__stamps_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
