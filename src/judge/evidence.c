/* Blocks that do not count, for reasons that lie outside the candidate: what
 * was measured itself never voids anything, or an arm could choose its sample.
 * Nothing is looked at beside a timed call, only between blocks. */

#include "judge/compare_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Share of blocks that may be void. */
static const double void_share = 0.2;
/* Of the card's clock, between two blocks. */
static const double clock_change = 0.01;
/* Of a block's wall time, held back. */
static const double throttled_share = 0.01;
/* Of the processors' time, taken by others, before it is told. */
static const double foreign_share = 0.1;
/* Gains below 1 % do not count, so hidden time below that may be; and some
 * time always goes by between two processes. */
static const double hidden_share = 0.01, hidden_ns = 200000.0;
/* There is one look a block and more: an interface that takes longer than this
 * to answer costs more than it is worth. */
static const uint64_t longest_look_ns = 200000000u;

static void look(whet_machine *out, whet_comparison *c)
{
    pid_t own[4] = {0};
    unsigned i, count = 0;

    for (i = 0; i < 2; i++)
        if (c->arms[i]->worker.is_running)
            own[count++] = c->arms[i]->worker.pid;
    if (c->judge->verifier.pid > 0)
        own[count++] = c->judge->verifier.pid;
    c->judge->look(out, c->judge, own);
}

static void tell_controls(whet_comparison *c)
{
    const whet_calibration *known = c->judge->opts.calibration;
    const whet_device_facts *facts = &c->judge->opts.device->facts;
    char text[120];

    if (!(c->judge->ops->caps & WHET_DEVICE_CAP_LIVE))
        return;
    if (known == NULL || !(known->controls.spin > 0))
        whet_judge__rule(c->out, "controls-missing",
                         "run `whet calibrate` on this device once");
    else if (strcmp(known->driver, facts->driver) != 0)
        whet_judge__rule(c->out, "controls-missing",
                         "the driver is another one than at calibration");
    else if (!whet_calibration_controls_hold(&known->controls)) {
        snprintf(text, sizeof text,
                 "work of 1, 2, 4 takes times as 1 to %.2f (expected 3), "
                 "twice the work scores %.2f (expected 0.5)",
                 known->controls.spin, known->controls.twice);
        whet_judge__rule(c->out, "controls-failed", text);
    }
}

static uint64_t time_look(whet_comparison *c)
{
    uint64_t begin_ns = whet_clock_now(&c->judge->clock);

    look(&c->seen, c);
    return whet_clock_now(&c->judge->clock) - begin_ns;
}

void whet_judge__watch_start(whet_comparison *c)
{
    uint64_t ns;
    char text[120];

    if (!c->protocol->is_watched)
        return;
    tell_controls(c);
    if (c->judge->look == NULL)
        return;
    ns = time_look(c);
    /* The first one may have to load what answers. */
    if (ns > longest_look_ns)
        ns = time_look(c);
    c->is_watched = ns <= longest_look_ns;
    if (!c->is_watched) {
        snprintf(text, sizeof text,
                 "asking the machine takes %.2f s: blocks are not watched",
                 (double)ns / 1e9);
        whet_judge__rule(c->out, "unwatched", text);
    }
}

/* What a card counts, it counts from look to look; processors' time of workers
 * only while they live. */
void whet_judge__watch_block(whet_comparison *c)
{
    bool is_staged = whet_judge__has_stage(c->judge);

    if (!c->is_watched || is_staged)
        return;
    look(&c->seen, c);
}

static bool is_above(double after, double before, double least)
{
    return isfinite(after) && isfinite(before) && after - before > least;
}

