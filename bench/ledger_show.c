/* What `whet show` asks of a ledger of many candidates: open, resolve a short
 * id, read the candidate's events, close. Also the price of one committed
 * event. Prints times of this run; nothing is compared with a fixed number. */

#include "judge/judge.h"
#include "ledger/ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALLS = 24,
    GROUP = 500,
    SHOWS = 101,
    APPENDS = 100,
    STEPS = 4,
    SOURCES = 7
};

static whet_hash subject_of(int i)
{
    return whet_hash_bytes(&i, sizeof i);
}

/* A verdict with as many calls as a screening makes. */
static json_t *screening(int i)
{
    uint64_t call_ns[CALLS];
    uint32_t block_index[CALLS];
    const whet_timing timing = {.total_ns = CALLS * 1000000,
                                .median_ns = 1000000,
                                .call_count = CALLS,
                                .call_ns = call_ns,
                                .block_index = block_index};
    const whet_verdict verdict = {.outcome = WHET_OUTCOME_CORRECT,
                                  .task = "gemm",
                                  .candidate = subject_of(i),
                                  .reference = subject_of(0),
                                  .has_ratio = true,
                                  .ratio = 1.5,
                                  .ratio_lo = 1.4,
                                  .ratio_hi = 1.6,
                                  .total_ratio = 1.5,
                                  .block_count = CALLS / 4,
                                  .candidate_time = timing,
                                  .reference_time = timing};
    json_t *data;
    int c;

    for (c = 0; c < CALLS; c++) {
        call_ns[c] = 1000000 + (uint64_t)(i * 31 + c * 977);
        block_index[c] = (uint32_t)c / 4;
    }
    data = whet_verdict_to_json(&verdict);
    whet_json_set(data, "rung", json_integer(0));
    whet_json_set(data, "score", json_real(1.0 + i % 100));
    return data;
}

static whet_status add_candidate(whet_ledger *ledger, int i, whet_err *err)
{
    const whet_hash subject = subject_of(i);
    json_t *candidate, *screened;
    char source[4096];
    whet_hash blob;
    whet_status st;

    memset(source, 'a' + i % SOURCES, sizeof source);
    st = whet_ledger_put_blob(&blob, ledger, source, sizeof source, err);
    if (st != WHET_OK)
        return st;
    candidate =
        json_pack("{s:s,s:s,s:{s:i,s:i},s:s,s:s,s:s,s:s}", "source", blob.text,
                  "language", "opencl", "point", "bm", i % 128, "bn", i / 128,
                  "point_text", "bm=64,bn=64", "move", "tune", "skill",
                  "gemm-blocked", "parent", subject_of(i / 2).text);
    screened = screening(i);
    st = whet_ledger_append(NULL, ledger, "r1", "candidate", subject.text,
                            candidate, err);
    if (st == WHET_OK)
        st = whet_ledger_append(NULL, ledger, "r1", "screened", subject.text,
                                screened, err);
    json_decref(candidate);
    json_decref(screened);
    return st;
}

static whet_status fill(const char *path, int count, whet_err *err)
{
    json_t *data = json_pack("{s:s}", "task", "bench");
    whet_ledger *ledger = NULL;
    whet_status st =
        whet_ledger_open(&ledger, path, WHET_LEDGER_CREATE, NULL, err);
    int i;

    if (st == WHET_OK)
        st = whet_ledger_append(NULL, ledger, "r1", "run_started", "", data,
                                err);
    for (i = 0; st == WHET_OK && i < count; i++) {
        if (i % GROUP == 0)
            st = whet_ledger_begin(ledger, err);
        if (st == WHET_OK)
            st = add_candidate(ledger, i, err);
        if (st == WHET_OK && (i % GROUP == GROUP - 1 || i == count - 1))
            st = whet_ledger_commit(ledger, err);
    }
    whet_ledger_close(ledger);
    json_decref(data);
    return st;
}

static bool count_event(const whet_event *event, void *payload)
{
    ++*(int *)payload;
    return true;
}

