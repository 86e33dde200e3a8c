/* Verdicts: filling, and text for people. JSON is in verdict_json.c. */

#include "judge/judge_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void whet_judge__verdict_init(whet_verdict *out, const whet_judge *judge,
                              const char *point_text, const whet_hash *hash)
{
    memset(out, 0, sizeof *out);
    out->reason = WHET_REASON_NONE;
    out->outcome = WHET_OUTCOME_CORRECT;
    whet_strcopy(out->task, sizeof out->task, judge->task->name);
    whet_strcopy(out->workload, sizeof out->workload, judge->workload_text);
    whet_strcopy(out->point, sizeof out->point, point_text);
    out->task_hash = judge->task->hash;
    out->candidate = *hash;
    whet_strcopy(out->toolchain, sizeof out->toolchain, judge->identity);
    out->device = judge->opts.device->facts;
    out->evidence = out->device.evidence;
    out->worst_error = NAN;
    out->aa_error = judge->aa_error;
    out->ratio_error = NAN;
    out->limit_ns = judge->limit_ns;
    out->floor_ns = judge->floor_ns;
    if (judge->opts.calibration != NULL)
        out->launch_ns = judge->opts.calibration->launch_ns;
    out->is_unsafe = judge->opts.is_unsafe;
    if (judge->has_open_builds)
        whet_judge__rule(out, "no-build-sandbox",
                         "it was compiled without a sandbox");
}

/* What is told of a failure must not serve to learn what the inputs were: the
 * worst error in one digit, rounded up, at most a million. */
static double coarse(double error)
{
    static const double most = 1e6;
    double unit;

    if (isnan(error) || error <= 0.0)
        return error;
    if (error >= most)
        return most;
    unit = pow(10.0, floor(log10(error)));
    return ceil(error / unit) * unit;
}

void whet_judge__blame(whet_verdict *out, const whet_call *call,
                       const char *where)
{
    static const char *const says[WHET_REASON_COUNT] = {
        [WHET_REASON_MISMATCH] = "an output element misses its error bound",
        [WHET_REASON_UNWRITTEN] = "output elements were never written",
        [WHET_REASON_NOT_FINITE] =
            "an output element is NaN or infinite where it must be finite",
        [WHET_REASON_GUARD] = "it wrote outside its buffers",
        [WHET_REASON_INPUT] = "it modified an input",
        [WHET_REASON_BELOW_FLOOR] = "a call took less time than the device "
                                    "can need: the time is not believed",
        [WHET_REASON_PLAN_LIMIT] = "it asks for more than the device has",
    };
    const char *say = says[call->reason];
    const char *text = call->text[0] != '\0' ? call->text : NULL;

    out->reason = call->reason;
    out->outcome = whet_reason_outcome(call->reason);
    out->worst_error = coarse(out->worst_error);
    snprintf(out->message, sizeof out->message, "%s%s%s%s%s", say ? say : "",
             say && text ? ": " : "", text ? text : "", where ? " " : "",
             where ? where : "");
    if (out->message[0] == '\0')
        whet_strcopy(out->message, sizeof out->message,
                     whet_reason_name(call->reason));
}

void whet_verdict_deinit(whet_verdict *verdict)
{
    free(verdict->candidate_time.call_ns);
    free(verdict->candidate_time.block_index);
    free(verdict->reference_time.call_ns);
    free(verdict->reference_time.block_index);
    memset(verdict, 0, sizeof *verdict);
}

bool whet_verdict_has_rule(const whet_verdict *verdict, const char *name)
{
    uint32_t i;

    for (i = 0; i < verdict->rule_count; i++)
        if (strcmp(verdict->rules[i].name, name) == 0)
            return true;
    return false;
}

double whet_verdict_score(const whet_verdict *verdict)
{
    if (whet_verdict_has_rule(verdict, "bimodal") &&
        verdict->total_ratio < verdict->ratio)
        return verdict->total_ratio;
    return verdict->ratio;
}

