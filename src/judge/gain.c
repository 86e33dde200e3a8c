/* What the times of a comparison amount to: the ratio with its interval, and
 * whether it is a gain. Each rule that turns a gain into none is told. */

#include "judge/compare_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A mean so far above the median, beyond the reference's, shows calls of two
 * kinds. */
static const double skewed = 1.05;
/* One-sided, as the upper or lower end of a 95 % interval. */
static const double tail = 0.025;

double whet_judge__block_median(const whet_timing *t, unsigned block)
{
    double *values = malloc((t->call_count + 1) * sizeof *values);
    double median = NAN;
    size_t count = 0;
    uint32_t i;

    for (i = 0; values != NULL && i < t->call_count; i++)
        if (t->block_index[i] == block)
            values[count++] = (double)t->call_ns[i];
    if (count > 0)
        median = whet_stat_median(values, count);
    free(values);
    return median;
}

/* What an arm's calls look like together. */
struct shape {
    double skew; /* mean / median */
    bool is_bimodal;
};

static struct shape summarise(whet_timing *t)
{
    double *values = malloc((t->call_count + 1) * sizeof *values);
    struct shape shape = {.skew = 1.0};
    uint32_t i;

    if (values != NULL && t->call_count > 0) {
        for (i = 0; i < t->call_count; i++)
            values[i] = (double)t->call_ns[i];
        t->median_ns = (uint64_t)whet_stat_median(values, t->call_count);
        t->p5_ns = (uint64_t)whet_stat_quantile(values, t->call_count, 0.05);
        t->p95_ns = (uint64_t)whet_stat_quantile(values, t->call_count, 0.95);
        shape.is_bimodal = whet_stat_is_bimodal(values, t->call_count);
        if (t->median_ns > 0)
            shape.skew =
                (double)t->total_ns / t->call_count / (double)t->median_ns;
    }
    free(values);
    return shape;
}

/* The candidate's times are of two kinds where the reference's, taken in turn
 * with them, are not: what the machine does shows in both. */
static void look_at_shapes(whet_verdict *out, struct shape reference,
                           struct shape candidate)
{
    enum { LEAST_CALLS = 20 };
    char text[120];

    if (out->candidate_time.call_count < LEAST_CALLS ||
        out->reference_time.call_count < LEAST_CALLS)
        return;
    if (candidate.is_bimodal && !reference.is_bimodal)
        whet_judge__rule(out, "bimodal",
                         "the candidate's times fall into two clusters, the "
                         "reference's do not");
    else if (candidate.skew > skewed * fmax(reference.skew, 1.0)) {
        snprintf(text, sizeof text,
                 "the candidate's mean is %.2f of its median, the "
                 "reference's %.2f",
                 candidate.skew, reference.skew);
        whet_judge__rule(out, "bimodal", text);
    }
}

/* The lower end, widened where the candidate is the best of many: the best of
 * them is likely to be a lucky one. */
static double lower_end(const whet_verdict *out, whet_stat_estimate e)
{
    double wider = 1.0;

    if (out->tried > 1)
        wider = whet_stat_z(tail / out->tried) / whet_stat_z(tail);
    return exp(e.mean - wider * e.half);
}

/* A native kernel may take its worker's place for good and so spare itself the
 * driver's launch, which the reference pays. A gain must not be made of that,
 * so the reference is credited with a whole empty call. */
static bool is_beyond_overhead(const whet_comparison *c, double need)
{
    /* Where no calibration says what an empty call takes: the most that was
     * seen (docs/judging.md, "One call"). */
    static const uint64_t unknown_launch_ns = 400000;
    whet_verdict *out = c->out;
    const whet_timing *r = &out->reference_time, *k = &out->candidate_time;
    uint64_t launch_ns = out->launch_ns ? out->launch_ns : unknown_launch_ns;
    double reference_ns = (double)r->total_ns / r->call_count;
    double candidate_ns = (double)k->total_ns / k->call_count;
    char text[120];

    if (c->judge->ops == NULL ||
        !(c->judge->ops->caps & WHET_DEVICE_CAP_NATIVE) ||
        reference_ns - (double)launch_ns > (1.0 + need) * candidate_ns)
        return true;
    snprintf(text, sizeof text,
             "the calls are too short: an empty one takes up to %.2f ms, which "
             "a kernel could spare itself",
             (double)launch_ns / 1e6);
    whet_judge__rule(out, "overhead", text);
    return false;
}

/* Is it more than chance, whatever voids it? */
static bool is_clear(whet_comparison *c, whet_stat_estimate e)
{
    whet_verdict *out = c->out;
    double need = c->protocol->min_gain;
    char text[120];

    if (3.0 * c->judge->aa_error > need)
        need = 3.0 * c->judge->aa_error;
    if (!(out->ratio_lo > 1.0 + need && out->total_ratio > 1.0 + need))
        return false;
    if (!is_beyond_overhead(c, need))
        return false;
    if (lower_end(out, e) > 1.0 + need)
        return true;
    snprintf(text, sizeof text,
             "best of %u tried: at least %.3f after correction, needs %.3f",
             out->tried, lower_end(out, e), 1.0 + need);
    whet_judge__rule(out, "multiplicity", text);
    return false;
}

void whet_judge__conclude(whet_comparison *c)
{
    whet_verdict *out = c->out;
    whet_timing *r = &out->reference_time, *k = &out->candidate_time;
    struct shape reference = summarise(r), candidate = summarise(k);
    whet_stat_estimate e;

    if (out->reason != WHET_REASON_NONE)
        return;
    out->outcome = WHET_OUTCOME_CORRECT;
    if (c->block_count == 0 || r->call_count == 0 || k->call_count == 0)
        return;
    c->arms[0]->median_ns = r->median_ns;
    c->arms[1]->median_ns = k->median_ns;
    e = whet_stat_grouped(c->log_ratio, c->generation, c->block_count);
    out->ratio = exp(e.mean);
    out->ratio_lo = exp(e.mean - e.half);
    out->ratio_hi = exp(e.mean + e.half);
    out->ratio_error = e.error;
    out->has_ratio = true;
    out->block_count = (unsigned)c->block_count;
    out->total_ratio = ((double)r->total_ns / r->call_count) /
                       ((double)k->total_ns / k->call_count);
    look_at_shapes(out, reference, candidate);
    out->is_gain = is_clear(c, e) && c->judge->opts.under == NULL &&
                   !whet_judge__is_void(c) &&
                   !whet_verdict_has_rule(out, "controls-failed");
}
