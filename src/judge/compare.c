/* The timing protocol: blocks of interleaved pairs, A B B A, both arms with
 * the same keys and each call verified, then a ratio with its interval.
 *
 * How many calls are made is fixed before the candidate is loaded: an arm can
 * shape its own variance, so nothing about the sample may depend on it. Only
 * the reference's own warm-up call decides how many reference calls fit the
 * budget. */

#include "judge/compare_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static whet_timing *timing_of(whet_comparison *c, unsigned index)
{
    return index == 0 ? &c->out->reference_time : &c->out->candidate_time;
}

static whet_status keep_time(whet_comparison *c, unsigned index,
                             const whet_call *call, unsigned block,
                             whet_err *err)
{
    whet_timing *t = timing_of(c, index);
    whet_arm *arm = c->arms[index];
    uint64_t elapsed_ns = call->elapsed_ns;

    if (t->call_count == c->time_alloc[index]) {
        size_t more = c->time_alloc[index] * 2 + 64;
        uint64_t *ns = realloc(t->call_ns, more * sizeof *ns);
        uint32_t *blocks;

        if (ns != NULL)
            t->call_ns = ns;
        blocks = realloc(t->block_index, more * sizeof *blocks);
        if (blocks != NULL)
            t->block_index = blocks;
        if (ns == NULL || blocks == NULL)
            return whet_err_set(err, WHET_ENOMEM, "out of memory");
        c->time_alloc[index] = more;
    }
    t->call_ns[t->call_count] = elapsed_ns;
    t->block_index[t->call_count] = block;
    t->call_count++;
    t->total_ns += elapsed_ns;
    if (arm->best_ns == 0 || elapsed_ns < arm->best_ns)
        arm->best_ns = elapsed_ns;
    if (call->overhead_ns > 0)
        c->overhead_ns[index][c->overhead_count[index]++] =
            (double)call->overhead_ns;
    return WHET_OK;
}

static bool is_replay(const whet_comparison *c)
{
    return c->judge->ops->caps & WHET_DEVICE_CAP_REPLAY;
}

/* The reference is trusted to be honest but not to be fast; a candidate gets
 * twenty times its time, within [5 s, longest]. */
static uint64_t timeout_of(const whet_comparison *c, unsigned index,
                           uint64_t longest_ns)
{
    uint64_t timeout_ns = 20 * c->reference_ns;

    if (index == 0 || c->judge->opts.call_timeout_ns != 0 ||
        c->reference_ns == 0)
        return longest_ns;
    if (timeout_ns < 5000000000u)
        timeout_ns = 5000000000u;
    return timeout_ns < longest_ns ? timeout_ns : longest_ns;
}

static whet_status call_arm(whet_call *out, whet_comparison *c, unsigned index,
                            const whet_key *key, whet_err *err)
{
    whet_judge *judge = c->judge;
    whet_arm *arm = c->arms[index];
    uint64_t longest_ns = judge->call_timeout_ns;
    whet_status st;

    if (is_replay(c)) {
        st = whet_judge__replay(out, arm, judge->workload_text,
                                arm->replay_calls++, err);
    } else {
        judge->call_timeout_ns = timeout_of(c, index, longest_ns);
        st = whet_judge__call(out, judge, &arm->worker, index, key, err);
        judge->call_timeout_ns = longest_ns;
    }
    if (st == WHET_OK && out->reason == WHET_REASON_NONE &&
        judge->floor_ns > 0 && out->elapsed_ns < judge->floor_ns)
        out->reason = WHET_REASON_BELOW_FLOOR;
    return st;
}

/* A failing reference is a failing session: nothing can be said about any
 * candidate. */
static whet_status reference_failed(const whet_call *call, whet_err *err)
{
    return whet_err_set(
        err, WHET_EFAIL, "the reference kernel fails: %s (%s)%s%s",
        whet_outcome_name(whet_reason_outcome(call->reason)),
        whet_reason_name(call->reason), call->text[0] ? ": " : "", call->text);
}

