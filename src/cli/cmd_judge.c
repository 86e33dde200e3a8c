/* whet judge: one candidate against the baseline, from a file or out of a
 * ledger. */

#include "cli/cli.h"

#include "judge/judge.h"
#include "ledger/ledger.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

struct opts {
    const char *device;
    whet_cli_pick_opts pick;
    const char *workload;
    const char *baseline;
    const char *point;
    const char *from;
    int64_t calls;
    int64_t hidden;
    uint64_t call_timeout_ns;
    const char *under;
    bool no_libraries;
    bool unsafe;
    bool again;
    bool verbose;
    bool json;
};

static const whet_opt rows[] = {
    WHET_CLI_OPT_DEVICE(struct opts),
    WHET_CLI_OPTS_PICK(struct opts),
    WHET_CLI_OPT_WORKLOAD(struct opts),
    WHET_CLI_OPT_BASELINE(struct opts),
    {.name = "point",
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct opts, point),
     .value_name = "T=V,...",
     .help = "Values of tunables (default: the first of each domain)"},
    {.name = "from",
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct opts, from),
     .value_name = "LEDGER",
     .help = "Judge candidate ID of this ledger again, from the ledger alone"},
    {.name = "calls",
     .type = WHET_OPT_I64,
     .offset = offsetof(struct opts, calls),
     .fallback = "300",
     .min = 2,
     .max = 100000,
     .value_name = "N",
     .help = "Verified timed calls of the candidate"},
    {.name = "hidden",
     .type = WHET_OPT_I64,
     .offset = offsetof(struct opts, hidden),
     .fallback = "6",
     .min = 0,
     .max = 64,
     .value_name = "N",
     .help = "Hidden edge shapes to verify"},
    {.name = "call-timeout",
     .type = WHET_OPT_DURATION,
     .offset = offsetof(struct opts, call_timeout_ns),
     .min = 0.1,
     .max = 86400,
     .value_name = "TIME",
     .help = "Longest call (default: 20 times the baseline's, 5 s to 2 min)"},
    {.name = "under",
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct opts, under),
     .value_name = "COMMAND",
     .help = "Start workers under a sanitizer or profiler (GPUs); nothing is a "
             "gain then"},
    {.name = "no-libraries",
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct opts, no_libraries),
     .help = "Do not time vendors' libraries beside a correct candidate"},
    WHET_CLI_OPT_UNSAFE(struct opts),
    WHET_CLI_OPT_AGAIN(struct opts),
    {.name = "verbose",
     .short_name = 'v',
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct opts, verbose),
     .help = "Say what is going on"},
    WHET_CLI_OPT_JSON(struct opts),
};

/* Everything a judgement stands on. */
struct work {
    const struct opts *opts;
    whet_task *task;
    whet_device_handle device;
    whet_card_lock lock;
    whet_calibration calibration;
    whet_candidate *baseline;
    whet_candidate *candidate;
    whet_point point;
    whet_judge *judge;
    whet_arm *arms[2];
    whet_ledger *ledger;
    json_t *started; /* of the run the candidate came from */
    char *failures;  /* folder; NULL = none */
};

static void release(struct work *w)
{
    whet_arm_close(w->arms[0]);
    whet_arm_close(w->arms[1]);
    whet_judge_close(w->judge);
    whet_candidate_free(w->baseline);
    whet_candidate_free(w->candidate);
    whet_device_close(&w->device);
    whet_card_lock_release(&w->lock);
    whet_task_free(w->task);
    whet_ledger_close(w->ledger);
    json_decref(w->started);
    free(w->failures);
}

/* --- out of a ledger ------------------------------------------------------ */

/* The candidate's event and the beginning of its run. */
struct found {
    json_t *candidate, *started;
    char run[64];
    char subject[WHET_HASH_TEXT_BYTES];
};

static bool keep_candidate(const whet_event *event, void *payload)
{
    struct found *found = payload;

    found->candidate = json_deep_copy(event->data);
    (void)whet_strcopy(found->run, sizeof found->run, event->run);
    (void)whet_strcopy(found->subject, sizeof found->subject, event->subject);
    return false;
}

static bool keep_started(const whet_event *event, void *payload)
{
    struct found *found = payload;

    found->started = json_deep_copy(event->data);
    return false;
}

static whet_status find_events(struct found *found, whet_ledger *ledger,
                               const char *id, whet_err *err)
{
    char hash[WHET_HASH_TEXT_BYTES];
    whet_event_query query = {.kind = "candidate", .subject = hash};
    whet_event_query start = {.kind = "run_started", .run = found->run};
    whet_status st = whet_ledger_resolve(hash, ledger, id, err);

    if (st == WHET_OK)
        st = whet_ledger_each(ledger, &query, keep_candidate, found, err);
    if (st == WHET_OK && found->candidate != NULL)
        st = whet_ledger_each(ledger, &start, keep_started, found, err);
    if (st == WHET_OK && (found->candidate == NULL || found->started == NULL))
        st = whet_err_set(err, WHET_EINVAL,
                          "candidate %s: the ledger lacks its source", id);
    return st;
}

