/* A ledger's newest run turned into a recording: what was measured once can be
 * searched again without the device. */

#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gathering over the run's events in order. */
struct gather {
    whet_recording *recording;
    whet_device_facts facts;
    json_t *points;   /* candidate hash -> point text */
    json_t *accepted; /* candidate hash -> true once its build was added */
    whet_hash baseline;
    whet_status status;
    whet_err err;
};

static whet_status begin(struct gather *g, const whet_event *event)
{
    const json_t *data = event->data;
    const char *task, *task_hash, *baseline;
    whet_hash hash = {""};
    json_t *facts;
    int64_t seed;
    whet_status st;

    if ((st = whet_json_get_str(&task, data, "task", &g->err)) != WHET_OK ||
        (st = whet_json_get_str(&task_hash, data, "task_hash", &g->err)) !=
            WHET_OK ||
        (st = whet_json_get_str(&baseline, data, "baseline_hash", &g->err)) !=
            WHET_OK ||
        (st = whet_json_get_object(&facts, data, "device_facts", &g->err)) !=
            WHET_OK ||
        (st = whet_json_get_i64(&seed, data, "seed", 0, INT64_MAX, &g->err)) !=
            WHET_OK ||
        (st = whet_device_facts_from_json(&g->facts, facts, &g->err)) !=
            WHET_OK)
        return st;
    (void)whet_strcopy(hash.text, sizeof hash.text, task_hash);
    (void)whet_strcopy(g->baseline.text, sizeof g->baseline.text, baseline);
    json_object_set_new(g->points, baseline, json_string("-"));
    return whet_recording_new(&g->recording, &g->facts, task, &hash,
                              (uint64_t)seed, event->wall_ns, &g->err);
}

/* Add the build of a candidate once, accepted or refused. */
static whet_status add_build(struct gather *g, const whet_hash *hash,
                             const whet_verdict *verdict)
{
    const char *point =
        json_string_value(json_object_get(g->points, hash->text));
    bool is_refused = verdict != NULL && verdict->outcome == WHET_OUTCOME_BUILD;
    whet_diagnostic diagnostic = {WHET_DIAGNOSTIC_ERROR, 0, 0, ""};

    if (json_object_get(g->accepted, hash->text) != NULL)
        return WHET_OK;
    json_object_set_new(g->accepted, hash->text, json_boolean(!is_refused));
    if (is_refused && verdict->diagnostic.kind != WHET_DIAGNOSTIC_NONE)
        diagnostic = verdict->diagnostic;
    else if (is_refused)
        (void)whet_strcopy(diagnostic.text, sizeof diagnostic.text,
                           verdict->message);
    return whet_recording_add_build(g->recording, hash, point ? point : "-",
                                    verdict ? verdict->spend.build_ns : 0,
                                    is_refused ? &diagnostic : NULL, &g->err);
}

static whet_status add_verdict(struct gather *g, const whet_event *event)
{
    whet_verdict v;
    whet_status st = whet_verdict_from_json(&v, event->data, &g->err);
    const whet_timing *k = &v.candidate_time, *r = &v.reference_time;
    bool is_correct;

    if (st != WHET_OK)
        return st;
    is_correct = v.outcome == WHET_OUTCOME_CORRECT;
    st = add_build(g, &v.candidate, &v);
    if (st == WHET_OK && v.outcome == WHET_OUTCOME_BUILD)
        goto out;
    if (st == WHET_OK)
        st = whet_recording_add_calls(
            g->recording, &v.candidate, v.workload, k->call_ns, k->call_count,
            is_correct ? "" : whet_reason_name(v.reason), &g->err);
    if (st == WHET_OK && r->call_count > 0 &&
        (st = add_build(g, &v.reference, NULL)) == WHET_OK)
        st = whet_recording_add_calls(g->recording, &v.reference, v.workload,
                                      r->call_ns, r->call_count, "", &g->err);
    if (st == WHET_OK && strcmp(event->kind, "confirmed") == 0)
        st = whet_recording_set_hidden(
            g->recording, &v.candidate,
            is_correct ? "" : whet_reason_name(v.reason), &g->err);
out:
    whet_verdict_deinit(&v);
    return st;
}

static bool on_event(const whet_event *event, void *payload)
{
    struct gather *g = payload;
    const char *kind = event->kind;
    const json_t *point;

    if (strcmp(kind, "run_started") == 0) {
        g->status = begin(g, event);
    } else if (strcmp(kind, "candidate") == 0) {
        point = json_object_get(event->data, "point_text");
        json_object_set_new(g->points, event->subject,
                            json_string(json_string_value(point)));
    } else if (g->recording != NULL &&
               (strcmp(kind, "screened") == 0 || strcmp(kind, "raced") == 0 ||
                strcmp(kind, "confirmed") == 0)) {
        g->status = add_verdict(g, event);
    }
    return g->status == WHET_OK;
}

whet_status whet_search_recording(json_t **out, whet_ledger *ledger,
                                  whet_err *err)
{
    struct gather *g = calloc(1, sizeof *g);
    char run[64];
    whet_event_query query = {.run = run};
    whet_status st;

    *out = NULL;
    if (g == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    g->points = json_object();
    g->accepted = json_object();
    st = whet_ledger_last_run(run, ledger, err);
    if (st == WHET_OK)
        st = whet_ledger_each(ledger, &query, on_event, g, err);
    if (st == WHET_OK && g->status != WHET_OK)
        st = whet_err_set(err, g->status, "%s", g->err.msg);
    if (st == WHET_OK && g->recording == NULL)
        st = whet_err_set(err, WHET_ENOTFOUND, "the ledger holds no run");
    if (st == WHET_OK)
        st = whet_recording_finish(out, g->recording, err);
    whet_recording_free(g->recording);
    json_decref(g->points);
    json_decref(g->accepted);
    free(g);
    return st;
}
