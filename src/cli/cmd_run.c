/* whet run and whet resume: the whole search, and what it found. */

#include "cli/cli.h"

#include "report/report.h"
#include "search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opts {
    const char *device;
    whet_cli_pick_opts pick;
    const char *workload;
    const char *baseline;
    const char *skills;
    const char *ledger;
    int64_t seed;
    int64_t evaluations;
    uint64_t wall_ns;
    int64_t calls;
    bool unsafe;
    bool again;
    bool quiet;
    bool json;
};

#define ROW_EVALUATIONS(text)                                                  \
    {                                                                          \
        .name = "evaluations", .short_name = 'n', .type = WHET_OPT_I64,        \
        .offset = offsetof(struct opts, evaluations), .fallback = text,        \
        .min = 0, .max = 1000000, .value_name = "N",                           \
        .help = "Candidates to build and screen at most; 0 = no cap"           \
    }
#define ROW_TIME(text)                                                         \
    {                                                                          \
        .name = "time", .short_name = 't', .type = WHET_OPT_DURATION,          \
        .offset = offsetof(struct opts, wall_ns), .fallback = text, .min = 0,  \
        .max = 31536000, .value_name = "TIME",                                 \
        .help = "Stop proposing after this long (30s, 10m, 2h); 0 = no cap"    \
    }
#define ROW_QUIET                                                              \
    {                                                                          \
        .name = "quiet", .short_name = 'q', .type = WHET_OPT_FLAG,             \
        .offset = offsetof(struct opts, quiet),                                \
        .help = "No progress on stderr"                                        \
    }

static const whet_opt run_rows[] = {
    WHET_CLI_OPT_DEVICE(struct opts),
    WHET_CLI_OPTS_PICK(struct opts),
    WHET_CLI_OPT_WORKLOAD(struct opts),
    WHET_CLI_OPT_BASELINE(struct opts),
    {.name = "skills",
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct opts, skills),
     .env = "WHET_SKILLS",
     .value_name = "DIR",
     .help = "Folder of skills (default: the shipped ones)"},
    {.name = "ledger",
     .short_name = 'l',
     .type = WHET_OPT_STRING,
     .offset = offsetof(struct opts, ledger),
     .value_name = "FILE",
     .help = "Where everything is recorded (default: TASK.ledger)"},
    {.name = "seed",
     .type = WHET_OPT_I64,
     .offset = offsetof(struct opts, seed),
     .fallback = "1",
     .min = 0,
     .max = 9e15,
     .value_name = "N",
     .help = "Decides which points are tried in which order"},
    ROW_EVALUATIONS("40"),
    ROW_TIME("10m"),
    {.name = "calls",
     .type = WHET_OPT_I64,
     .offset = offsetof(struct opts, calls),
     .fallback = "300",
     .min = 2,
     .max = 100000,
     .value_name = "N",
     .help = "Verified timed calls of a confirmation"},
    WHET_CLI_OPT_UNSAFE(struct opts),
    WHET_CLI_OPT_AGAIN(struct opts),
    ROW_QUIET,
    WHET_CLI_OPT_JSON(struct opts),
};

static const whet_opt resume_rows[] = {
    WHET_CLI_OPT_DEVICE(struct opts),
    WHET_CLI_OPTS_PICK(struct opts),
    ROW_EVALUATIONS("0"),
    ROW_TIME("0"),
    WHET_CLI_OPT_AGAIN(struct opts),
    ROW_QUIET,
    WHET_CLI_OPT_JSON(struct opts),
};

static json_t *result_json(const whet_run_result *r, const char *ledger)
{
    return json_pack(
        "{s:s,s:o,s:s,s:I,s:I,s:I,s:I,s:o,s:o}", "run", r->run, "ledger",
        whet_cli_json_text(ledger), "stop", whet_stop_name(r->stop),
        "evaluated", (json_int_t)r->evaluated, "refused",
        (json_int_t)r->refused, "infeasible", (json_int_t)r->infeasible,
        "wall_ns", (json_int_t)r->wall_ns, "skill",
        r->has_champion ? json_string(r->champion_skill) : json_null(),
        "champion",
        r->has_champion ? whet_verdict_to_json(&r->champion) : json_null());
}

