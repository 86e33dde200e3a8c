/* Screening and confirming trials. A result that is already in the ledger is
 * used as it stands; only a missing one is measured. */

#include "search/run_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A candidate this much faster, by the worst of its pairs, replaces the
 * reference arm of later screens:
 * small steps are not worth another build, and only confirmation counts. */
static const double incumbent_step = 1.15;
/* Screens give up on a candidate below this share of the incumbent's speed. */
static const double hopeless = 0.6;

static const unsigned rung_pairs[WHET_RUNG_MAX] = {2, 6, 16};

bool whet_search__is_spent(const whet_run *run)
{
    const whet_budget *budget = &run->opts.budget;
    uint64_t used_ns =
        run->earlier_ns + whet_clock_now(&run->clock) - run->start_ns;

    return (budget->evaluations > 0 &&
            run->result->evaluated >= budget->evaluations) ||
           (budget->wall_ns > 0 && used_ns >= budget->wall_ns);
}

bool whet_search__is_at_limit(const whet_run *run, int trial)
{
    whet_work work;
    uint64_t limit_ns;
    uint64_t median_ns = run->trials[trial].median_ns;

    if (!run->has_calibration || median_ns == 0 ||
        whet_device_work(&work, run->task, &run->workload, NULL) != WHET_OK)
        return false;
    limit_ns = whet_calibration_limit_ns(&run->calibration, &work);
    return (double)limit_ns >= 0.95 * (double)median_ns;
}

static whet_status open_trial(whet_arm **out, whet_verdict *verdict,
                              whet_run *run, int trial, whet_err *err)
{
    const whet_trial *t = &run->trials[trial];

    return whet_arm_open(out, verdict, run->judge,
                         run->sources[t->source].candidate, &t->point, err);
}

whet_status whet_search__need_baseline(whet_run *run, whet_err *err)
{
    whet_point point = whet_candidate_default_point(run->baseline);
    whet_verdict refusal = {0};
    whet_status st = WHET_OK;

    if (run->baseline_arm == NULL) {
        st = whet_arm_open_reference(&run->baseline_arm, &refusal, run->judge,
                                     run->baseline, &point, err);
        if (st == WHET_OK && run->baseline_arm == NULL)
            st =
                whet_err_set(err, WHET_EINVAL, "baseline refused: %s (%s): %s",
                             whet_outcome_name(refusal.outcome),
                             whet_reason_name(refusal.reason), refusal.message);
        whet_verdict_deinit(&refusal);
    }
    return st;
}

/* The incumbent's arm, opened on first live use (after a resume, say). */
static whet_status need_incumbent(whet_arm **out, whet_run *run, whet_err *err)
{
    whet_verdict refusal = {0};
    whet_status st;

    if (run->incumbent.trial < 0) {
        st = whet_search__need_baseline(run, err);
        *out = run->baseline_arm;
        return st;
    }
    st = WHET_OK;
    if (run->incumbent.arm == NULL) {
        st = open_trial(&run->incumbent.arm, &refusal, run,
                        run->incumbent.trial, err);
        if (st == WHET_OK && run->incumbent.arm == NULL)
            st = whet_err_set(err, WHET_EFAIL, "incumbent refused: %s",
                              refusal.message);
        whet_verdict_deinit(&refusal);
    }
    *out = run->incumbent.arm;
    return st;
}

/* The incumbent turned out wrong: it is no reference and no champion, and the
 * baseline takes its place. */
static void demote(whet_run *run)
{
    whet_trial *t = &run->trials[run->incumbent.trial];

    if (t->is_correct)
        run->result->refused++;
    t->is_correct = false;
    t->is_demoted = true;
    run->has_fallen = true;
    if (run->champion == run->incumbent.trial) {
        run->champion = -1;
        run->result->has_champion = false;
        whet_verdict_deinit(&run->result->champion);
    }
    whet_arm_close(run->incumbent.arm);
    run->incumbent = (whet_incumbent){.arm = NULL, .trial = -1, .score = 1.0};
}

/* What was measured against the baseline although there is an incumbent was
 * measured after that one had been demoted. */
static void follow_reference(whet_run *run, const whet_verdict *verdict)
{
    whet_point point = whet_candidate_default_point(run->baseline);
    whet_hash baseline = whet_candidate_hash(run->baseline, &point);

    if (run->incumbent.trial >= 0 &&
        strcmp(verdict->reference.text, baseline.text) == 0)
        demote(run);
}

