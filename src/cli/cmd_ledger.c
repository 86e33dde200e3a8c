/* whet log, show, export: what a ledger holds. */

#include "cli/cli.h"

#include "device/device.h"
#include "judge/judge.h"
#include "ledger/ledger.h"
#include "report/report.h"
#include "search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static whet_status open_ledger(whet_ledger **out, const char *path,
                               whet_err *err)
{
    whet_clock clock = whet_clock_system();

    return whet_ledger_open(out, path, WHET_LEDGER_READ, &clock, err);
}

static const char *text_of(const json_t *data, const char *key)
{
    const char *text = json_string_value(json_object_get(data, key));

    return text ? text : "";
}

static double number_of(const json_t *data, const char *key)
{
    const json_t *value = json_object_get(data, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- log ------------------------------------------------------------------ */

struct log_opts {
    const char *run;
    bool events;
    bool json;
};

static const whet_opt log_rows[] = {
    {.name = "run",
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct log_opts, run),
     .value_name = "RUN",
     .help = "Only this run (default: the newest)"},
    {.name = "events",
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct log_opts, events),
     .help = "Every event, one line each"},
    WHET_CLI_OPT_JSON(struct log_opts),
};

/* What the log gathers while it reads events in order. */
struct log_view {
    whet_buf *out;
    whet_table table;
    json_t *candidates; /* hash -> data of its candidate event */
    json_t *list;       /* for --json */
    double *best;
    size_t best_count, best_alloc;
    uint64_t event_count;
    double best_so_far;
    char champion[WHET_HASH_TEXT_BYTES];
};

static void add_best(struct log_view *view, double score)
{
    void *items = view->best;

    if (!(view->best_so_far >= score))
        view->best_so_far = score;
    if (!whet_vec_reserve(&items, &view->best_alloc, view->best_count + 1,
                          sizeof *view->best))
        return;
    view->best = items;
    view->best[view->best_count++] = view->best_so_far;
}

static void add_verdict(struct log_view *view, const whet_event *event)
{
    const json_t *candidate = json_object_get(view->candidates, event->subject);
    const json_t *ratio = json_object_get(event->data, "ratio");
    const json_t *time = json_object_get(event->data, "candidate_time");
    double score = number_of(event->data, "score");
    double median_ns = number_of(time, "median_ns");
    const char *outcome = text_of(event->data, "outcome");
    const char *reason = text_of(event->data, "reason");
    bool is_correct = strcmp(outcome, "correct") == 0;
    char median[32] = "n/a", result[96] = "correct";

    if (strcmp(event->kind, "screened") == 0)
        add_best(view, is_correct ? score : NAN);
    if (isfinite(median_ns) && median_ns >= 0)
        whet_duration_format(median, (uint64_t)median_ns);
    if (!is_correct)
        snprintf(result, sizeof result, "%.40s: %.40s", outcome, reason);
    else if (strcmp(event->kind, "confirmed") == 0 && json_is_object(ratio))
        snprintf(result, sizeof result, "%.2fx [%.2f, %.2f]",
                 number_of(ratio, "value"), number_of(ratio, "lo"),
                 number_of(ratio, "hi"));
    else if (isfinite(score)) /* chained over few calls: an estimate */
        snprintf(result, sizeof result, "~%.2fx", score);
    whet_table_add_cell(&view->table, "%.8s", event->subject);
    whet_table_add_cell(&view->table, "%s", event->kind);
    whet_table_add_cell(&view->table, "%s", text_of(candidate, "skill"));
    whet_table_add_cell(&view->table, "%s", text_of(candidate, "point_text"));
    whet_table_add_cell(&view->table, "%s", result);
    whet_table_add_cell(&view->table, "%s", median);
}

static json_t *event_json(const whet_event *event)
{
    return json_pack("{s:I,s:I,s:s,s:s,s:s,s:O}", "seq", (json_int_t)event->seq,
                     "wall_ns", (json_int_t)event->wall_ns, "run", event->run,
                     "kind", event->kind, "subject", event->subject, "data",
                     event->data);
}