static whet_status take_point(struct work *w, const json_t *event,
                              whet_err *err)
{
    json_t *point;
    whet_status st = whet_json_get_object(&point, event, "point", err);
    unsigned i;

    w->point = whet_candidate_default_point(w->candidate);
    for (i = 0; st == WHET_OK && i < w->candidate->tunable_count; i++)
        st = whet_json_get_i64(&w->point.value[i], point,
                               w->candidate->tunables[i].name, INT64_MIN,
                               INT64_MAX, err);
    return st;
}

/* What was rebuilt must be what the run recorded, or the verdict would be about
 * something else. (Whoever changes the file wholly can change the hashes too.)
 */
static whet_status check_hashes(const struct work *w, const struct found *found,
                                whet_err *err)
{
    whet_point base = whet_candidate_default_point(w->baseline);
    whet_hash candidate = whet_candidate_hash(w->candidate, &w->point);
    whet_hash baseline = whet_candidate_hash(w->baseline, &base);
    const char *task_hash, *baseline_hash;
    whet_status st =
        whet_json_get_str(&task_hash, found->started, "task_hash", err);

    if (st == WHET_OK)
        st = whet_json_get_str(&baseline_hash, found->started, "baseline_hash",
                               err);
    if (st != WHET_OK)
        return st;
    if (strcmp(task_hash, w->task->hash.text) != 0)
        return whet_err_set(
            err, WHET_EINVAL,
            "ledger: its task files are not those of task %.12s "
            "that was run",
            task_hash);
    if (strcmp(baseline_hash, baseline.text) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "ledger: its baseline is %.12s, expected %.12s",
                            baseline.text, baseline_hash);
    if (strcmp(found->subject, candidate.text) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "ledger: source and point are those of candidate "
                            "%.12s, expected %.12s",
                            candidate.text, found->subject);
    return WHET_OK;
}

static whet_status open_ledger(struct work *w, const char *id,
                               const char **device_out,
                               const char **workload_out, whet_err *err)
{
    whet_clock clock = whet_clock_system();
    struct found found = {0};
    json_t *baseline;
    char *dir = NULL;
    whet_status st;

    if ((st = whet_ledger_open(&w->ledger, w->opts->from, WHET_LEDGER_READ,
                               &clock, err)) != WHET_OK ||
        (st = find_events(&found, w->ledger, id, err)) != WHET_OK ||
        (st = whet_search_task_dir(&dir, w->ledger, found.started, err)) !=
            WHET_OK ||
        (st = whet_task_load(&w->task, dir, err)) != WHET_OK ||
        (st = whet_search_source(&w->candidate, w->ledger, w->task,
                                 found.candidate, err)) != WHET_OK ||
        (st = take_point(w, found.candidate, err)) != WHET_OK ||
        (st = whet_json_get_array(&baseline, found.started, "baseline", err)) !=
            WHET_OK ||
        (st = whet_search_source(&w->baseline, w->ledger, w->task,
                                 json_array_get(baseline, 0), err)) !=
            WHET_OK ||
        (st = check_hashes(w, &found, err)) != WHET_OK ||
        (st = whet_json_get_str(device_out, found.started, "device", err)) !=
            WHET_OK)
        goto out;
    st = whet_json_get_str(workload_out, found.started, "workload", err);
out:
    w->started = found.started;
    json_decref(found.candidate);
    free(dir);
    return st;
}

/* --- from files ----------------------------------------------------------- */

static whet_status load_files(struct work *w, const whet_args *args,
                              whet_err *err)
{
    whet_status st =
        whet_candidate_load(&w->candidate, args->items[1], w->task, err);

    if (st == WHET_OK)
        w->point = whet_candidate_default_point(w->candidate);
    if (st == WHET_OK && w->opts->point != NULL)
        st = whet_point_parse(&w->point, w->candidate, w->opts->point, err);
    if (st == WHET_OK)
        st = whet_search_baseline(&w->baseline, w->task, &w->device,
                                  w->opts->baseline, err);
    return st;
}

static whet_status open_device(struct work *w, const char *text, whet_err *err)
{
    whet_log log = whet_log_stderr(WHET_LOG_INFO);
    whet_pick_opts pick;
    whet_status st = whet_cli_pick(&pick, &w->opts->pick, &log, err);

    return st == WHET_OK
               ? whet_device_open_locked(&w->device, &w->lock, text, &pick, err)
               : st;
}

/* --- judging -------------------------------------------------------------- */

