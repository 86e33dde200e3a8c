/* Shared by the ledger's tests. */

#include "ledger_kit.h"

#include <signal.h>
#include <sys/wait.h>

int kit_setup(void **state)
{
    kit *k = calloc(1, sizeof *k);

    if (k == NULL || whet_fs_tempdir(&k->dir, "whet-ledger", NULL) != WHET_OK ||
        (k->path = whet_fs_join(k->dir, "x.ledger")) == NULL)
        return -1;
    k->wall_ns = 1000;
    *state = k;
    return 0;
}

int kit_teardown(void **state)
{
    kit *k = *state;

    whet_fs_remove_tree(k->dir);
    free(k->dir);
    free(k->path);
    free(k);
    return 0;
}

static uint64_t next_wall(void *payload)
{
    kit *k = payload;

    return k->wall_ns++;
}

whet_clock kit_clock(kit *k)
{
    return (whet_clock){
        .now_ns = next_wall, .wall_ns = next_wall, .payload = k};
}

whet_ledger *kit_open(kit *k, whet_ledger_mode mode)
{
    whet_clock clock = kit_clock(k);
    whet_ledger *ledger = NULL;

    if (whet_ledger_open(&ledger, k->path, mode, &clock, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    return ledger;
}

void kit_expect_message(kit *k, const char *words)
{
    if (strstr(k->err.msg, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", k->err.msg, words);
    assert_null(strchr(k->err.msg, '\n'));
}

void kit_open_fails(kit *k, whet_ledger_mode mode, whet_status expected,
                    const char *words)
{
    whet_clock clock = kit_clock(k);
    whet_ledger *ledger = (whet_ledger *)k;

    memset(&k->err, 0, sizeof k->err);
    assert_int_equal(whet_ledger_open(&ledger, k->path, mode, &clock, &k->err),
                     expected);
    assert_null(ledger);
    assert_int_equal(k->err.code, expected);
    kit_expect_message(k, words);
}

kit_subject kit_subject_of(const char *first_digits)
{
    kit_subject subject;

    memset(subject.text, '0', sizeof subject.text - 1);
    subject.text[sizeof subject.text - 1] = '\0';
    memcpy(subject.text, first_digits, strlen(first_digits));
    return subject;
}

int64_t kit_append(kit *k, whet_ledger *ledger, const char *run,
                   const char *kind, const char *subject, int n)
{
    json_t *data = json_pack("{s:i}", "n", n);
    int64_t seq = 0;

    if (whet_ledger_append(&seq, ledger, run, kind, subject, data, &k->err) !=
        WHET_OK)
        fail_msg("%s", k->err.msg);
    json_decref(data);
    return seq;
}

int kit_sql(kit *k, const char *sql, char out[256])
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_open(k->path, &db);

    if (out != NULL)
        out[0] = '\0';
    while (rc == SQLITE_OK && *sql != '\0') {
        rc = sqlite3_prepare_v2(db, sql, -1, &stmt, &sql);
        if (rc != SQLITE_OK || stmt == NULL)
            break;
        while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(stmt, 0);

            if (out != NULL)
                whet_strcopy(out, 256, text == NULL ? "(null)" : text);
        }
        rc = sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
    return rc & 0xff;
}

static bool count_one(const whet_event *event, void *payload)
{
    ++*(int *)payload;
    return true;
}

int kit_count(kit *k, whet_ledger *ledger, const whet_event_query *query)
{
    int count = 0;

    if (whet_ledger_each(ledger, query, count_one, &count, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    return count;
}

bool kit_has(kit *k, const char *suffix)
{
    char *name = whet_asprintf("%s%s", k->path, suffix);
    bool has = whet_fs_exists(name);

    free(name);
    return has;
}

void kit_poke(kit *k, long offset, const void *bytes, size_t count)
{
    FILE *file = fopen(k->path, "r+b");

    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void write_and_die(kit *k, uint32_t fs_magic, bool in_group)
{
    const size_t bytes = 8 << 20; /* more than SQLite's cache */
    whet_clock clock = kit_clock(k);
    whet_ledger *ledger;
    json_t *data = json_object();
    void *noise = calloc(1, bytes);
    whet_hash hash;

    if (noise == NULL ||
        whet_ledger__open_on(&ledger, k->path, WHET_LEDGER_CREATE, &clock,
                             &fs_magic, NULL) != WHET_OK ||
        whet_ledger_append(NULL, ledger, "r", "aa", "", data, NULL) != WHET_OK)
        _exit(1);
    if (in_group &&
        (whet_ledger_begin(ledger, NULL) != WHET_OK ||
         whet_ledger_put_blob(&hash, ledger, noise, bytes, NULL) != WHET_OK))
        _exit(1);
    kill(getpid(), SIGKILL);
}

void kit_die_writing(kit *k, uint32_t fs_magic, bool in_group)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        write_and_die(k, fs_magic, in_group);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}