static void make_incumbent(whet_run *run, int trial, whet_arm **arm)
{
    whet_arm_close(run->incumbent.arm);
    if (run->baseline_arm != NULL)
        whet_arm_park(run->baseline_arm);
    run->incumbent.trial = trial;
    run->incumbent.score = run->trials[trial].base;
    run->incumbent.arm = *arm;
    *arm = NULL;
}

/* Worst pair of a screening as a share of its ratio, at most 1. */
static double caution(const whet_verdict *verdict)
{
    const whet_timing *r = &verdict->reference_time;
    const whet_timing *k = &verdict->candidate_time;
    double share = 1.0;
    uint32_t i;

    if (!verdict->has_ratio || r->call_count != k->call_count)
        return share;
    for (i = 0; i < r->call_count; i++) {
        double ratio = (double)r->call_ns[i] / (double)k->call_ns[i];

        if (ratio / verdict->ratio < share)
            share = ratio / verdict->ratio;
    }
    return share;
}

/* Take a screening result, fresh or recalled, into the trial. */
static whet_status apply_screen(whet_run *run, int trial, const json_t *data,
                                whet_err *err)
{
    whet_trial *t = &run->trials[trial];
    const json_t *score = json_object_get(data, "score");
    whet_verdict verdict = {0};
    whet_status st = whet_verdict_from_json(&verdict, data, err);

    if (st != WHET_OK)
        return st;
    follow_reference(run, &verdict);
    t->is_correct = verdict.outcome == WHET_OUTCOME_CORRECT && !t->is_demoted;
    t->median_ns = verdict.candidate_time.median_ns;
    t->score = json_is_number(score) ? json_number_value(score) : 0.0;
    t->base = t->score * caution(&verdict);
    if (!t->is_correct && !t->is_demoted)
        run->result->refused++;
    if (!t->is_correct && t->is_screened)
        run->has_fallen = true;
    t->is_screened = true;
    if (!t->is_correct && run->incumbent.trial == trial)
        demote(run);
    whet_verdict_deinit(&verdict);
    return WHET_OK;
}

static json_t *screen_data(const whet_run *run, const whet_verdict *verdict,
                           unsigned rung)
{
    double score =
        verdict->has_ratio ? verdict->ratio * run->incumbent.score : NAN;
    json_t *data = whet_verdict_to_json(verdict);

    if (data == NULL || !whet_json_set(data, "rung", json_integer(rung)) ||
        !whet_json_set(data, "score", whet_json_number(score))) {
        json_decref(data);
        return NULL;
    }
    return data;
}

static void tell_screen(const whet_run *run, const whet_trial *t,
                        const whet_verdict *verdict)
{
    const whet_source *source = &run->sources[t->source];

    if (verdict->outcome != WHET_OUTCOME_CORRECT)
        whet_log_write(&run->opts.log, WHET_LOG_INFO,
                       "%3u  %-18s %-40s %s (%s)", run->result->evaluated,
                       source->skill, verdict->point,
                       whet_outcome_name(verdict->outcome),
                       whet_reason_name(verdict->reason));
    else
        whet_log_write(&run->opts.log, WHET_LOG_INFO, "%3u  %-18s %-40s ~%.2fx",
                       run->result->evaluated, source->skill, verdict->point,
                       t->score);
}

/* Compare with the incumbent; if that one fails, with the baseline. A candidate
 * that passed its own screening may still be wrong now and then, which must
 * cost it its place and not the run its life. */
static whet_status compare(whet_verdict *verdict, whet_run *run, whet_arm *arm,
                           const whet_protocol *protocol, whet_err *err)
{
    int incumbent = run->incumbent.trial;
    whet_arm *reference = NULL;
    whet_err why = {0};
    whet_status st = need_incumbent(&reference, run, &why);

    if (st == WHET_OK)
        st = whet_judge_compare(verdict, run->judge, reference, arm, protocol,
                                &why);
    if (st == WHET_OK)
        return WHET_OK;
    if (st != WHET_EFAIL || incumbent < 0)
        return whet_err_set(err, st, "%s", why.msg);
    whet_log_write(&run->opts.log, WHET_LOG_WARN, "%.12s is dropped: %s",
                   run->trials[incumbent].hash.text, why.msg);
    demote(run);
    whet_verdict_deinit(verdict);
    st = whet_search__need_baseline(run, err);
    if (st == WHET_OK)
        st = whet_judge_compare(verdict, run->judge, run->baseline_arm, arm,
                                protocol, err);
    if (st == WHET_OK &&
        whet_search__recall(run, "demoted", run->trials[incumbent].hash.text,
                            0) == NULL)
        st = whet_search__record(run, "demoted",
                                 run->trials[incumbent].hash.text, 0,
                                 json_pack("{s:s}", "message", why.msg), err);
    return st;
}

