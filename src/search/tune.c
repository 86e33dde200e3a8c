/* Which points to try: a sample over all templates, then the neighbourhood of
 * the best. Points that constraints or device limits exclude are refused here,
 * before anything is built. */

#include "search/run_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 200000 };

static bool is_feasible(const whet_run *run, const whet_source *source,
                        const whet_point *point, whet_bound_plan *scratch)
{
    return whet_candidate_bind(scratch, source->candidate, point, run->task,
                               &run->workload, &run->device.facts.limits,
                               NULL) == WHET_OK;
}

static bool is_tried(const whet_run *run, const whet_hash *hash)
{
    size_t i;

    for (i = 0; i < run->trial_count; i++)
        if (strcmp(run->trials[i].hash.text, hash->text) == 0)
            return true;
    return false;
}

/* @return index of the new trial, -1 when out of memory */
static int add_trial(whet_run *run, unsigned source, const whet_point *point,
                     const char *parent)
{
    void *items = run->trials;
    whet_trial *trial;

    if (!whet_vec_reserve(&items, &run->trial_alloc, run->trial_count + 1,
                          sizeof *run->trials))
        return -1;
    run->trials = items;
    trial = &run->trials[run->trial_count];
    memset(trial, 0, sizeof *trial);
    trial->source = source;
    trial->point = *point;
    trial->hash = whet_candidate_hash(run->sources[source].candidate, point);
    (void)whet_strcopy(trial->parent, sizeof trial->parent, parent);
    return (int)run->trial_count++;
}

/* Feasible points of one source, as indices in random order; the first
 * feasible one in the author's own order (its default) stays in front. */
struct deck {
    uint64_t *index;
    size_t count, next;
};

static whet_status fill_deck(struct deck *deck, whet_run *run, unsigned source,
                             whet_bound_plan *scratch, whet_err *err)
{
    const whet_source *s = &run->sources[source];
    uint64_t total = whet_candidate_point_count(s->candidate), i;
    whet_rng rng;

    if (total > POINTS_MAX)
        total = POINTS_MAX;
    deck->index = calloc(total + 1, sizeof *deck->index);
    if (deck->index == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (i = 0; i < total; i++) {
        whet_point point = whet_candidate_point_at(s->candidate, i);

        if (is_feasible(run, s, &point, scratch))
            deck->index[deck->count++] = i;
        else
            run->result->infeasible++;
    }
    whet_rng_init(&rng, run->opts.seed, source, "tune.sample");
    for (i = deck->count; i > 2; i--) {
        size_t j = 1 + (size_t)whet_rng_below(&rng, i - 1);
        uint64_t swap = deck->index[i - 1];

        deck->index[i - 1] = deck->index[j];
        deck->index[j] = swap;
    }
    return WHET_OK;
}

whet_status whet_search__sample(int *out, size_t *count_out, size_t max,
                                whet_run *run, whet_err *err)
{
    struct deck decks[WHET_TEMPLATE_MAX] = {{0}};
    whet_bound_plan *scratch = malloc(sizeof *scratch);
    whet_status st =
        scratch ? WHET_OK : whet_err_set(err, WHET_ENOMEM, "out of memory");
    size_t count = 0, before;
    unsigned s;

    for (s = 0; st == WHET_OK && s < run->source_count; s++)
        st = fill_deck(&decks[s], run, s, scratch, err);
    do {
        before = count;
        for (s = 0; st == WHET_OK && s < run->source_count && count < max;
             s++) {
            struct deck *deck = &decks[s];
            whet_point point;

            if (deck->next == deck->count)
                continue;
            point = whet_candidate_point_at(run->sources[s].candidate,
                                            deck->index[deck->next++]);
            out[count] = add_trial(run, s, &point, "");
            if (out[count] < 0)
                st = whet_err_set(err, WHET_ENOMEM, "out of memory");
            else
                count++;
        }
    } while (st == WHET_OK && count > before);
    for (s = 0; s < run->source_count; s++)
        free(decks[s].index);
    free(scratch);
    *count_out = count;
    return st;
}

static int domain_place(const whet_tunable *tunable, int64_t value)
{
    unsigned i;

    for (i = 0; i < tunable->domain_count; i++)
        if (tunable->domain[i] == value)
            return (int)i;
    return -1;
}

whet_status whet_search__neighbours(int *out, size_t *count_out, size_t max,
                                    whet_run *run, int trial, whet_err *err)
{
    whet_trial from = run->trials[trial];
    const whet_source *source = &run->sources[from.source];
    const whet_candidate *candidate = source->candidate;
    whet_bound_plan *scratch = malloc(sizeof *scratch);
    size_t count = 0;
    unsigned t;
    int step;

    *count_out = 0;
    if (scratch == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (t = 0; t < candidate->tunable_count; t++) {
        const whet_tunable *tunable = &candidate->tunables[t];
        int place = domain_place(tunable, from.point.value[t]);

        for (step = -1; step <= 1 && count < max; step += 2) {
            whet_point point = from.point;
            whet_hash hash;

            if (place + step < 0 || place + step >= (int)tunable->domain_count)
                continue;
            point.value[t] = tunable->domain[place + step];
            hash = whet_candidate_hash(candidate, &point);
            if (is_tried(run, &hash) ||
                !is_feasible(run, source, &point, scratch))
                continue;
            out[count] = add_trial(run, from.source, &point, from.hash.text);
            if (out[count] < 0) {
                free(scratch);
                return whet_err_set(err, WHET_ENOMEM, "out of memory");
            }
            count++;
        }
    }
    free(scratch);
    *count_out = count;
    return WHET_OK;
}