static whet_status open_session(struct work *w, const char *workload,
                                whet_err *err)
{
    bool has_calibration =
        whet_calibration_load(&w->calibration, &w->device.facts, NULL) ==
        WHET_OK;
    whet_judge_opts opts = {
        .device = &w->device,
        .task = w->task,
        .calibration = has_calibration ? &w->calibration : NULL,
        .log =
            whet_log_stderr(w->opts->verbose ? WHET_LOG_INFO : WHET_LOG_WARN),
        .call_timeout_ns = w->opts->call_timeout_ns,
        .is_unsafe = w->opts->unsafe,
        .under = w->opts->under,
        .failures = w->failures,
        .is_again = w->opts->again,
        .cancel = whet_cli_interrupt()};
    whet_status st = whet_task_workload(&opts.workload, w->task,
                                        workload ? workload : "0", err);

    return st == WHET_OK ? whet_judge_open(&w->judge, &opts, err) : st;
}

static whet_status judge(whet_verdict *out, struct work *w, whet_err *err)
{
    whet_protocol protocol = whet_protocol_confirm((unsigned)w->opts->calls);
    whet_point base = whet_candidate_default_point(w->baseline);
    whet_verdict refusal = {0};
    whet_status st;

    (void)whet_strcopy(protocol.name, sizeof protocol.name,
                       w->opts->under != NULL ? "under a tool" : "judge");
    protocol.hidden_shapes = (unsigned)w->opts->hidden;
    st =
        whet_arm_open(&w->arms[1], out, w->judge, w->candidate, &w->point, err);
    if (st != WHET_OK || w->arms[1] == NULL)
        return st;
    st = whet_arm_open_reference(&w->arms[0], &refusal, w->judge, w->baseline,
                                 &base, err);
    if (st == WHET_OK && w->arms[0] == NULL)
        st = whet_err_set(err, WHET_EINVAL, "baseline refused: %s (%s): %s",
                          whet_outcome_name(refusal.outcome),
                          whet_reason_name(refusal.reason), refusal.message);
    whet_verdict_deinit(&refusal);
    if (st == WHET_OK) {
        whet_spend built = out->spend;

        whet_verdict_deinit(out);
        st = whet_judge_compare(out, w->judge, w->arms[0], w->arms[1],
                                &protocol, err);
        if (st == WHET_OK && !w->opts->no_libraries)
            st = whet_judge_libraries(out, w->judge, w->arms[1], err);
        out->spend.build_ns = built.build_ns;
        out->spend.wall_ns += built.wall_ns;
    }
    return st;
}

static whet_status check_words(const struct opts *opts, const whet_args *args,
                               whet_err *err)
{
    size_t want = opts->from != NULL ? 1 : 2;

    if (args->count == want)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL, "expected %s",
                        opts->from ? "judge --from LEDGER ID"
                                   : "judge TASK FILE");
}

static whet_status work(whet_verdict *verdict, struct work *w,
                        const whet_args *args, whet_err *err)
{
    const char *device = NULL, *workload = NULL;
    whet_status st = check_words(w->opts, args, err);

    if (st == WHET_OK)
        st = w->opts->from != NULL
                 ? open_ledger(w, args->items[0], &device, &workload, err)
                 : whet_task_load(&w->task, args->items[0], err);
    if (st == WHET_OK)
        st = open_device(w, w->opts->device ? w->opts->device : device, err);
    if (st == WHET_OK && w->opts->from == NULL)
        st = load_files(w, args, err);
    w->failures = whet_cli_failures_dir();
    if (st == WHET_OK)
        st = open_session(w, w->opts->workload ? w->opts->workload : workload,
                          err);
    return st == WHET_OK ? judge(verdict, w, err) : st;
}

static int run(const void *options, const whet_args *args)
{
    struct work w = {.opts = options};
    whet_verdict verdict = {0};
    whet_buf text = {0};
    whet_err err = {0};
    whet_status st = work(&verdict, &w, args, &err);
    int status;

    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
    } else {
        whet_verdict_print(&text, &verdict);
        status = w.opts->json
                     ? whet_cli_print_json(whet_verdict_to_json(&verdict))
                     : whet_cli_print(&text);
        if (status == 0 && verdict.outcome != WHET_OUTCOME_CORRECT)
            status = WHET_CLI_NO;
    }
    whet_buf_deinit(&text);
    whet_verdict_deinit(&verdict);
    release(&w);
    return status;
}

const whet_command whet_cmd_judge = {
    .name = "judge",
    .usage = "TASK FILE | --from LEDGER ID",
    .summary = "Judge one candidate against the baseline",
    .detail = "Builds FILE in a sandbox, runs it in a worker that it cannot "
              "leave, verifies\nevery call, and times it against the baseline "
              "in interleaved blocks.\n\nExit status: 0 correct, 1 anything "
              "else, 2 bad use, 3 environment.",
    .opts = rows,
    .opt_count = sizeof rows / sizeof rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