/* Build and run against the incumbent. A screening's event is its verdict
 * with the chained score beside it. */
static whet_status measure_screen(json_t **out, whet_arm **arm_out,
                                  whet_verdict *verdict, whet_run *run,
                                  int trial, unsigned rung, whet_err *err)
{
    whet_protocol protocol = whet_protocol_screen(rung_pairs[rung]);
    whet_status st =
        whet_search__record_candidate(run, &run->trials[trial], err);

    if (rung == 0)
        protocol.drop_ratio = hopeless;
    if (st == WHET_OK)
        st = open_trial(arm_out, verdict, run, trial, err);
    if (st == WHET_OK && *arm_out != NULL) {
        whet_spend built = verdict->spend;

        whet_verdict_deinit(verdict);
        st = compare(verdict, run, *arm_out, &protocol, err);
        verdict->spend.build_ns = built.build_ns;
        verdict->spend.wall_ns += built.wall_ns;
    }
    if (st != WHET_OK)
        return st;
    *out = screen_data(run, verdict, rung);
    return *out ? WHET_OK : whet_err_set(err, WHET_ENOMEM, "out of memory");
}

whet_status whet_search__screen(whet_run *run, int trial, unsigned rung,
                                whet_err *err)
{
    const char *kind = rung == 0 ? "screened" : "raced";
    const char *hash = run->trials[trial].hash.text;
    const json_t *known = whet_search__recall(run, kind, hash, rung);
    whet_verdict verdict = {0};
    whet_arm *arm = NULL;
    json_t *data = NULL;
    whet_status st = WHET_OK;

    if (rung == 0)
        run->result->evaluated++;
    if (known == NULL) {
        st = measure_screen(&data, &arm, &verdict, run, trial, rung, err);
        if (st == WHET_OK) {
            json_incref(data);
            st = whet_search__record(run, kind, hash, rung, data, err);
        } else if (rung == 0) {
            run->result->evaluated--; /* not evaluated after all */
        }
        known = data;
    }
    if (st == WHET_OK)
        st = apply_screen(run, trial, known, err);
    if (st == WHET_OK && data != NULL && rung == 0)
        tell_screen(run, &run->trials[trial], &verdict);
    if (st == WHET_OK && run->trials[trial].is_correct &&
        run->trials[trial].base > incumbent_step * run->incumbent.score)
        make_incumbent(run, trial, &arm);
    whet_arm_close(arm);
    whet_verdict_deinit(&verdict);
    json_decref(data);
    return st;
}

/* The A/A control costs two workers and a minute at most; a gain of several
 * times does not need it. */
static whet_status control(whet_run *run, int trial, whet_arm *arm,
                           whet_err *err)
{
    double ratio, lo, hi;
    whet_status st;

    if (run->device.ops->caps & WHET_DEVICE_CAP_REPLAY ||
        run->trials[trial].score > 1.5 || run->has_control)
        return WHET_OK;
    st = whet_judge_aa(&ratio, &lo, &hi, run->judge, arm, 6, 4, err);
    /* A candidate that fails here fails its confirmation, not the run. */
    if (st == WHET_EFAIL)
        st = whet_judge_aa(&ratio, &lo, &hi, run->judge, run->baseline_arm, 6,
                           4, err);
    if (st != WHET_OK)
        return st;
    run->has_control = true;
    whet_log_write(&run->opts.log, WHET_LOG_INFO,
                   "A/A control: ratio %.3f [%.3f, %.3f]", ratio, lo, hi);
    /* The judge of a resumed run needs one of its own. */
    if (whet_search__recall(run, "aa", "", 0) != NULL)
        return WHET_OK;
    return whet_search__record(
        run, "aa", "", 0,
        json_pack("{s:f,s:f,s:f}", "ratio", ratio, "lo", lo, "hi", hi), err);
}