/* step_ns: open, resolve, read, close. */
static whet_status show(uint64_t step_ns[STEPS], const char *path, int i,
                        whet_err *err)
{
    const whet_clock clock = whet_clock_system();
    char full[WHET_HASH_TEXT_BYTES], id[13];
    const whet_event_query query = {.subject = full};
    whet_ledger *ledger = NULL;
    uint64_t at[STEPS + 1];
    int count = 0;
    whet_status st;

    whet_strcopy(id, sizeof id, subject_of(i).text);
    at[0] = whet_clock_now(&clock);
    st = whet_ledger_open(&ledger, path, WHET_LEDGER_READ, NULL, err);
    at[1] = whet_clock_now(&clock);
    if (st == WHET_OK)
        st = whet_ledger_resolve(full, ledger, id, err);
    at[2] = whet_clock_now(&clock);
    if (st == WHET_OK)
        st = whet_ledger_each(ledger, &query, count_event, &count, err);
    at[3] = whet_clock_now(&clock);
    whet_ledger_close(ledger);
    at[4] = whet_clock_now(&clock);
    if (st == WHET_OK && count < 2)
        st = whet_err_set(err, WHET_EFAIL, "%d events, expected 2", count);
    for (i = 0; i < STEPS; i++)
        step_ns[i] = at[i + 1] - at[i];
    return st;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void print_row(const char *name, uint64_t *times_ns, size_t count)
{
    char median[32], worst[32];

    qsort(times_ns, count, sizeof *times_ns, compare);
    whet_duration_format(median, times_ns[count / 2]);
    whet_duration_format(worst, times_ns[count - 1]);
    printf("%-16s median %-10s worst %s\n", name, median, worst);
}

static whet_status bench_show(const char *path, int count, whet_err *err)
{
    static const char *const names[STEPS + 1] = {"open", "resolve",
                                                 "read events", "close", "all"};
    uint64_t times[STEPS + 1][SHOWS], step_ns[STEPS];
    whet_status st = WHET_OK;
    int i, k;

    for (i = 0; st == WHET_OK && i < SHOWS; i++) {
        st = show(step_ns, path, (int)((int64_t)i * 7919 % count), err);
        times[STEPS][i] = 0;
        for (k = 0; k < STEPS; k++) {
            times[k][i] = step_ns[k];
            times[STEPS][i] += step_ns[k];
        }
    }
    for (k = 0; st == WHET_OK && k <= STEPS; k++)
        print_row(names[k], times[k], SHOWS);
    return st;
}

static whet_status bench_append(const char *path, whet_err *err)
{
    const whet_clock clock = whet_clock_system();
    uint64_t times[APPENDS];
    whet_ledger *ledger = NULL;
    json_t *data = screening(1);
    whet_status st =
        whet_ledger_open(&ledger, path, WHET_LEDGER_WRITE, NULL, err);
    int i;

    for (i = 0; st == WHET_OK && i < APPENDS; i++) {
        uint64_t start_ns = whet_clock_now(&clock);

        st = whet_ledger_append(NULL, ledger, "r1", "raced", subject_of(i).text,
                                data, err);
        times[i] = whet_clock_now(&clock) - start_ns;
    }
    if (st == WHET_OK)
        print_row("append (synced)", times, APPENDS);
    whet_ledger_close(ledger);
    json_decref(data);
    return st;
}

/* Arguments: the ledger to make, the number of candidates. */
int main(int argc, char **argv)
{
    int count = argc == 3 ? atoi(argv[2]) : 0;
    whet_err err = {0};
    whet_status st;

    if (count < 1) {
        fprintf(stderr, "usage: %s NEW_LEDGER CANDIDATES\n", argv[0]);
        return 2;
    }
    st = fill(argv[1], count, &err);
    if (st == WHET_OK)
        printf("%d candidates; an id of one: %.12s\n", count,
               subject_of(count / 2).text);
    if (st == WHET_OK)
        st = bench_show(argv[1], count, &err);
    if (st == WHET_OK)
        st = bench_append(argv[1], &err);
    if (st != WHET_OK)
        fprintf(stderr, "%s\n", err.msg);
    return whet_err_exit_status(st);
}