/* Calls of one pair in the given order, then one check of both. */
static whet_status run_pair(whet_call calls[2], whet_comparison *c,
                            bool has_reference, bool candidate_first,
                            whet_err *err)
{
    whet_status st = whet_judge__cancelled(c->judge, err);
    whet_key key;
    int turn;

    memset(calls, 0, 2 * sizeof *calls);
    if (st == WHET_OK)
        st = whet_judge__key(&key, c->judge, err);
    for (turn = 0; st == WHET_OK && turn < 2; turn++) {
        unsigned index = candidate_first ? 1 - (unsigned)turn : (unsigned)turn;

        if (index == 0 && !has_reference)
            continue;
        st = call_arm(&calls[index], c, index, &key, err);
    }
    if (st == WHET_OK && !is_replay(c))
        st = whet_judge__check(c->judge, has_reference ? &calls[0] : NULL,
                               &calls[1], err);
    if (st == WHET_OK && calls[0].reason != WHET_REASON_NONE)
        st = reference_failed(&calls[0], err);
    if (st == WHET_OK) {
        c->out->verified_calls += calls[1].reason == WHET_REASON_NONE;
        if (!is_replay(c) && !(c->out->worst_error >= calls[1].worst))
            c->out->worst_error = calls[1].worst;
    }
    return st;
}

/* Warm-up calls of an arm whose worker is new: verified like any other. */
static whet_status warm_up(whet_call *blame, whet_comparison *c, unsigned index,
                           whet_err *err)
{
    whet_judge *judge = c->judge;
    whet_status st = WHET_OK;
    unsigned i;

    for (i = 0; st == WHET_OK && blame->reason == WHET_REASON_NONE &&
                i < c->protocol->warmup_calls;
         i++) {
        whet_key key;

        st = whet_judge__key(&key, judge, err);
        if (st == WHET_OK)
            st = call_arm(blame, c, index, &key, err);
        if (st == WHET_OK && !is_replay(c))
            st = whet_judge__check(judge, index == 0 ? blame : NULL,
                                   index == 1 ? blame : NULL, err);
        if (st == WHET_OK && index == 0)
            c->reference_ns = blame->elapsed_ns;
        if (st == WHET_OK && index == 1)
            c->out->verified_calls += blame->reason == WHET_REASON_NONE;
    }
    return st;
}

/* Both arms, or bits of their numbers. */
enum { REFERENCE = 1u << 0, CANDIDATE = 1u << 1, BOTH = REFERENCE | CANDIDATE };

/* Start the workers in `mask` that do not run, side by side: nothing is timed
 * yet. */
static whet_status start_workers(whet_call blame[2], bool is_new[2],
                                 whet_comparison *c, unsigned mask,
                                 whet_err *err)
{
    whet_status st = WHET_OK;
    unsigned i;

    for (i = 0; st == WHET_OK && i < 2; i++) {
        whet_arm *arm = c->arms[i];

        if (!(mask & 1u << i))
            continue;
        /* What was a reference before may be a candidate now. */
        if (arm->worker.is_running && arm->worker.stage != i)
            whet_arm_park(arm);
        is_new[i] = is_replay(c) || !arm->worker.is_running;
        if (!is_replay(c) && is_new[i])
            st = whet_judge__worker_begin(&arm->worker, &blame[i], c->judge, i,
                                          &arm->image, &arm->plan,
                                          &arm->library, err);
    }
    for (i = 0; st == WHET_OK && i < 2 && !is_replay(c); i++) {
        whet_arm *arm = c->arms[i];

        if (!(mask & 1u << i))
            continue;
        if (is_new[i] && arm->worker.is_running)
            st = whet_judge__worker_ready(&arm->worker, &blame[i], c->judge,
                                          err);
        if (st == WHET_OK && blame[i].reason == WHET_REASON_NONE)
            st = whet_judge__attach(c->judge, i, &arm->worker, err);
        if (st == WHET_OK && blame[i].reason == WHET_REASON_NONE && i == 0)
            st = whet_judge__no_op(c->judge, &arm->worker, err);
    }
    return st;
}

/* Start and warm up the arms in `mask`. */
static whet_status start(whet_comparison *c, unsigned mask, whet_err *err)
{
    whet_call blame[2] = {{0}};
    bool is_new[2] = {false, false};
    whet_status st = start_workers(blame, is_new, c, mask, err);
    unsigned i;

    for (i = 0; st == WHET_OK && i < 2; i++) {
        if (is_new[i] && blame[i].reason == WHET_REASON_NONE)
            st = warm_up(&blame[i], c, i, err);
        if (st == WHET_OK && blame[i].reason != WHET_REASON_NONE && i == 0)
            return reference_failed(&blame[0], err);
    }
    if (st == WHET_OK && blame[1].reason != WHET_REASON_NONE)
        whet_judge__blame(c->out, &blame[1], NULL);
    return st;
}

