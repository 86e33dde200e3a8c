/* Opening, refusing, locking, grouping; what a full disk does. */

#include "ledger_kit.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void write_file(kit *k, const void *bytes, size_t count)
{
    assert_int_equal(whet_fs_write(k->path, bytes, count, &k->err), WHET_OK);
}

static void test_ledger_ledger__creates_and_reopens(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);

    assert_int_equal(kit_append(k, ledger, "r", "run_started", "", 1), 1);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    assert_int_equal(kit_append(k, ledger, "r", "resumed", "", 2), 2);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_WRITE);
    assert_int_equal(kit_append(k, ledger, "r", "run_stopped", "", 3), 3);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, ledger, NULL), 3);
    whet_ledger_close(ledger);
}

static void test_ledger_ledger__is_one_plain_file_at_rest(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);

    kit_append(k, ledger, "r", "run_started", "", 1);
    assert_true(kit_has(k, "-wal"));
    assert_true(kit_has(k, ".lock"));
    whet_ledger_close(ledger);
    assert_false(kit_has(k, "-wal"));
    assert_false(kit_has(k, "-shm"));
    assert_false(kit_has(k, ".lock"));
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
    assert_false(kit_has(k, "-wal"));
    assert_false(kit_has(k, ".lock"));
}

static void test_ledger_ledger__close_takes_null(void **state)
{
    (void)state;
    whet_ledger_close(NULL);
}

static void test_ledger_ledger__absent_file_is_not_found(void **state)
{
    kit *k = *state;

    kit_open_fails(k, WHET_LEDGER_READ, WHET_ENOTFOUND, "no such ledger");
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_ENOTFOUND, "no such ledger");
    assert_false(kit_has(k, ""));
    assert_false(kit_has(k, ".lock"));
    free(k->path);
    k->path = whet_asprintf("%s/none/x.ledger", k->dir);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_ENOTFOUND, "no such folder");
}

static void test_ledger_ledger__refuses_what_is_no_ledger(void **state)
{
    static const char text[] = "int main(void) { return 0; }\n";
    static const whet_ledger_mode modes[] = {
        WHET_LEDGER_READ, WHET_LEDGER_WRITE, WHET_LEDGER_CREATE};
    whet_buf now = {0};
    kit *k = *state;
    size_t i;

    write_file(k, text, sizeof text - 1);
    for (i = 0; i < 3; i++) {
        kit_open_fails(k, modes[i], WHET_EINVAL, "not a ledger");
        assert_false(kit_has(k, ".lock"));
    }
    assert_int_equal(whet_fs_read(&now, k->path, 1000, &k->err), WHET_OK);
    assert_string_equal(whet_buf_str(&now), text);
    whet_buf_deinit(&now);
    assert_int_equal(unlink(k->path), 0);
    assert_int_equal(kit_sql(k, "CREATE TABLE t(x)", NULL), SQLITE_OK);
    for (i = 0; i < 3; i++)
        kit_open_fails(k, modes[i], WHET_EINVAL, "another program");
    assert_int_equal(unlink(k->path), 0);
    assert_int_equal(mkdir(k->path, 0755), 0);
    for (i = 0; i < 3; i++)
        kit_open_fails(k, modes[i], WHET_EINVAL, "expected a ledger");
}

static void test_ledger_ledger__empty_file_is_new_to_create_only(void **state)
{
    kit *k = *state;

    write_file(k, "", 0);
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL, "empty file");
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EINVAL, "empty file");
    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
}

static void test_ledger_ledger__refuses_other_versions(void **state)
{
    kit *k = *state;

    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    kit_sql(k, "PRAGMA user_version=3", NULL);
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL,
                   "written by a newer whet (version 3, this one reads 1)");
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EINVAL, "newer whet");
    kit_sql(k, "PRAGMA user_version=-7", NULL);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EINVAL, "version -7");
}

static void test_ledger_ledger__refuses_corrupt_files(void **state)
{
    unsigned char noise[4096];
    kit *k = *state;
    whet_ledger *ledger;

    memset(noise, 0xa5, sizeof noise);
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    kit_append(k, ledger, "r", "run_started", "", 1);
    whet_ledger_close(ledger);
    /* The tree of the schema begins after the header of 100 bytes. */
    kit_poke(k, 100, noise, sizeof noise - 100);
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL, "corrupt");
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EINVAL, "corrupt");
    assert_int_equal(truncate(k->path, 60), 0);
    kit_open_fails(k, WHET_LEDGER_READ, WHET_EINVAL, "not a ledger");
}

