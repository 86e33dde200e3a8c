/* SIGKILL at random moments: each event whose append had returned is there
 * afterwards, each group is there whole or not at all, and the file opens. */

#include "ledger_kit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum {
    KILLS = 20,
    KILLS_ROLLBACK = 10,
    GROUP_EVENTS = 3,
    NFS = 0x6969,
    EXT4 = 0xef53
};

/* Reports each seq only after its commit returned. */
static void write_until_killed(kit *k, uint32_t magic, int report)
{
    whet_ledger *ledger;
    json_t *data = json_pack("{s:s}", "text", "some words of some length");
    int64_t seq = 0;
    int i;

    if (whet_ledger__open_on(&ledger, k->path, WHET_LEDGER_CREATE, NULL, &magic,
                             NULL) != WHET_OK)
        _exit(1);
    for (;;) {
        if (whet_ledger_append(&seq, ledger, "r", "single", "", data, NULL) !=
                WHET_OK ||
            write(report, &seq, sizeof seq) != sizeof seq ||
            whet_ledger_begin(ledger, NULL) != WHET_OK)
            _exit(1);
        for (i = 0; i < GROUP_EVENTS; i++)
            if (whet_ledger_append(&seq, ledger, "r", "grouped", "", data,
                                   NULL) != WHET_OK)
                _exit(1);
        if (whet_ledger_commit(ledger, NULL) != WHET_OK ||
            write(report, &seq, sizeof seq) != sizeof seq)
            _exit(1);
    }
}

/* Killed `delay_ns` after so many reports. Gives the last seq reported. */
static int64_t run_and_kill(kit *k, uint32_t magic, int report_count,
                            uint64_t delay_ns)
{
    const struct timespec delay = {.tv_nsec = (long)delay_ns};
    int64_t seq, last = 0;
    int report[2], status;
    pid_t pid;

    assert_int_equal(pipe(report), 0);
    pid = fork();
    if (pid == 0) {
        close(report[0]);
        write_until_killed(k, magic, report[1]);
    }
    close(report[1]);
    while (report_count-- > 0 && read(report[0], &seq, sizeof seq) > 0)
        last = seq;
    nanosleep(&delay, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status)); /* and not ended by an error */
    while (read(report[0], &seq, sizeof seq) == sizeof seq)
        last = seq;
    close(report[0]);
    return last;
}

struct seen {
    int64_t last_seq;
    int grouped;
};

static bool look(const whet_event *event, void *payload)
{
    struct seen *seen = payload;

    assert_int_equal(event->seq, seen->last_seq + 1); /* no gaps */
    seen->last_seq = event->seq;
    seen->grouped += strcmp(event->kind, "grouped") == 0;
    return true;
}

static void expect_all(kit *k, uint32_t magic, whet_ledger_mode mode,
                       int64_t reported)
{
    struct seen seen = {0};
    whet_ledger *ledger;

    if (whet_ledger__open_on(&ledger, k->path, mode, NULL, &magic, &k->err) !=
            WHET_OK ||
        whet_ledger_each(ledger, NULL, look, &seen, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    assert_true(seen.last_seq >= reported);
    assert_int_equal(seen.grouped % GROUP_EVENTS, 0);
    whet_ledger_close(ledger);
}

static void kill_often(kit *k, uint32_t magic, int kill_count)
{
    int64_t last = 0;
    char check[256];
    int i;

    for (i = 0; i < kill_count; i++) {
        /* Half of them while the file is made or opened, which takes some
         * milliseconds; half at odd moments of writing, however slow. */
        uint64_t delay_ns = (uint64_t)(i * 7919 % KILLS) * 300000;
        int64_t reported = run_and_kill(k, magic, i % 2 * (i / 2), delay_ns);

        if (reported > last)
            last = reported;
        if (!kit_has(k, ""))
            continue;
        if (i % 2 == 0 && last > 0)
            expect_all(k, magic, WHET_LEDGER_READ, last);
        expect_all(k, magic, WHET_LEDGER_CREATE, last);
    }
    assert_true(last > kill_count); /* it did write */
    kit_sql(k, "PRAGMA integrity_check", check);
    assert_string_equal(check, "ok");
}

static void test_ledger_kill__wal_loses_nothing(void **state)
{
    kill_often(*state, EXT4, KILLS);
}

static void test_ledger_kill__rollback_journal_loses_nothing(void **state)
{
    kill_often(*state, NFS, KILLS_ROLLBACK);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ledger_kill__wal_loses_nothing),
        TEST(test_ledger_kill__rollback_journal_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