/* Stop the workers in `mask` in good order. */
static whet_status finish(whet_comparison *c, unsigned mask, whet_err *err)
{
    whet_status st = WHET_OK;
    unsigned i;

    for (i = 0; i < 2; i++) {
        whet_call call = {0};

        if (!(mask & 1u << i))
            continue;
        if (st == WHET_OK && c->out->reason == WHET_REASON_NONE)
            st = whet_judge__finish(&call, c->judge, &c->arms[i]->worker, i,
                                    err);
        if (st == WHET_OK && call.reason != WHET_REASON_NONE && i == 0)
            st = reference_failed(&call, err);
        else if (st == WHET_OK && call.reason != WHET_REASON_NONE)
            whet_judge__blame(c->out, &call, NULL);
        whet_arm_park(c->arms[i]);
    }
    return st;
}

/* As many reference calls a block as the budget allows, at least one. */
static void plan_reference_calls(whet_comparison *c)
{
    const whet_protocol *p = c->protocol;
    uint64_t call_ns =
        c->reference_ns ? c->reference_ns : c->arms[0]->median_ns;
    uint64_t fit = p->pairs_per_block;

    if (call_ns > 0 && p->blocks > 0)
        fit = p->reference_budget_ns / p->blocks / call_ns;
    if (fit < 1)
        fit = 1;
    c->reference_calls =
        fit < p->pairs_per_block ? (unsigned)fit : p->pairs_per_block;
}

/* Reference calls spread evenly over the block's pairs. */
static bool has_reference(const whet_comparison *c, unsigned pair)
{
    unsigned pairs = c->protocol->pairs_per_block;

    return (pair + 1) * c->reference_calls / pairs >
           pair * c->reference_calls / pairs;
}

static void keep_ratio(whet_comparison *c, unsigned block)
{
    c->generation[c->block_count] =
        whet_judge__is_exclusive(c->judge)
            ? block /* workers of its own */
            : whet_protocol_generation(c->protocol, block);
    c->log_ratio[c->block_count++] =
        log(whet_judge__block_median(timing_of(c, 0), block) /
            whet_judge__block_median(timing_of(c, 1), block));
}

static whet_status run_block(whet_comparison *c, unsigned block, whet_err *err)
{
    unsigned pairs = c->protocol->pairs_per_block, p;
    whet_status st = WHET_OK;
    whet_rng rng;
    bool coin;

    whet_rng_init(&rng, c->judge->order_step++, block, "judge.order");
    coin = whet_rng_below(&rng, 2) == 1;
    for (p = 0; p < pairs; p++) {
        bool is_pair = has_reference(c, p);
        whet_call calls[2];

        st = run_pair(calls, c, is_pair, coin ^ (p & 1), err);
        if (st != WHET_OK)
            return st;
        if (calls[1].reason != WHET_REASON_NONE) {
            whet_judge__blame(c->out, &calls[1], NULL);
            return WHET_OK;
        }
        st = keep_time(c, 1, &calls[1], block, err);
        if (st == WHET_OK && is_pair)
            st = keep_time(c, 0, &calls[0], block, err);
        if (st != WHET_OK)
            return st;
    }
    keep_ratio(c, block);
    return WHET_OK;
}

/* One call of a block of a single arm, and its check. */
static whet_status run_single(whet_comparison *c, unsigned index,
                              const whet_key *key, unsigned block,
                              whet_err *err)
{
    whet_status st = whet_judge__cancelled(c->judge, err);
    whet_call call = {0};

    if (st == WHET_OK)
        st = call_arm(&call, c, index, key, err);
    if (st == WHET_OK)
        st = whet_judge__check(c->judge, index == 0 ? &call : NULL,
                               index == 1 ? &call : NULL, err);
    if (st == WHET_OK && call.reason != WHET_REASON_NONE && index == 0)
        return reference_failed(&call, err);
    if (st != WHET_OK)
        return st;
    if (index == 1 && !(c->out->worst_error >= call.worst))
        c->out->worst_error = call.worst;
    if (call.reason != WHET_REASON_NONE) {
        whet_judge__blame(c->out, &call, NULL);
        return WHET_OK;
    }
    c->out->verified_calls += index;
    return keep_time(c, index, &call, block, err);
}

/* All calls of one arm in a block, in a worker of its own. */
static whet_status run_turn(whet_comparison *c, unsigned index,
                            const whet_key *keys, unsigned block, whet_err *err)
{
    whet_status st = start(c, 1u << index, err);
    unsigned p;

    if (block == 0 && index == 0)
        plan_reference_calls(c);
    for (p = 0; st == WHET_OK && c->out->reason == WHET_REASON_NONE &&
                p < c->protocol->pairs_per_block;
         p++)
        if (index == 1 || has_reference(c, p))
            st = run_single(c, index, &keys[p], block, err);
    if (st == WHET_OK)
        st = finish(c, 1u << index, err);
    return st;
}