static void add_arm(whet_table *table, const char *label, const char *hash,
                    const whet_timing *t, const whet_verdict *v)
{
    char median[32], ratio[64] = "1.00x", share[32] = "n/a";
    bool is_champion = t == &v->candidate_time;

    whet_duration_format(median, t->median_ns);
    if (is_champion)
        snprintf(ratio, sizeof ratio, "%.2fx [%.2f, %.2f]", v->ratio,
                 v->ratio_lo, v->ratio_hi);
    if (v->limit_ns > 0 && t->median_ns > 0)
        snprintf(share, sizeof share, "%.0f %%",
                 100.0 * (double)v->limit_ns / (double)t->median_ns);
    whet_table_add_cell(table, "%s", label);
    whet_table_add_cell(table, "%.12s", hash);
    whet_table_add_cell(table, "%s", median);
    whet_table_add_cell(table, "%s", ratio);
    whet_table_add_cell(table, "%s", share);
    whet_table_add_cell(table, "%u", t->call_count);
}

/* A vendor's library as a row: how it compares with the baseline follows from
 * the champion, which both were compared with. */
static void add_library(whet_table *table, const whet_verdict_library *l,
                        const whet_verdict *v)
{
    char median[32] = "n/a", ratio[64] = "n/a", share[32] = "n/a";

    if (l->is_correct) {
        whet_duration_format(median, l->median_ns);
        snprintf(ratio, sizeof ratio, "%.2fx", v->ratio / l->ratio);
    }
    if (l->is_correct && v->limit_ns > 0)
        snprintf(share, sizeof share, "%.0f %%",
                 100.0 * (double)v->limit_ns / (double)l->median_ns);
    whet_table_add_cell(table, "%s", l->name);
    whet_table_add_cell(table, "%s", l->is_correct ? "library" : "no time");
    whet_table_add_cell(table, "%s", median);
    whet_table_add_cell(table, "%s", ratio);
    whet_table_add_cell(table, "%s", share);
    whet_table_add_cell(table, "%u", l->call_count);
}

static void print_champion(whet_buf *out, const whet_run_result *r)
{
    static const whet_table_column columns[] = {
        {"", WHET_ALIGN_LEFT, true},
        {"id", WHET_ALIGN_LEFT, true},
        {"median", WHET_ALIGN_RIGHT, true},
        {"speed-up [95 %]", WHET_ALIGN_RIGHT, true},
        {"of limit", WHET_ALIGN_RIGHT, true},
        {"timed calls", WHET_ALIGN_RIGHT, true},
    };
    const whet_verdict *v = &r->champion;
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    add_arm(&table, "baseline", v->reference.text, &v->reference_time, v);
    add_arm(&table, "champion", v->candidate.text, &v->candidate_time, v);
    for (uint32_t i = 0; i < v->library_count; i++)
        add_library(&table, &v->libraries[i], v);
    whet_table_print(out, &table);
    whet_table_deinit(&table);
    whet_buf_printf(out, "\nchampion: %s at %s\n", r->champion_skill,
                    r->champion_point);
    whet_buf_printf(out,
                    "verified: %u calls, on the timed shape and %u others; "
                    "worst error %.2f of the bound\n",
                    v->verified_calls, v->shapes_verified, v->worst_error);
    whet_buf_printf(out, "%s on %s, %s\n", whet_evidence_name(v->evidence),
                    v->device.name, v->device.driver);
}

static void print_result(whet_buf *out, const whet_run_result *r,
                         const char *ledger)
{
    char wall[32];
    whet_buf word = {0};

    whet_duration_format(wall, r->wall_ns);
    if (r->has_champion) {
        whet_buf_printf(out, "%s  %s\n\n", r->champion.task,
                        r->champion.workload);
        print_champion(out, r);
    } else {
        whet_buf_puts(out, "no candidate is faster than the baseline in a "
                           "confirmation\n");
    }
    whet_buf_printf(out,
                    "%u candidate%s evaluated (%u refused), %u point%s "
                    "infeasible; stopped: %s after %s\n",
                    r->evaluated, r->evaluated == 1 ? "" : "s", r->refused,
                    r->infeasible, r->infeasible == 1 ? "" : "s",
                    whet_stop_name(r->stop), wall);
    whet_cli_add_word(&word, ledger);
    whet_buf_printf(out, "evidence: whet log %s", whet_buf_str(&word));
    if (r->has_champion)
        whet_buf_printf(out,
                        "; whet show %s %.12s\n"
                        "judge it again: whet judge --from %s %.12s\n",
                        whet_buf_str(&word), r->champion.candidate.text,
                        whet_buf_str(&word), r->champion.candidate.text);
    else
        whet_buf_puts(out, "\n");
    out->failed |= word.failed;
    whet_buf_deinit(&word);
}