static whet_status measure_confirm(json_t **out, whet_run *run, int trial,
                                   whet_err *err)
{
    whet_protocol protocol = whet_protocol_confirm(
        run->opts.confirm_calls ? run->opts.confirm_calls : 300);
    whet_verdict verdict = {0};
    whet_arm *arm = NULL;
    whet_status st;

    /* The best of many screenings is likely to have been lucky. */
    protocol.tried = run->result->evaluated;
    /* Fresh processes for both arms: nothing of the screening lives on. */
    whet_arm_close(run->incumbent.arm);
    run->incumbent.arm = NULL;
    st = whet_search__need_baseline(run, err);
    if (st == WHET_OK)
        st = open_trial(&arm, &verdict, run, trial, err);
    if (st == WHET_OK && arm != NULL) {
        whet_spend built = verdict.spend;

        st = control(run, trial, arm, err);
        whet_verdict_deinit(&verdict);
        if (st == WHET_OK)
            st = whet_judge_compare(&verdict, run->judge, run->baseline_arm,
                                    arm, &protocol, err);
        if (st == WHET_OK && verdict.is_gain)
            st = whet_judge_libraries(&verdict, run->judge, arm, err);
        verdict.spend.build_ns = built.build_ns;
        verdict.spend.wall_ns += built.wall_ns;
    }
    whet_arm_close(arm);
    if (st == WHET_OK) {
        *out = whet_verdict_to_json(&verdict);
        if (*out == NULL)
            st = whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    whet_verdict_deinit(&verdict);
    return st;
}

/* A champion is correct, a gain, judged in a sandbox, and better than the
 * champion before it. */
static bool is_champion(const whet_run *run, const whet_verdict *verdict)
{
    if (verdict->outcome != WHET_OUTCOME_CORRECT || !verdict->is_gain ||
        verdict->is_unsafe)
        return false;
    return run->champion < 0 ||
           verdict->ratio_lo > run->result->champion.ratio_lo;
}

static whet_status crown(whet_run *run, int trial, whet_verdict *verdict,
                         whet_err *err)
{
    const whet_trial *t = &run->trials[trial];
    const whet_source *source = &run->sources[t->source];
    whet_run_result *result = run->result;
    whet_status st = WHET_OK;

    if (whet_search__recall(run, "champion", t->hash.text, 0) == NULL)
        st = whet_search__record(
            run, "champion", t->hash.text, 0,
            json_pack("{s:s,s:s,s:o,s:o,s:o}", "skill", source->skill, "point",
                      verdict->point, "ratio", whet_json_number(verdict->ratio),
                      "lo", whet_json_number(verdict->ratio_lo), "hi",
                      whet_json_number(verdict->ratio_hi)),
            err);
    if (st != WHET_OK)
        return st;
    run->champion = trial;
    /* The next ones are screened against the champion. */
    whet_arm_close(run->incumbent.arm);
    run->incumbent =
        (whet_incumbent){.arm = NULL, .trial = trial, .score = t->score};
    whet_verdict_deinit(&result->champion);
    result->champion = *verdict;
    memset(verdict, 0, sizeof *verdict);
    result->has_champion = true;
    (void)whet_strcopy(result->champion_skill, sizeof result->champion_skill,
                       source->skill);
    (void)whet_strcopy(result->champion_point, sizeof result->champion_point,
                       result->champion.point);
    return WHET_OK;
}

whet_status whet_search__confirm(whet_run *run, int trial, whet_err *err)
{
    const char *hash = run->trials[trial].hash.text;
    const json_t *known = whet_search__recall(run, "confirmed", hash, 0);
    whet_verdict verdict = {0};
    json_t *data = NULL;
    whet_status st = WHET_OK;

    run->trials[trial].is_confirmed = true;
    if (known == NULL) {
        whet_log_write(&run->opts.log, WHET_LOG_INFO,
                       "confirming %.12s on fresh keys and hidden shapes",
                       hash);
        st = measure_confirm(&data, run, trial, err);
        if (st == WHET_OK) {
            json_incref(data);
            st = whet_search__record(run, "confirmed", hash, 0, data, err);
        }
        known = data;
    }
    if (st == WHET_OK)
        st = whet_verdict_from_json(&verdict, known, err);
    if (st == WHET_OK && verdict.outcome != WHET_OUTCOME_CORRECT) {
        run->has_fallen = true;
        if (run->incumbent.trial == trial)
            demote(run);
    }
    if (st == WHET_OK && verdict.outcome == WHET_OUTCOME_CORRECT &&
        verdict.has_ratio)
        run->trials[trial].score = run->trials[trial].base =
            whet_verdict_score(&verdict);
    if (st == WHET_OK && is_champion(run, &verdict))
        st = crown(run, trial, &verdict, err);
    whet_verdict_deinit(&verdict);
    json_decref(data);
    return st;
}
