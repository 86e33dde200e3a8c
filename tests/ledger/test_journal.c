/* Which journal is used where, and what a killed writer leaves in each. */

#include "ledger_kit.h"

#include <sys/stat.h>

enum { NFS = 0x6969, EXT4 = 0xef53 };

static whet_ledger *open_on(kit *k, whet_ledger_mode mode, uint32_t magic)
{
    whet_clock clock = kit_clock(k);
    whet_ledger *ledger = NULL;

    if (whet_ledger__open_on(&ledger, k->path, mode, &clock, &magic, &k->err) !=
        WHET_OK)
        fail_msg("%s", k->err.msg);
    return ledger;
}

static void test_ledger_journal__knows_network_file_systems(void **state)
{
    static const struct {
        uint32_t magic;
        const char *name;
    } rows[] = {
        {0x6969, "NFS"},
        {0xff534d42, "CIFS"},
        {0xfe534d42, "SMB2"},
        {0x0bd00bd0, "Lustre"},
        {0x47504653, "GPFS"},
        {0x19830326, "BeeGFS"},
        {0x00c36400, "Ceph"},
        {0x65735546, "FUSE"},
        {0xef53, NULL},
        {0x58465342, NULL} /* XFS */,
        {0x01021994, NULL} /* tmpfs */,
        {0x9123683e, NULL} /* btrfs */,
        {0x794c7630, NULL} /* overlay */,
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = whet_ledger__network_fs(rows[i].magic);

        if (rows[i].name == NULL)
            assert_null(name);
        else
            assert_string_equal(name, rows[i].name);
    }
}

static void test_ledger_journal__wal_here_and_rollback_there(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = open_on(k, WHET_LEDGER_CREATE, EXT4);

    assert_string_equal(whet_ledger_journal(ledger), "wal");
    kit_append(k, ledger, "r", "aa", "", 1);
    whet_ledger_close(ledger);
    ledger = open_on(k, WHET_LEDGER_WRITE, NFS);
    assert_string_equal(whet_ledger_journal(ledger), "delete");
    kit_append(k, ledger, "r", "aa", "", 2);
    assert_false(kit_has(k, "-wal"));
    whet_ledger_close(ledger);
    ledger = open_on(k, WHET_LEDGER_READ, NFS);
    assert_string_equal(whet_ledger_journal(ledger), "delete");
    assert_int_equal(kit_count(k, ledger, NULL), 2);
    whet_ledger_close(ledger);
}

static void
test_ledger_journal__readers_share_with_a_rollback_writer(void **state)
{
    kit *k = *state;
    whet_ledger *writer = open_on(k, WHET_LEDGER_CREATE, NFS);
    whet_ledger *reader = open_on(k, WHET_LEDGER_READ, NFS);

    kit_append(k, writer, "r", "aa", "", 1);
    assert_int_equal(kit_count(k, reader, NULL), 1);
    kit_append(k, writer, "r", "aa", "", 2);
    assert_int_equal(kit_count(k, reader, NULL), 2);
    whet_ledger_close(writer);
    whet_ledger_close(reader);
}

static void test_ledger_journal__killed_wal_writer_loses_nothing(void **state)
{
    kit *k = *state;
    whet_ledger *ledger;

    kit_die_writing(k, EXT4, true);
    assert_true(kit_has(k, "-wal"));
    assert_true(kit_has(k, ".lock"));
    ledger = open_on(k, WHET_LEDGER_READ, EXT4);
    assert_string_equal(whet_ledger_journal(ledger), "wal");
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    whet_ledger_close(ledger);
    ledger = open_on(k, WHET_LEDGER_WRITE, EXT4);
    assert_int_equal(kit_append(k, ledger, "r", "aa", "", 2), 2);
    whet_ledger_close(ledger);
    assert_false(kit_has(k, "-wal"));
    assert_false(kit_has(k, ".lock"));
}

static void
test_ledger_journal__wal_moved_to_a_network_is_recovered(void **state)
{
    kit *k = *state;
    whet_ledger *ledger;

    kit_die_writing(k, EXT4, true);
    ledger = open_on(k, WHET_LEDGER_WRITE, NFS);
    assert_string_equal(whet_ledger_journal(ledger), "delete");
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    kit_append(k, ledger, "r", "aa", "", 2);
    whet_ledger_close(ledger);
    assert_false(kit_has(k, "-wal"));
}

static void
test_ledger_journal__killed_rollback_writer_loses_nothing(void **state)
{
    kit *k = *state;
    whet_ledger *ledger;

    kit_die_writing(k, NFS, true);
    assert_true(kit_has(k, "-journal"));
    ledger = open_on(k, WHET_LEDGER_READ, NFS);
    assert_false(kit_has(k, "-journal"));
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    whet_ledger_close(ledger);
    kit_die_writing(k, NFS, true);
    ledger = open_on(k, WHET_LEDGER_WRITE, NFS);
    assert_int_equal(kit_count(k, ledger, NULL), 2);
    whet_ledger_close(ledger);
    assert_false(kit_has(k, "-journal"));
}

/* SQLite would remove the file that such a journal names. */
static void test_ledger_journal__foreign_journal_is_refused(void **state)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9,
                                           0x20, 0xa1, 0x63, 0xd7};
    kit *k = *state;
    char *name = whet_asprintf("%s-journal", k->path);
    whet_buf journal = {0};

    kit_die_writing(k, NFS, true);
    assert_int_equal(whet_fs_read(&journal, name, 64 << 20, &k->err), WHET_OK);
    whet_buf_add(&journal, magic, sizeof magic);
    assert_int_equal(whet_fs_write(name, journal.data, journal.bytes, &k->err),
                     WHET_OK);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EINVAL, "not the journal");
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL, "not the journal");
    assert_true(kit_has(k, "-journal"));
    whet_buf_deinit(&journal);
    free(name);
}

static void test_ledger_journal__killed_then_unwritable(void **state)
{
    const bool is_root = geteuid() == 0;
    kit *k = *state;
    char *shm = whet_asprintf("%s-shm", k->path);

    /* Root may write everything, so it becomes nobody for a while. */
    if (is_root) {
        assert_int_equal(chown(k->dir, 65534, 65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    kit_die_writing(k, EXT4, false);
    assert_int_equal(unlink(shm), 0);
    assert_int_equal(chmod(k->dir, 0555), 0);
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EFAIL, "copy it with its -wal");
    assert_int_equal(chmod(k->dir, 0755), 0);
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    free(shm);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_journal__knows_network_file_systems),
        TEST(test_ledger_journal__wal_here_and_rollback_there),
        TEST(test_ledger_journal__readers_share_with_a_rollback_writer),
        TEST(test_ledger_journal__killed_wal_writer_loses_nothing),
        TEST(test_ledger_journal__wal_moved_to_a_network_is_recovered),
        TEST(test_ledger_journal__killed_rollback_writer_loses_nothing),
        TEST(test_ledger_journal__foreign_journal_is_refused),
        TEST(test_ledger_journal__killed_then_unwritable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