double whet_verdict_share_of_limit(const whet_verdict *verdict)
{
    if (verdict->limit_ns == 0 || verdict->candidate_time.median_ns == 0)
        return NAN;
    return (double)verdict->limit_ns /
           (double)verdict->candidate_time.median_ns;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* @param hash  named where the arm is not the one that the verdict is about */
static void print_timing(whet_buf *out, const char *label, const whet_timing *t,
                         const whet_hash *hash)
{
    char median[32], p5[32], p95[32];

    if (t->call_count == 0)
        return;
    whet_duration_format(median, t->median_ns);
    whet_duration_format(p5, t->p5_ns);
    whet_duration_format(p95, t->p95_ns);
    whet_buf_printf(out, "  %-10s median %s (p5 %s, p95 %s) over %u call%s",
                    label, median, p5, p95, t->call_count,
                    plural(t->call_count));
    if (hash != NULL)
        whet_buf_printf(out, "  %.12s", hash->text);
    whet_buf_puts(out, "\n");
}

/* Why a ratio whose interval lies above 1 may still be no gain. */
static void print_gain(whet_buf *out, const whet_verdict *v)
{
    if (v->is_gain)
        whet_buf_puts(out, "a gain");
    else if (v->ratio_lo > 1.0 && v->total_ratio < v->ratio_lo)
        whet_buf_printf(out, "no gain (mean times: %.2fx)", v->total_ratio);
    else if (v->ratio_lo > 1.0)
        whet_buf_puts(out, "no gain (too small to count)");
    else
        whet_buf_puts(out, "no gain");
}

static void print_ratio(whet_buf *out, const whet_verdict *v)
{
    double share = whet_verdict_share_of_limit(v);
    char limit[32];

    /* Two blocks give an interval that tells nothing. */
    if (v->has_ratio && v->block_count < 3) {
        whet_buf_printf(out,
                        "  ratio      %.2fx over %u block%s, too few for "
                        "an interval\n",
                        whet_verdict_score(v), v->block_count,
                        plural(v->block_count));
    } else if (v->has_ratio) {
        whet_buf_puts(out, "  ratio      ");
        if (whet_verdict_score(v) < v->ratio)
            whet_buf_printf(out, "%.2fx by mean times; ", v->total_ratio);
        whet_buf_printf(out,
                        "%.2fx, 95 %% interval [%.2f, %.2f] over "
                        "%u blocks: ",
                        v->ratio, v->ratio_lo, v->ratio_hi, v->block_count);
        print_gain(out, v);
        whet_buf_puts(out, "\n");
    }
    if (isfinite(share)) {
        whet_duration_format(limit, v->limit_ns);
        whet_buf_printf(out, "  limit      %s, share of limit %.0f %%\n", limit,
                        100.0 * share);
    }
}

/* Registers and what they leave room for: why a kernel is slow is often seen
 * here. */
static void print_kernel(whet_buf *out, const whet_verdict_kernel *k)
{
    whet_buf_puts(out, "  kernel     ");
    whet_buf_escape(out, k->name, strnlen(k->name, 32), false);
    whet_buf_printf(out, ": %" PRIu64, k->register_count);
    if (k->accumulator_count > 0)
        whet_buf_printf(out, " + %" PRIu64, k->accumulator_count);
    whet_buf_puts(out, " registers");
    if (k->spill_bytes > 0)
        whet_buf_printf(out, ", %" PRIu64 " B spilled", k->spill_bytes);
    if (k->lds_bytes > 0)
        whet_buf_printf(out, ", %" PRIu64 " B LDS", k->lds_bytes);
    if (k->occupancy.is_known)
        whet_buf_printf(out, "\n             %u waves a CU, bound by %s",
                        k->occupancy.waves_cu, k->occupancy.bound_by);
    whet_buf_puts(out, "\n");
}

static void print_verified(whet_buf *out, const whet_verdict *v)
{
    whet_buf_printf(out, "  verified   %u call%s", v->verified_calls,
                    plural(v->verified_calls));
    if (v->shapes_verified > 0)
        whet_buf_printf(out, ", %u of them on %u other shape%s",
                        2 * v->shapes_verified, v->shapes_verified,
                        plural(v->shapes_verified));
    if (v->shapes_uncovered > 0)
        whet_buf_printf(out, "; %u shape%s excluded by its constraints",
                        v->shapes_uncovered, plural(v->shapes_uncovered));
    if (isfinite(v->worst_error))
        whet_buf_printf(out, "\n  error      at most %.2f of the bound",
                        v->worst_error);
    whet_buf_puts(out, "\n");
}

void whet_verdict_print(whet_buf *out, const whet_verdict *v)
{
    uint32_t i;

    whet_buf_printf(out, "%s", whet_outcome_name(v->outcome));
    if (v->reason != WHET_REASON_NONE)
        whet_buf_printf(out, " (%s)", whet_reason_name(v->reason));
    whet_buf_printf(out, "  %s %s  %.12s", v->task, v->workload,
                    v->candidate.text);
    if (v->is_unsafe)
        whet_buf_puts(out, "  UNSAFE: judged without a sandbox");
    whet_buf_puts(out, "\n");
    if (v->message[0] != '\0') {
        whet_buf_puts(out, "  why        ");
        whet_buf_escape(out, v->message, strlen(v->message), false);
        whet_buf_puts(out, "\n");
    }
    if (strcmp(v->point, "-") != 0)
        whet_buf_printf(out, "  point      %s\n", v->point);
    print_timing(out, "candidate", &v->candidate_time, NULL);
    print_timing(out, "reference", &v->reference_time, &v->reference);
    print_ratio(out, v);
    for (i = 0; i < v->kernel_count; i++)
        if (v->kernels[i].register_count > 0)
            print_kernel(out, &v->kernels[i]);
    whet_judge__libraries_print(out, v);
    whet_judge__rules_print(out, v);
    if (v->outcome == WHET_OUTCOME_CORRECT)
        print_verified(out, v);
    whet_buf_printf(out, "  on         %s (%s), %s%s\n", v->device.name,
                    v->device.driver, whet_evidence_name(v->evidence),
                    v->device.is_exclusive == WHET_KNOWN_YES
                        ? ", one context at a time"
                        : "");
}
