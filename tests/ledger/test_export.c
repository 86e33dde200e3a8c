/* Export: the exact bytes, and the same bytes for the same content. */

#include "ledger_kit.h"

static char *export(kit *k, whet_ledger *ledger)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);

    if (whet_ledger_export(ledger, to, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    fclose(to);
    return text;
}

static void test_ledger_export__writes_lines(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    const kit_subject a = kit_subject_of("ab");
    json_t *data = json_pack("{s:i,s:s}", "z", 1, "a", "b");
    char *text;
    whet_hash h;

    k->wall_ns = 5;
    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_int_equal(whet_ledger_append(NULL, ledger, "r", "candidate", a.text,
                                        data, &k->err),
                     WHET_OK);
    assert_int_equal(whet_ledger_put_blob(&h, ledger, "\xff\xfe\x01", 3, NULL),
                     WHET_OK);
    assert_int_equal(whet_ledger_put_blob(&h, ledger, "\xff\xfe", 2, NULL),
                     WHET_OK);
    assert_int_equal(whet_ledger_put_blob(&h, ledger, "a\0b\xc3", 4, NULL),
                     WHET_OK);
    assert_int_equal(whet_ledger_put_blob(&h, ledger, "h\xc3\xa9\n\"", 5, NULL),
                     WHET_OK);
    assert_int_equal(whet_ledger_put_blob(&h, ledger, "", 0, NULL), WHET_OK);
    text = export(k, ledger);
    assert_string_equal(text,
                        "{\"format\":\"whet-ledger\",\"version\":1}\n"
                        /* in the order of their hashes */
                        "{\"base64\":\"//"
                        "4B\",\"blob\":"
                        "\"3766efa08f269a90d882010a8881ef8224fdc04f4d7c2b3d27f5"
                        "87ff38cc7e89\"}\n"
                        "{\"base64\":\"YQBiww==\",\"blob\":"
                        "\"7d7a50a898b7be85db8ddcd66f8cd9c4244af7071098038a2dce"
                        "98af3d114bec\"}\n"
                        "{\"base64\":\"//"
                        "4=\",\"blob\":"
                        "\"b3d510ef04275ca8e698e5b3cbb0ece3949ef9252f0cdc839e9e"
                        "e347409a2209\"}\n"
                        "{\"blob\":"
                        "\"e331f35297070ad76c256d689a46dcb47c248d684bc36641c8b5"
                        "89cdba334836\",\"text\":\"h\\u00E9\\n\\\"\"}\n"
                        "{\"blob\":"
                        "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
                        "991b7852b855\",\"text\":\"\"}\n"
                        "{\"data\":{\"n\":1},\"kind\":\"run_started\",\"run\":"
                        "\"r\",\"seq\":1,\"subject\":\"\",\"wall_ns\":5}\n"
                        "{\"data\":{\"a\":\"b\",\"z\":1},\"kind\":"
                        "\"candidate\",\"run\":\"r\",\"seq\":2,\"subject\":"
                        "\"ab00000000000000000000000000000000000000000000000000"
                        "000000000000\",\"wall_ns\":6}\n");
    free(text);
    json_decref(data);
    whet_ledger_close(ledger);
}

/* The same content in another order of blobs, over several sessions, with a
 * group that was dropped. */
static void test_ledger_export__same_content_same_bytes(void **state)
{
    kit *k = *state;
    const kit_subject a = kit_subject_of("ab");
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    char *first, *second;
    whet_hash hash;

    k->wall_ns = 5;
    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "one", 3, NULL), 0);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "two", 3, NULL), 0);
    kit_append(k, ledger, "r", "candidate", a.text, 2);
    first = export(k, ledger);
    whet_ledger_close(ledger);

    assert_int_equal(unlink(k->path), 0);
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "two", 3, NULL), 0);
    k->wall_ns = 5;
    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_int_equal(whet_ledger_begin(ledger, NULL), 0);
    kit_append(k, ledger, "r", "aa", "", 9);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "three", 5, NULL), 0);
    whet_ledger_rollback(ledger);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_WRITE);
    k->wall_ns = 6;
    kit_append(k, ledger, "r", "candidate", a.text, 2);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "one", 3, NULL), 0);
    assert_int_equal(whet_ledger_put_blob(&hash, ledger, "one", 3, NULL), 0);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_READ);
    second = export(k, ledger);
    assert_string_equal(first, second);
    free(first);
    free(second);
    whet_ledger_close(ledger);
}

static void test_ledger_export__write_errors_are_told(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    FILE *full = fopen("/dev/full", "w");

    assert_non_null(full);
    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_int_equal(whet_ledger_export(ledger, full, &k->err), WHET_EFAIL);
    kit_expect_message(k, "No space left");
    fclose(full);
    /* The snapshot is over: appending goes on. */
    kit_append(k, ledger, "r", "resumed", "", 2);
    whet_ledger_close(ledger);
}

static void test_ledger_export__is_one_snapshot(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    whet_ledger *reader = kit_open(k, WHET_LEDGER_READ);
    char *text;

    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    kit_append(k, ledger, "r", "aa", "", 2);
    text = export(k, reader);
    assert_null(strstr(text, "\"kind\":\"aa\""));
    free(text);
    text = export(k, ledger); /* inside its own group */
    assert_non_null(strstr(text, "\"kind\":\"aa\""));
    free(text);
    assert_int_equal(whet_ledger_commit(ledger, &k->err), WHET_OK);
    whet_ledger_close(reader);
    whet_ledger_close(ledger);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_export__writes_lines),
        TEST(test_ledger_export__same_content_same_bytes),
        TEST(test_ledger_export__write_errors_are_told),
        TEST(test_ledger_export__is_one_snapshot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