static bool on_event(const whet_event *event, void *payload)
{
    struct log_view *view = payload;
    char when[32];

    view->event_count++;
    if (view->list != NULL) {
        json_array_append_new(view->list, event_json(event));
    } else if (view->out != NULL) {
        whet_clock_format(when, event->wall_ns);
        whet_buf_printf(view->out, "%6lld  %s  %-12s %.12s\n",
                        (long long)event->seq, when, event->kind,
                        event->subject);
    } else if (strcmp(event->kind, "candidate") == 0) {
        json_object_set_new(view->candidates, event->subject,
                            json_deep_copy(event->data));
    } else if (strcmp(event->kind, "screened") == 0 ||
               strcmp(event->kind, "confirmed") == 0) {
        add_verdict(view, event);
    } else if (strcmp(event->kind, "demoted") == 0 &&
               strcmp(event->subject, view->champion) == 0) {
        view->champion[0] = '\0';
    } else if (strcmp(event->kind, "champion") == 0) {
        (void)whet_strcopy(view->champion, sizeof view->champion,
                           event->subject);
    }
    return true;
}

static void print_log(whet_buf *out, const struct log_view *view,
                      const char *run)
{
    whet_plot_opts plot = {.has_unicode = whet_plot_has_unicode()};

    whet_buf_printf(out, "run %s\n\n", run);
    whet_table_print(out, &view->table);
    if (view->best_count > 1) {
        whet_buf_puts(out, "\nbest screening ratio so far\n");
        whet_plot_progress(out, view->best, view->best_count, &plot);
    }
    if (view->champion[0] != '\0')
        whet_buf_printf(out, "\nchampion: %.12s\n", view->champion);
}

static int run_log(const void *options, const whet_args *args)
{
    static const whet_table_column columns[] = {
        {"id", WHET_ALIGN_LEFT, true},
        {"stage", WHET_ALIGN_LEFT, true},
        {"skill", WHET_ALIGN_LEFT, false},
        {"point", WHET_ALIGN_LEFT, true},
        {"speed-up or fault", WHET_ALIGN_LEFT, true},
        {"median", WHET_ALIGN_RIGHT, true},
    };
    const struct log_opts *o = options;
    struct log_view view = {.best_so_far = NAN};
    whet_event_query query = {0};
    whet_ledger *ledger = NULL;
    whet_buf out = {0};
    whet_err err = {0};
    char newest[64] = "";
    int status = 0;
    whet_status st = open_ledger(&ledger, args->items[0], &err);

    whet_table_init(&view.table, columns, sizeof columns / sizeof columns[0]);
    view.candidates = json_object();
    view.list = o->json ? json_array() : NULL;
    view.out = o->events ? &out : NULL;
    if (st == WHET_OK && o->run == NULL)
        st = whet_ledger_last_run(newest, ledger, &err);
    query.run = o->run ? o->run : newest;
    if (query.run[0] == '\0' || o->json || o->events)
        query.run = o->run;
    if (st == WHET_OK)
        st = whet_ledger_each(ledger, &query, on_event, &view, &err);
    if (st == WHET_OK && o->run != NULL && view.event_count == 0)
        st = whet_err_set(&err, WHET_ENOTFOUND, "%s: holds no run %.64s",
                          args->items[0], o->run);
    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
    } else if (o->json) {
        status = whet_cli_print_json(json_incref(view.list));
    } else {
        if (!o->events)
            print_log(&out, &view, query.run ? query.run : "-");
        status = whet_cli_print(&out);
    }
    whet_buf_deinit(&out);
    whet_table_deinit(&view.table);
    free(view.best);
    json_decref(view.candidates);
    json_decref(view.list);
    whet_ledger_close(ledger);
    return status;
}

/* --- show ----------------------------------------------------------------- */

struct show_view {
    whet_buf *out;
    whet_ledger *ledger;
    json_t *events;
    bool has_source;
    whet_status status;
    whet_err err;
};

static void show_candidate(struct show_view *view, const json_t *data)
{
    whet_buf source = {0};
    whet_status st = whet_ledger_get_blob(&source, view->ledger,
                                          text_of(data, "source"), &view->err);

    view->status = st;
    if (st == WHET_OK && !view->has_source) {
        whet_buf_printf(view->out,
                        "move       %s\nskill      %s\n"
                        "point      %s\n",
                        text_of(data, "move"), text_of(data, "skill"),
                        text_of(data, "point_text"));
        if (text_of(data, "parent")[0] != '\0')
            whet_buf_printf(view->out, "parent     %.12s\n",
                            text_of(data, "parent"));
        whet_buf_puts(view->out, "\n");
        whet_buf_escape(view->out, whet_buf_str(&source), source.bytes, true);
        whet_buf_puts(view->out, "\n");
        view->has_source = true;
    }
    whet_buf_deinit(&source);
}