static int report(const whet_run_result *result, const char *ledger,
                  bool as_json)
{
    whet_buf text = {0};
    int status;

    if (as_json) {
        status = whet_cli_print_json(result_json(result, ledger));
    } else {
        print_result(&text, result, ledger);
        status = whet_cli_print(&text);
    }
    if (status != 0)
        return status;
    if (result->stop == WHET_STOP_CANCELLED)
        return 130;
    return result->has_champion ? 0 : WHET_CLI_NO;
}

static whet_run_opts run_opts(const struct opts *o, const char *ledger,
                              const char *failures)
{
    whet_run_opts opts = {
        .device = o->device,
        .workload = o->workload,
        .baseline = o->baseline,
        .skills = o->skills,
        .ledger = ledger,
        .seed = (uint64_t)o->seed,
        .budget = {(uint32_t)o->evaluations, o->wall_ns},
        .confirm_calls = (unsigned)o->calls,
        .is_unsafe = o->unsafe,
        .failures = failures,
        .is_again = o->again,
        .log = whet_log_stderr(o->quiet ? WHET_LOG_WARN : WHET_LOG_INFO),
        .cancel = whet_cli_interrupt()};

    return opts;
}

/* "TASK.ledger" in the working directory, from the last part of the path. */
static char *default_ledger(const char *task)
{
    size_t bytes = strlen(task);
    const char *name;

    while (bytes > 1 && task[bytes - 1] == '/')
        bytes--;
    name = task + bytes;
    while (name > task && name[-1] != '/')
        name--;
    return whet_asprintf("%.*s.ledger", (int)(task + bytes - name), name);
}

static int run(const void *options, const whet_args *args)
{
    const struct opts *o = options;
    char *ledger =
        o->ledger ? whet_strdup(o->ledger) : default_ledger(args->items[0]);
    char *failures = whet_cli_failures_dir();
    whet_run_opts opts = run_opts(o, ledger, failures);
    whet_run_result result = {0};
    whet_err err = {0};
    int status;

    opts.task = args->items[0];
    if (ledger == NULL)
        whet_err_set(&err, WHET_ENOMEM, "out of memory");
    if (ledger != NULL &&
        whet_cli_pick(&opts.pick, &o->pick, &opts.log, &err) == WHET_OK &&
        whet_search_run(&result, &opts, &err) == WHET_OK)
        status = report(&result, ledger, o->json);
    else
        status = whet_cli_fail(&err);
    whet_run_result_deinit(&result);
    free(failures);
    free(ledger);
    return status;
}

static int resume(const void *options, const whet_args *args)
{
    const struct opts *o = options;
    char *failures = whet_cli_failures_dir();
    whet_run_opts opts = run_opts(o, args->items[0], failures);
    whet_run_result result = {0};
    whet_err err = {0};
    int status;

    if (whet_cli_pick(&opts.pick, &o->pick, &opts.log, &err) == WHET_OK &&
        whet_search_resume(&result, &opts, &err) == WHET_OK)
        status = report(&result, args->items[0], o->json);
    else
        status = whet_cli_fail(&err);
    whet_run_result_deinit(&result);
    free(failures);
    return status;
}

const whet_command whet_cmd_run = {
    .name = "run",
    .usage = "TASK",
    .summary = "Search for a faster kernel and confirm it",
    .detail =
        "TASK is a folder with a task.yaml or the name of a shipped task. "
        "Everything that\nhappens is appended to the ledger; Ctrl-C or a crash "
        "loses at most the call in\nflight, and `whet resume` continues. A "
        "screening's speed-up (~) is an estimate over\nfew calls, chained over "
        "the kernels it was compared with; only a confirmation,\nagainst the "
        "baseline itself, counts.\n\nExit status: 0 a confirmed champion, 1 no "
        "gain, 2 bad use, 3 environment.",
    .opts = run_rows,
    .opt_count = sizeof run_rows / sizeof run_rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};

const whet_command whet_cmd_resume = {
    .name = "resume",
    .usage = "LEDGER",
    .summary = "Continue the newest run of a ledger",
    .detail =
        "Task, device, seed and budget come from the ledger; --evaluations "
        "and --time\nraise the budget.",
    .opts = resume_rows,
    .opt_count = sizeof resume_rows / sizeof resume_rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 1,
    .max_args = 1,
    .run = resume,
};