static bool count_one(const whet_event *event, void *payload)
{
    ++*(int *)payload;
    return true;
}

static void test_ledger_ledger__damaged_events_are_told(void **state)
{
    unsigned char noise[4096];
    kit *k = *state;
    whet_ledger *ledger;
    char root[256];
    int count = 0;

    memset(noise, 0xa5, sizeof noise);
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    kit_append(k, ledger, "r", "run_started", "", 1);
    whet_ledger_close(ledger);
    kit_sql(k, "SELECT rootpage FROM sqlite_master WHERE name='events'", root);
    kit_poke(k, (atol(root) - 1) * 4096, noise, sizeof noise);
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(whet_ledger_each(ledger, NULL, count_one, &count, &k->err),
                     WHET_EINVAL);
    kit_expect_message(k, "corrupt");
    assert_int_equal(count, 0);
    whet_ledger_close(ledger);
}

static void test_ledger_ledger__file_names_are_only_names(void **state)
{
    static const char *const names[] = {":memory:", "file:x?mode=memory"};
    kit *k = *state;
    char old[4096];
    size_t i;

    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(k->dir), 0);
    for (i = 0; i < 2; i++) {
        free(k->path);
        k->path = whet_strdup(names[i]);
        whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
        assert_true(whet_fs_exists(names[i]));
    }
    assert_int_equal(chdir(old), 0);
}

/* ---- locks ---- */

static void test_ledger_ledger__second_writer_is_told_the_pid(void **state)
{
    kit *k = *state;
    whet_ledger *writer = kit_open(k, WHET_LEDGER_CREATE), *reader;
    char pid[64], *link = whet_fs_join(k->dir, "other-name"), *path = k->path;

    snprintf(pid, sizeof pid, "being written by process %ld", (long)getpid());
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, pid);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, pid);
    assert_int_equal(symlink(k->path, link), 0);
    k->path = link;
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, pid);
    k->path = path;
    kit_append(k, writer, "r", "run_started", "", 1);
    reader = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, reader, NULL), 1);
    kit_append(k, writer, "r", "resumed", "", 2);
    assert_int_equal(kit_count(k, reader, NULL), 2);
    whet_ledger_close(reader);
    whet_ledger_close(writer);
    whet_ledger_close(kit_open(k, WHET_LEDGER_WRITE));
    free(link);
}

static void test_ledger_ledger__reader_may_outlive_the_writer(void **state)
{
    kit *k = *state;
    whet_ledger *writer = kit_open(k, WHET_LEDGER_CREATE), *reader;

    kit_append(k, writer, "r", "run_started", "", 1);
    reader = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, reader, NULL), 1);
    whet_ledger_close(writer);
    assert_int_equal(kit_count(k, reader, NULL), 1);
    writer = kit_open(k, WHET_LEDGER_WRITE);
    kit_append(k, writer, "r", "resumed", "", 2);
    assert_int_equal(kit_count(k, reader, NULL), 2);
    whet_ledger_close(writer);
    whet_ledger_close(reader);
}

static void test_ledger_ledger__reader_may_not_write(void **state)
{
    kit *k = *state;
    whet_ledger *reader;
    json_t *data = json_object();
    whet_hash hash;

    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    reader = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(
        whet_ledger_append(NULL, reader, "r", "aa", "", data, &k->err),
        WHET_EFAIL);
    kit_expect_message(k, "opened for reading");
    assert_int_equal(whet_ledger_put_blob(&hash, reader, "x", 1, &k->err),
                     WHET_EFAIL);
    kit_expect_message(k, "opened for reading");
    assert_int_equal(whet_ledger_begin(reader, &k->err), WHET_EFAIL);
    kit_expect_message(k, "opened for reading");
    json_decref(data);
    whet_ledger_close(reader);
}