/* A block on a card that takes one process at a time: all calls of one arm,
 * then, with the same keys, all of the other. The reference comes first in the
 * first block, since its warm-up call plans the rest; then they alternate. */
static whet_status run_block_apart(whet_comparison *c, unsigned block,
                                   whet_err *err)
{
    unsigned pairs = c->protocol->pairs_per_block, i;
    whet_key *keys = calloc(pairs, sizeof *keys);
    whet_status st = WHET_OK;

    if (keys == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (i = 0; st == WHET_OK && i < pairs; i++)
        st = whet_judge__key(&keys[i], c->judge, err);
    for (i = 0; st == WHET_OK && i < 2 && c->out->reason == WHET_REASON_NONE;
         i++)
        st = run_turn(c, block & 1 ? 1 - i : i, keys, block, err);
    if (st == WHET_OK && c->out->reason == WHET_REASON_NONE)
        keep_ratio(c, block);
    free(keys);
    return st;
}

/* Workers for the blocks to come; fresh ones if the protocol says so. */
static whet_status prepare_block(whet_comparison *c, unsigned block,
                                 whet_err *err)
{
    const whet_protocol *p = c->protocol;
    bool fresh = block > 0 && whet_protocol_generation(p, block) !=
                                  whet_protocol_generation(p, block - 1);
    whet_status st = WHET_OK;

    if (fresh)
        st = finish(c, BOTH, err);
    if (st == WHET_OK && c->out->reason == WHET_REASON_NONE &&
        (block == 0 || fresh))
        st = start(c, BOTH, err);
    if (block == 0)
        plan_reference_calls(c);
    return st;
}

/* Forget the times of a block that does not count. */
static void drop_block(whet_comparison *c, unsigned block)
{
    unsigned i;

    for (i = 0; i < 2; i++) {
        whet_timing *t = timing_of(c, i);

        while (t->call_count > 0 && t->block_index[t->call_count - 1] == block)
            t->total_ns -= t->call_ns[--t->call_count];
    }
    c->block_count--;
}

/* A block, and again while outside evidence voids it. A session that is void
 * itself goes on, so that as many calls are verified as ever. */
static whet_status run_until_valid(whet_comparison *c, unsigned block,
                                   whet_err *err)
{
    bool is_apart = whet_judge__is_exclusive(c->judge);
    whet_status st;

    for (;;) {
        c->overhead_count[0] = c->overhead_count[1] = 0;
        whet_judge__watch_block(c);
        st = is_apart ? run_block_apart(c, block, err)
                      : run_block(c, block, err);
        if (st != WHET_OK || c->out->reason != WHET_REASON_NONE)
            return st;
        if (whet_judge__watch_passed(c) || whet_judge__is_void(c))
            return WHET_OK;
        drop_block(c, block);
    }
}

/* Screening gives up on a candidate that is plainly slower. */
static bool is_hopeless(const whet_comparison *c)
{
    double sum = 0.0;
    size_t i;

    if (c->protocol->drop_ratio <= 0.0)
        return false;
    for (i = 0; i < c->block_count; i++)
        sum += c->log_ratio[i];
    return exp(sum / (double)c->block_count) < c->protocol->drop_ratio;
}

static whet_status run_blocks(whet_comparison *c, whet_err *err)
{
    bool is_apart = whet_judge__is_exclusive(c->judge);
    const whet_protocol *p = c->protocol;
    whet_status st = WHET_OK;
    unsigned block;

    whet_judge__watch_start(c);
    for (block = 0; st == WHET_OK && block < p->blocks; block++) {
        if (!is_apart)
            st = prepare_block(c, block, err);
        if (st != WHET_OK || c->out->reason != WHET_REASON_NONE)
            return st;
        whet_log_progress(&c->judge->opts.log, "%s %.8s: block %u of %u",
                          p->name, c->arms[1]->hash.text, block + 1, p->blocks);
        st = run_until_valid(c, block, err);
        if (st != WHET_OK || c->out->reason != WHET_REASON_NONE)
            return st;
        if (is_hopeless(c)) {
            whet_strcopy(c->out->message, sizeof c->out->message,
                         "dropped early: plainly slower than the reference");
            return WHET_OK;
        }
    }
    return st;
}

static bool allocate(whet_comparison *c)
{
    const whet_protocol *p = c->protocol;

    c->log_ratio = calloc(p->blocks + 1, sizeof *c->log_ratio);
    c->generation = calloc(p->blocks + 1, sizeof *c->generation);
    c->overhead_ns[0] = calloc(p->pairs_per_block + 1, sizeof(double));
    c->overhead_ns[1] = calloc(p->pairs_per_block + 1, sizeof(double));
    return c->log_ratio != NULL && c->generation != NULL &&
           c->overhead_ns[0] != NULL && c->overhead_ns[1] != NULL;
}

static void release(whet_comparison *c)
{
    free(c->log_ratio);
    free(c->generation);
    free(c->overhead_ns[0]);
    free(c->overhead_ns[1]);
}

whet_status whet_judge_compare(whet_verdict *out, whet_judge *judge,
                               whet_arm *reference, whet_arm *candidate,
                               const whet_protocol *protocol, whet_err *err)
{
    whet_comparison c = {.judge = judge,
                         .arms = {reference, candidate},
                         .protocol = protocol,
                         .out = out};
    uint64_t begin_ns = whet_clock_now(&judge->clock);
    uint64_t device_ns = judge->device_ns, start_ns = judge->start_ns;
    uint64_t verify_ns = judge->verifier.spent_ns + judge->copy_ns;
    whet_status st;

    /* A reference outlives its comparisons; what a replay answers must not
     * depend on how many there were before, or a resumed search would decide
     * otherwise than one that was never stopped. */
    reference->replay_calls = 0;
    whet_judge__verdict_init(out, judge, candidate->point_text,
                             &candidate->hash);
    out->reference = reference->hash;
    out->image = candidate->image.hash;
    whet_judge__resources(out, candidate);
    whet_strcopy(out->protocol, sizeof out->protocol, protocol->name);
    out->tried = protocol->tried;
    if (!allocate(&c)) {
        release(&c);
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    /* Nothing of a screening lives on in what counts. */
    if (whet_judge__is_exclusive(judge) || protocol->generations > 1)
        whet_arm_park(reference);
    judge->is_brief = protocol->is_brief;
    st = whet_judge__shapes(out, candidate, protocol, err);
    if (st == WHET_OK && out->reason == WHET_REASON_NONE)
        st = run_blocks(&c, err);
    if (st == WHET_OK)
        st = finish(&c, protocol->generations > 1 ? BOTH : CANDIDATE, err);
    if (st == WHET_OK) {
        whet_judge__watch_end(&c);
        whet_judge__conclude(&c);
    }
    if (st == WHET_OK)
        whet_judge__failures_keep(out, judge, reference, candidate);
    whet_arm_park(candidate);
    if (protocol->generations > 1)
        whet_arm_park(reference);
    whet_log_progress(&judge->opts.log, "%s", "");
    out->spend.device_ns = judge->device_ns - device_ns;
    out->spend.start_ns = judge->start_ns - start_ns;
    out->spend.verify_ns =
        judge->verifier.spent_ns + judge->copy_ns - verify_ns;
    out->spend.wall_ns = whet_clock_now(&judge->clock) - begin_ns;
    release(&c);
    return st;
}

whet_status whet_judge_aa(double *ratio_out, double *lo_out, double *hi_out,
                          whet_judge *judge, whet_arm *arm, unsigned blocks,
                          unsigned pairs, whet_err *err)
{
    whet_protocol protocol = whet_protocol_timing("a/a", blocks, pairs);
    whet_verdict verdict = {0};
    whet_arm twin = *arm;
    whet_status st;

    memset(&twin.worker, 0, sizeof twin.worker);
    st = whet_judge_compare(&verdict, judge, arm, &twin, &protocol, err);
    arm->replay_calls = twin.replay_calls > arm->replay_calls
                            ? twin.replay_calls
                            : arm->replay_calls;
    if (st == WHET_OK && !verdict.has_ratio)
        st = whet_err_set(err, WHET_EFAIL, "A/A control: %s", verdict.message);
    if (st == WHET_OK) {
        judge->aa_error = verdict.ratio_error;
        if (ratio_out != NULL)
            *ratio_out = verdict.ratio;
        if (lo_out != NULL)
            *lo_out = verdict.ratio_lo;
        if (hi_out != NULL)
            *hi_out = verdict.ratio_hi;
    }
    whet_verdict_deinit(&verdict);
    return st;
}
