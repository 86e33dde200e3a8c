/* The loop: sample, race, confirm; then the champion's neighbourhood, as long
 * as something is gained and the budget lasts. */

#include "search/run_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 4096, CONFIRM_TRIES = 3, ETA = 3 };

const char *whet_stop_name(whet_stop stop)
{
    static const char *const names[] = {"done", "budget", "limit", "cancelled"};

    return names[stop];
}

void whet_run_result_deinit(whet_run_result *result)
{
    whet_verdict_deinit(&result->champion);
    memset(result, 0, sizeof *result);
}

/* Best first; ties by hash, so that the order is total. */
static void sort_trials(int *list, size_t count, const whet_run *run)
{
    size_t i, j;

    for (i = 1; i < count; i++) {
        int move = list[i];
        const whet_trial *m = &run->trials[move];

        for (j = i; j > 0; j--) {
            const whet_trial *b = &run->trials[list[j - 1]];

            if (b->score > m->score || (b->score == m->score &&
                                        strcmp(b->hash.text, m->hash.text) < 0))
                break;
            list[j] = list[j - 1];
        }
        list[j] = move;
    }
}

static size_t keep_correct(int *list, size_t count, const whet_run *run)
{
    size_t i, kept = 0;

    for (i = 0; i < count; i++)
        if (run->trials[list[i]].is_correct)
            list[kept++] = list[i];
    return kept;
}

/* Successive halving: each rung measures the survivors longer and keeps the
 * best third, at least as many as may be confirmed. `*count` shrinks to the
 * survivors, best first. */
static whet_status race(int *list, size_t *count, whet_run *run, whet_err *err)
{
    whet_status st = WHET_OK;
    size_t i, done = 0;
    unsigned rung;

    for (i = 0; st == WHET_OK && i < *count; i++) {
        /* What is in the ledger costs nothing to take again. */
        if (whet_search__is_spent(run) &&
            whet_search__recall(run, "screened", run->trials[list[i]].hash.text,
                                0) == NULL)
            break;
        st = whet_search__screen(run, list[i], 0, err);
        done = st == WHET_OK ? i + 1 : done;
        if (st == WHET_OK && run->trials[list[i]].is_correct &&
            whet_search__is_at_limit(run, list[i]))
            break;
    }
    *count = keep_correct(list, done, run);
    sort_trials(list, *count, run);
    for (rung = 1; st == WHET_OK && *count > 1 && rung < WHET_RUNG_MAX;
         rung++) {
        size_t third = (*count + ETA - 1) / ETA;

        /* The first rung is too short to leave one alone ahead. */
        if (third < CONFIRM_TRIES)
            third = *count < CONFIRM_TRIES ? *count : CONFIRM_TRIES;
        *count = third;
        for (i = 0; st == WHET_OK && i < *count; i++)
            if (run->trials[list[i]].is_correct)
                st = whet_search__screen(run, list[i], rung, err);
        *count = keep_correct(list, *count, run);
        sort_trials(list, *count, run);
    }
    return st;
}

/* Confirm the best; if one fails, the next. */
static whet_status confirm_best(bool *gained, const int *list, size_t count,
                                whet_run *run, whet_err *err)
{
    int before = run->champion;
    whet_status st = WHET_OK;
    size_t i;

    for (i = 0; st == WHET_OK && i < count && i < CONFIRM_TRIES; i++) {
        if (run->trials[list[i]].is_confirmed ||
            run->trials[list[i]].is_demoted ||
            run->trials[list[i]].score <= 1.0)
            continue;
        st = whet_search__confirm(run, list[i], err);
        if (run->champion != before)
            break;
    }
    *gained = run->champion >= 0 && run->champion != before;
    return st;
}

/* Where those that were ahead have fallen, the next best of all get their
 * turn; not all of them, since a confirmation may take minutes. */
static whet_status confirm_rest(int *list, whet_run *run, whet_err *err)
{
    bool gained = false;
    whet_status st = WHET_OK;
    int turn;

    for (turn = 0; st == WHET_OK && turn < 2 && !gained; turn++) {
        size_t i, count = 0;

        for (i = 0; i < run->trial_count && count < SAMPLE_MAX; i++)
            if (run->trials[i].is_correct && !run->trials[i].is_confirmed)
                list[count++] = (int)i;
        sort_trials(list, count, run);
        st = confirm_best(&gained, list, count, run, err);
    }
    return st;
}