static void show_verdict(struct show_view *view, const whet_event *event)
{
    whet_verdict verdict;

    view->status = whet_verdict_from_json(&verdict, event->data, &view->err);
    if (view->status != WHET_OK)
        return;
    whet_buf_printf(view->out, "%s: ", event->kind);
    whet_verdict_print(view->out, &verdict);
    if (verdict.diagnostic.kind != WHET_DIAGNOSTIC_NONE) {
        whet_buf_escape(view->out, verdict.diagnostic.text,
                        strlen(verdict.diagnostic.text), true);
        whet_buf_puts(view->out, "\n");
    }
    whet_buf_puts(view->out, "\n");
    whet_verdict_deinit(&verdict);
}

static bool on_show(const whet_event *event, void *payload)
{
    struct show_view *view = payload;

    if (view->events != NULL)
        json_array_append_new(view->events, event_json(event));
    else if (strcmp(event->kind, "candidate") == 0)
        show_candidate(view, event->data);
    else if (strcmp(event->kind, "screened") == 0 ||
             strcmp(event->kind, "raced") == 0 ||
             strcmp(event->kind, "confirmed") == 0)
        show_verdict(view, event);
    return view->status == WHET_OK;
}

static int run_show(const void *options, const whet_args *args)
{
    const whet_cli_json_opts *o = options;
    char hash[WHET_HASH_TEXT_BYTES];
    whet_event_query query = {.subject = hash};
    whet_buf out = {0};
    struct show_view view = {.out = &out};
    whet_err err = {0};
    int status;
    whet_status st = open_ledger(&view.ledger, args->items[0], &err);

    if (st == WHET_OK)
        st = whet_ledger_resolve(hash, view.ledger, args->items[1], &err);
    if (o->json)
        view.events = json_array();
    if (st == WHET_OK) {
        whet_buf_printf(&out, "candidate  %s\n", hash);
        st = whet_ledger_each(view.ledger, &query, on_show, &view, &err);
    }
    if (st == WHET_OK && view.status != WHET_OK) {
        st = view.status;
        err = view.err;
    }
    if (st != WHET_OK)
        status = whet_cli_fail(&err);
    else
        status = o->json ? whet_cli_print_json(json_incref(view.events))
                         : whet_cli_print(&out);
    whet_buf_deinit(&out);
    json_decref(view.events);
    whet_ledger_close(view.ledger);
    return status;
}

static const whet_opt show_rows[] = {WHET_CLI_OPT_JSON(whet_cli_json_opts)};

/* --- export --------------------------------------------------------------- */

struct export_opts {
    bool recording;
};

static const whet_opt export_rows[] = {
    {.name = "recording",
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct export_opts, recording),
     .help = "The newest run as a recording that `--device recorded:FILE` "
             "replays"},
};

static int run_export(const void *options, const whet_args *args)
{
    const struct export_opts *o = options;
    whet_ledger *ledger = NULL;
    json_t *recording = NULL;
    whet_err err = {0};
    int status = 0;
    whet_status st = open_ledger(&ledger, args->items[0], &err);

    if (st == WHET_OK && o->recording)
        st = whet_search_recording(&recording, ledger, &err);
    else if (st == WHET_OK)
        st = whet_ledger_export(ledger, stdout, &err);
    if (st != WHET_OK)
        status = whet_cli_fail(&err);
    else if (o->recording)
        status = whet_cli_print_json(recording);
    whet_ledger_close(ledger);
    return status;
}

const whet_command whet_cmd_log = {
    .name = "log",
    .usage = "LEDGER",
    .summary = "List what a run tried, and how it went",
    .opts = log_rows,
    .opt_count = sizeof log_rows / sizeof log_rows[0],
    .opts_bytes = sizeof(struct log_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run_log,
};

const whet_command whet_cmd_show = {
    .name = "show",
    .usage = "LEDGER ID",
    .summary = "Show one candidate: source, point, every verdict",
    .detail = "ID is the beginning of a candidate's hash, at least 4 digits.",
    .opts = show_rows,
    .opt_count = sizeof show_rows / sizeof show_rows[0],
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 2,
    .max_args = 2,
    .run = run_show,
};

const whet_command whet_cmd_export = {
    .name = "export",
    .usage = "LEDGER",
    .summary = "Write a ledger as JSON lines, or its run as a recording",
    .opts = export_rows,
    .opt_count = sizeof export_rows / sizeof export_rows[0],
    .opts_bytes = sizeof(struct export_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run_export,
};