const char *whet_judge__void_rule(char text[120], const whet_machine *before,
                                  const whet_machine *after)
{
    double wall_ns = (double)(after->now_ns - before->now_ns);

    if (is_above(after->ecc_count, before->ecc_count, 0)) {
        snprintf(text, 120, "%.0f memory errors",
                 after->ecc_count - before->ecc_count);
        return "void-ecc";
    }
    if (after->foreign_count > 0) {
        snprintf(text, 120, "%.0f other processes on the card",
                 after->foreign_count);
        return "void-foreign";
    }
    if (after->slowdown > 0 ||
        is_above(after->throttle_count, before->throttle_count, 0) ||
        is_above(after->throttled_ns, before->throttled_ns,
                 throttled_share * wall_ns)) {
        snprintf(text, 120, "held back by heat or power");
        return "void-throttle";
    }
    if (fabs(after->clock_mhz / before->clock_mhz - 1.0) > clock_change) {
        snprintf(text, 120, "clock from %.0f to %.0f MHz", before->clock_mhz,
                 after->clock_mhz);
        return "void-clock";
    }
    return NULL;
}

double whet_judge__hidden_ns(double *reference, size_t reference_count,
                             double *candidate, size_t candidate_count,
                             double median_ns)
{
    const size_t least = 5;
    double middle, spread, allowed, hidden;
    size_t i;

    if (reference_count < least || candidate_count < least)
        return 0.0;
    middle = whet_stat_median(reference, reference_count);
    hidden = whet_stat_median(candidate, candidate_count) - middle;
    for (i = 0; i < reference_count; i++)
        reference[i] = fabs(reference[i] - middle);
    /* Median absolute deviation; 1.4826 makes it that of a normal one. */
    spread = 1.4826 * whet_stat_median(reference, reference_count);
    allowed = hidden_share * median_ns;
    if (allowed < hidden_ns)
        allowed = hidden_ns;
    allowed += 4.0 * spread;
    return hidden > allowed ? hidden - allowed : 0.0;
}

static const char *hidden_rule(char text[120], whet_comparison *c)
{
    const whet_timing *t = &c->out->candidate_time;
    unsigned block = t->call_count > 0 ? t->block_index[t->call_count - 1] : 0;
    double ns = whet_judge__hidden_ns(c->overhead_ns[0], c->overhead_count[0],
                                      c->overhead_ns[1], c->overhead_count[1],
                                      whet_judge__block_median(t, block));

    if (!(ns > 0))
        return NULL;
    snprintf(text, 120,
             "requests of a block took %.2f ms that no clock of the "
             "device shows",
             ns / 1e6);
    return "conservation";
}

static void count_load(whet_comparison *c, const whet_machine *now)
{
    double all = now->all_ticks - c->seen.all_ticks;
    double busy = now->busy_ticks - c->seen.busy_ticks;
    double own = now->own_ticks - c->seen.own_ticks;

    if (!isfinite(all + busy + own) || !(all > 0))
        return;
    c->all_ticks += all;
    c->foreign_ticks += busy > own ? busy - own : 0;
}

bool whet_judge__watch_passed(whet_comparison *c)
{
    const char *rule = NULL;
    whet_machine now;
    char text[120];
    bool was_void = whet_judge__is_void(c);

    if (c->is_watched) {
        look(&now, c);
        count_load(c, &now);
        rule = whet_judge__void_rule(text, &c->seen, &now);
        c->seen = now;
    }
    if (rule == NULL)
        rule = hidden_rule(text, c);
    if (rule == NULL)
        return true;
    whet_judge__rule(c->out, rule, text);
    c->void_count++;
    if (!was_void && whet_judge__is_void(c)) {
        snprintf(text, sizeof text,
                 "more than a fifth of %u blocks: nothing is a gain",
                 c->protocol->blocks);
        whet_judge__rule(c->out, "voids", text);
    }
    return false;
}

bool whet_judge__is_void(const whet_comparison *c)
{
    return c->void_count > void_share * c->protocol->blocks;
}

void whet_judge__watch_end(whet_comparison *c)
{
    /* Ticks are hundredths of a second: a second of them tells something. */
    const double least = 100.0;
    char text[120];

    if (c->all_ticks < least || c->foreign_ticks < foreign_share * c->all_ticks)
        return;
    snprintf(text, sizeof text,
             "other programs took %.0f %% of the processors' time",
             100.0 * c->foreign_ticks / c->all_ticks);
    whet_judge__rule(c->out, "foreign-load", text);
}