static whet_status search(whet_run *run, whet_err *err)
{
    int *list = malloc(SAMPLE_MAX * sizeof *list);
    size_t max = SAMPLE_MAX, count = 0;
    bool gained = false;
    whet_status st;

    if (list == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    /* Two thirds of the evaluations for the sample, the rest for what lies
     * around its winner. */
    if (run->opts.budget.evaluations > 0)
        max = (size_t)run->opts.budget.evaluations * 2 / 3 + 1;
    st = whet_search__sample(list, &count, max < SAMPLE_MAX ? max : SAMPLE_MAX,
                             run, err);
    while (st == WHET_OK && count > 0) {
        double best;

        st = race(list, &count, run, err);
        best = run->champion >= 0 ? run->trials[run->champion].score : 0.0;
        /* Neighbours must beat the champion's own screening before they are
         * worth a confirmation. */
        if (st == WHET_OK && count > 0 &&
            run->trials[list[0]].score > 1.02 * best)
            st = confirm_best(&gained, list, count, run, err);
        else
            gained = false;
        if (st != WHET_OK || !gained || whet_search__is_spent(run) ||
            whet_search__is_at_limit(run, run->champion))
            break;
        st = whet_search__neighbours(list, &count, SAMPLE_MAX, run,
                                     run->champion, err);
    }
    if (st == WHET_OK && run->champion < 0 && run->has_fallen)
        st = confirm_rest(list, run, err);
    free(list);
    return st;
}

static whet_stop why_stopped(const whet_run *run, whet_status st)
{
    if (st == WHET_ECANCELLED)
        return WHET_STOP_CANCELLED;
    if (run->champion >= 0 && whet_search__is_at_limit(run, run->champion))
        return WHET_STOP_LIMIT;
    return whet_search__is_spent(run) ? WHET_STOP_BUDGET : WHET_STOP_DONE;
}

/* Had the run ended before, so that this search found nothing to add? An end
 * by the user, or by a budget that was raised since, is none. */
static bool had_ended(const whet_run *run, const json_t *known)
{
    const char *stop = json_string_value(json_object_get(known, "stop"));

    if (stop == NULL || run->has_written ||
        strcmp(stop, whet_stop_name(WHET_STOP_CANCELLED)) == 0)
        return false;
    return strcmp(stop, whet_stop_name(WHET_STOP_BUDGET)) != 0 ||
           run->result->stop == WHET_STOP_BUDGET;
}

/* Report a run that had ended as it is. */
static void take_end(whet_run_result *result, const json_t *known)
{
    const char *stop = json_string_value(json_object_get(known, "stop"));
    json_int_t wall_ns = json_integer_value(json_object_get(known, "wall_ns"));
    int i;

    for (i = 0; i < WHET_STOP_CANCELLED; i++)
        if (stop != NULL && strcmp(stop, whet_stop_name((whet_stop)i)) == 0)
            result->stop = (whet_stop)i;
    if (wall_ns > 0)
        result->wall_ns = (uint64_t)wall_ns;
}

/* Search and write how it ended. */
static whet_status finish(whet_run *run, whet_err *err)
{
    whet_run_result *result = run->result;
    whet_status st = search(run, err);
    const json_t *known;

    if (st != WHET_OK && st != WHET_ECANCELLED)
        return st;
    result->stop = why_stopped(run, st);
    result->wall_ns =
        run->earlier_ns + whet_clock_now(&run->clock) - run->start_ns;
    known = whet_search__recall(run, "run_stopped", "", 0);
    if (had_ended(run, known)) {
        take_end(result, known);
        return WHET_OK;
    }
    return whet_search__record(
        run, "run_stopped", "", 0,
        json_pack("{s:s,s:I,s:I,s:I,s:I}", "stop", whet_stop_name(result->stop),
                  "evaluated", (json_int_t)result->evaluated, "refused",
                  (json_int_t)result->refused, "infeasible",
                  (json_int_t)result->infeasible, "wall_ns",
                  (json_int_t)result->wall_ns),
        err);
}

void whet_search__close(whet_run *run)
{
    unsigned i;

    whet_arm_close(run->incumbent.arm);
    whet_arm_close(run->baseline_arm);
    whet_judge_close(run->judge);
    for (i = 0; i < run->source_count; i++)
        whet_candidate_free(run->sources[i].candidate);
    whet_candidate_free(run->baseline);
    whet_ledger_close(run->ledger);
    whet_device_close(&run->device);
    whet_card_lock_release(&run->lock);
    whet_task_free(run->task);
    json_decref(run->memo);
    json_decref(run->started);
    free(run->trials);
}

whet_status whet_search__open_judge(whet_run *run, whet_err *err)
{
    whet_judge_opts opts = {.device = &run->device,
                            .task = run->task,
                            .workload = run->workload,
                            .calibration =
                                run->has_calibration ? &run->calibration : NULL,
                            .log = run->opts.log,
                            .is_unsafe = run->opts.is_unsafe,
                            .failures = run->opts.failures,
                            .is_again = run->opts.is_again,
                            .cancel = run->opts.cancel};

    return whet_judge_open(&run->judge, &opts, err);
}

static whet_status drive(whet_run_result *out, const whet_run_opts *opts,
                         whet_status (*start)(whet_run *, whet_err *),
                         whet_err *err)
{
    whet_run *run = calloc(1, sizeof *run);
    whet_status st;

    memset(out, 0, sizeof *out);
    if (run == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    run->opts = *opts;
    run->result = out;
    run->champion = -1;
    run->incumbent.trial = -1;
    run->incumbent.score = 1.0;
    st = start(run, err);
    if (st == WHET_OK)
        (void)whet_strcopy(out->run, sizeof out->run, run->id);
    if (st == WHET_OK)
        st = finish(run, err);
    whet_search__close(run);
    free(run);
    if (st != WHET_OK)
        whet_run_result_deinit(out);
    return st;
}

whet_status whet_search_run(whet_run_result *out, const whet_run_opts *opts,
                            whet_err *err)
{
    return drive(out, opts, whet_search__begin, err);
}

whet_status whet_search_resume(whet_run_result *out, const whet_run_opts *opts,
                               whet_err *err)
{
    return drive(out, opts, whet_search__reopen, err);
}