static void test_ledger_ledger__read_only_file(void **state)
{
    kit *k = *state;

    const bool is_root = geteuid() == 0;

    /* Root may write everything, so it becomes nobody for a while. */
    if (is_root) {
        assert_int_equal(chown(k->dir, 65534, 65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    whet_ledger_close(kit_open(k, WHET_LEDGER_CREATE));
    assert_int_equal(chmod(k->path, 0444), 0);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, "read-only");
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
    assert_int_equal(chmod(k->path, 0644), 0);
    assert_int_equal(chmod(k->dir, 0555), 0);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, "cannot be written");
    whet_ledger_close(kit_open(k, WHET_LEDGER_READ));
    assert_int_equal(chmod(k->dir, 0755), 0);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
}

/* /proc takes no files, not even root's. */
static void test_ledger_ledger__unwritable_folder(void **state)
{
    kit *k = *state;

    free(k->path);
    k->path = whet_strdup("/proc/self/x.ledger");
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, "cannot be written");
}

/* ---- groups ---- */

static void test_ledger_ledger__group_is_all_or_nothing(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    whet_ledger *reader = kit_open(k, WHET_LEDGER_READ);

    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    kit_append(k, ledger, "r", "aa", "", 1);
    kit_append(k, ledger, "r", "aa", "", 2);
    assert_int_equal(kit_count(k, reader, NULL), 0);
    whet_ledger_rollback(ledger);
    assert_int_equal(kit_count(k, ledger, NULL), 0);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    assert_int_equal(kit_append(k, ledger, "r", "aa", "", 3), 1);
    assert_int_equal(kit_append(k, ledger, "r", "aa", "", 4), 2);
    assert_int_equal(whet_ledger_commit(ledger, &k->err), WHET_OK);
    assert_int_equal(kit_count(k, reader, NULL), 2);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    kit_append(k, ledger, "r", "aa", "", 5);
    whet_ledger_close(ledger); /* drops the open group */
    assert_int_equal(kit_count(k, reader, NULL), 2);
    whet_ledger_close(reader);
}

static void test_ledger_ledger__groups_do_not_nest(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);

    assert_int_equal(whet_ledger_commit(ledger, &k->err), WHET_EFAIL);
    kit_expect_message(k, "no group");
    whet_ledger_rollback(ledger);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_EFAIL);
    kit_expect_message(k, "may not nest");
    kit_append(k, ledger, "r", "aa", "", 1);
    assert_int_equal(whet_ledger_commit(ledger, &k->err), WHET_OK);
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    whet_ledger_close(ledger);
}

/* ---- no room: no file of the process may grow beyond a limit ---- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_ledger_ledger__file_limit_leaves_nothing_new(void **state)
{
    kit *k = *state;

    signal(SIGXFSZ, SIG_IGN);
    limit_files(8192);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, "file size limit");
    limit_files(RLIM_INFINITY);
    assert_false(kit_has(k, ""));
    assert_false(kit_has(k, "-journal"));
    assert_false(kit_has(k, ".lock"));
}

static void test_ledger_ledger__file_limit_keeps_what_was(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    char *noise = malloc(1 << 20);
    whet_hash hash;

    assert_non_null(noise);
    memset(noise, 'x', 1 << 20);
    kit_append(k, ledger, "r", "aa", "", 1);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(256 << 10);
    assert_int_equal(
        whet_ledger_put_blob(&hash, ledger, noise, 1 << 20, &k->err),
        WHET_EFAIL);
    kit_expect_message(k, "file size limit");
    assert_string_equal(hash.text, "");
    limit_files(RLIM_INFINITY);
    assert_int_equal(kit_append(k, ledger, "r", "aa", "", 2), 2);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, ledger, NULL), 2);
    whet_ledger_close(ledger);
    free(noise);
}

static void test_ledger_ledger__file_limit_drops_a_group_whole(void **state)
{
    kit *k = *state;
    whet_ledger *ledger = kit_open(k, WHET_LEDGER_CREATE);
    size_t bytes = 16 << 20; /* more than SQLite's cache, so that it spills */
    char *noise = malloc(bytes);
    json_t *data = json_object();
    whet_status st;
    whet_hash hash;

    assert_non_null(noise);
    memset(noise, 'x', bytes);
    kit_append(k, ledger, "r", "aa", "", 1);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(256 << 10);
    assert_int_equal(whet_ledger_begin(ledger, &k->err), WHET_OK);
    kit_append(k, ledger, "r", "aa", "", 2);
    st = whet_ledger_put_blob(&hash, ledger, noise, bytes, &k->err);
    assert_int_equal(st, WHET_EFAIL);
    kit_expect_message(k, "file size limit");
    /* The rest of the group must not be committed without its start. */
    st = whet_ledger_append(NULL, ledger, "r", "aa", "", data, &k->err);
    if (st == WHET_OK)
        st = whet_ledger_commit(ledger, &k->err);
    limit_files(RLIM_INFINITY);
    if (st == WHET_OK) {
        assert_int_equal(kit_count(k, ledger, NULL), 3);
    } else {
        kit_expect_message(k, "x.ledger");
        whet_ledger_rollback(ledger);
        assert_int_equal(kit_count(k, ledger, NULL), 1);
    }
    kit_append(k, ledger, "r", "aa", "", 4);
    json_decref(data);
    free(noise);
    whet_ledger_close(ledger);
}

