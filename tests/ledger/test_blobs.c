/* Content-addressed bytes. */

#include "ledger_kit.h"

static void keeps(kit *k, whet_ledger *ledger, const void *data, size_t bytes)
{
    whet_buf out = {0};
    whet_hash hash;

    assert_int_equal(whet_ledger_put_blob(&hash, ledger, data, bytes, &k->err),
                     WHET_OK);
    assert_string_equal(hash.text, whet_hash_bytes(data, bytes).text);
    whet_buf_puts(&out, "before:");
    assert_int_equal(whet_ledger_get_blob(&out, ledger, hash.text, &k->err),
                     WHET_OK);
    assert_int_equal(out.bytes, bytes + 7);
    assert_memory_equal(out.data, "before:", 7);
    if (bytes > 0)
        assert_memory_equal(out.data + 7, data, bytes);
    whet_buf_deinit(&out);
}

static void test_ledger_blobs__keeps_bytes_once(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    unsigned char noise[70000];
    char count[256];
    size_t i;

    for (i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)(i * 7 + i / 256);
    keeps(k, ledger, "text", 4);
    keeps(k, ledger, "text", 4);
    keeps(k, ledger, "", 0);
    keeps(k, ledger, "a\0b", 3);
    keeps(k, ledger, noise, sizeof noise);
    keeps(k, ledger, noise, sizeof noise);
    whet_ledger_close(ledger);
    kit_sql(k, "SELECT count(*) FROM blobs", count);
    assert_string_equal(count, "4");
}

static void test_ledger_blobs__unknown_hash_is_not_found(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    whet_buf out = {0};

    assert_int_equal(
        whet_ledger_get_blob(&out, ledger, kit_subject_of("12").text, &k->err),
        WHET_ENOTFOUND);
    kit_expect_message(k, "no blob 12000");
    assert_int_equal(whet_ledger_get_blob(&out, ledger, "", &k->err),
                     WHET_ENOTFOUND);
    kit_expect_message(k, "no blob");
    assert_null(out.data);
    whet_ledger_close(ledger);
}

static void test_ledger_blobs__too_large_is_refused(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    whet_hash hash;
    char byte = 'x';

    /* The size is looked at before the bytes. */
    assert_int_equal(
        whet_ledger_put_blob(&hash, ledger, &byte,
                             (size_t)WHET_LEDGER_VALUE_BYTES_MAX + 1, &k->err),
        WHET_EINVAL);
    kit_expect_message(k, "67108865 bytes");
    assert_string_equal(hash.text, "");
    whet_ledger_close(ledger);
}

static void test_ledger_blobs__false_bytes_are_told(void **state)
{
    kit *k = *state;
    const kit_subject false_hash = kit_subject_of("12");
    char *sql = whet_asprintf("INSERT INTO blobs VALUES('%s', x'616263')",
                              false_hash.text);
    whet_buf out = {0};
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    FILE *null = fopen("/dev/null", "w");

    whet_ledger_close(ledger);
    assert_int_equal(kit_sql(k, sql, NULL), SQLITE_OK);
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(
        whet_ledger_get_blob(&out, ledger, false_hash.text, &k->err),
        WHET_EINVAL);
    kit_expect_message(k, "do not match");
    assert_int_equal(out.bytes, 0);
    assert_int_equal(whet_ledger_export(ledger, null, &k->err), WHET_EINVAL);
    kit_expect_message(k, "do not match");
    fclose(null);
    free(sql);
    whet_ledger_close(ledger);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_blobs__keeps_bytes_once),
        TEST(test_ledger_blobs__unknown_hash_is_not_found),
        TEST(test_ledger_blobs__too_large_is_refused),
        TEST(test_ledger_blobs__false_bytes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