/* ---- a small file system of its own, where root may mount one ---- */

static bool mount_small(kit *k)
{
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return false;
    return mount("none", k->dir, "tmpfs", 0, "size=256k") == 0;
}

static void test_ledger_ledger__full_disk(void **state)
{
    kit *k = *state;
    whet_ledger *ledger;
    whet_hash hash;
    char *noise, *filler;

    if (!mount_small(k))
        skip();
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    kit_append(k, ledger, "r", "aa", "", 1);
    noise = calloc(1, 1 << 20);
    assert_non_null(noise);
    assert_int_equal(
        whet_ledger_put_blob(&hash, ledger, noise, 1 << 20, &k->err),
        WHET_EFAIL);
    kit_expect_message(k, "the disk is full");
    kit_append(k, ledger, "r", "aa", "", 2);
    whet_ledger_close(ledger);
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, ledger, NULL), 2);
    whet_ledger_close(ledger);
    assert_int_equal(unlink(k->path), 0);
    filler = whet_fs_join(k->dir, "filler");
    assert_int_equal(whet_fs_write(filler, noise, 250000, &k->err), WHET_OK);
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, "the disk is full");
    assert_false(kit_has(k, ""));
    assert_int_equal(umount2(k->dir, MNT_DETACH), 0);
    free(filler);
    free(noise);
}

static void test_ledger_ledger__read_only_disk(void **state)
{
    kit *k = *state;
    whet_ledger *ledger;

    if (!mount_small(k))
        skip();
    ledger = kit_open(k, WHET_LEDGER_CREATE);
    kit_append(k, ledger, "r", "aa", "", 1);
    whet_ledger_close(ledger);
    assert_int_equal(mount("none", k->dir, "tmpfs", MS_REMOUNT | MS_RDONLY, ""),
                     0);
    kit_open_fails(k, WHET_LEDGER_WRITE, WHET_EFAIL, "read-only");
    kit_open_fails(k, WHET_LEDGER_CREATE, WHET_EFAIL, "read-only");
    ledger = kit_open(k, WHET_LEDGER_READ);
    assert_int_equal(kit_count(k, ledger, NULL), 1);
    whet_ledger_close(ledger);
    assert_int_equal(umount2(k->dir, MNT_DETACH), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_ledger__creates_and_reopens),
        TEST(test_ledger_ledger__is_one_plain_file_at_rest),
        TEST(test_ledger_ledger__close_takes_null),
        TEST(test_ledger_ledger__absent_file_is_not_found),
        TEST(test_ledger_ledger__refuses_what_is_no_ledger),
        TEST(test_ledger_ledger__empty_file_is_new_to_create_only),
        TEST(test_ledger_ledger__refuses_other_versions),
        TEST(test_ledger_ledger__refuses_corrupt_files),
        TEST(test_ledger_ledger__damaged_events_are_told),
        TEST(test_ledger_ledger__file_names_are_only_names),
        TEST(test_ledger_ledger__second_writer_is_told_the_pid),
        TEST(test_ledger_ledger__reader_may_outlive_the_writer),
        TEST(test_ledger_ledger__reader_may_not_write),
        TEST(test_ledger_ledger__read_only_file),
        TEST(test_ledger_ledger__unwritable_folder),
        TEST(test_ledger_ledger__group_is_all_or_nothing),
        TEST(test_ledger_ledger__groups_do_not_nest),
        TEST(test_ledger_ledger__file_limit_leaves_nothing_new),
        TEST(test_ledger_ledger__file_limit_keeps_what_was),
        TEST(test_ledger_ledger__file_limit_drops_a_group_whole),
        TEST(test_ledger_ledger__full_disk),
        TEST(test_ledger_ledger__read_only_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
