/* Shapes other than the timed one: hidden edge shapes, drawn from a fresh key
 * for every confirmation, and the task's other public workloads. They are
 * verified, not timed, and cheap ones come first, so that a kernel that is
 * wrong at the edges costs little. */

#include "judge/judge_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_PER_SHAPE = 2 };

/* The worst error stays that of the calls. */
static whet_status finish(whet_call *out, whet_judge *judge,
                          whet_worker *worker, whet_err *err)
{
    double worst = out->worst;
    whet_status st = whet_judge__finish(out, judge, worker, 1, err);

    out->worst = worst;
    return st;
}

/* One shape on a live device: a worker of its own, two verified calls. */
static whet_status verify_live(whet_call *out, whet_arm *arm,
                               const whet_workload *workload,
                               const whet_bound_plan *plan, whet_err *err)
{
    whet_judge *judge = arm->judge;
    whet_worker worker;
    whet_status st = whet_judge__worker_start(&worker, out, judge, 1,
                                              &arm->image, plan, NULL, err);
    int i;

    if (st != WHET_OK || out->reason != WHET_REASON_NONE)
        return st;
    st = whet_judge__shape(judge, workload, err);
    if (st == WHET_OK)
        st = whet_judge__attach(judge, 1, &worker, err);
    for (i = 0; st == WHET_OK && i < CALLS_PER_SHAPE &&
                out->reason == WHET_REASON_NONE;
         i++) {
        whet_key key;

        st = whet_judge__key(&key, judge, err);
        if (st == WHET_OK)
            st = whet_judge__call(out, judge, &worker, 1, &key, err);
        if (st == WHET_OK)
            st = whet_judge__check(judge, NULL, out, err);
    }
    if (st == WHET_OK && out->reason == WHET_REASON_NONE)
        st = finish(out, judge, &worker, err);
    whet_judge__worker_stop(&worker);
    return st;
}

static whet_status verify_replay(whet_call *out, whet_arm *arm,
                                 const char *text, whet_err *err)
{
    whet_status st = WHET_OK;
    uint64_t i;

    memset(out, 0, sizeof *out);
    for (i = 0; st == WHET_OK && i < CALLS_PER_SHAPE &&
                out->reason == WHET_REASON_NONE;
         i++)
        st = whet_judge__replay(out, arm, text, i, err);
    return st;
}

/* A plan that fails on a shape that its constraints admit. Why is not told:
 * the message of a binding is full of sizes. */
static void refuse_plan(whet_verdict *out, whet_status st, const char *where)
{
    whet_call call = {.reason = st == WHET_EUNSUPPORTED
                                    ? WHET_REASON_PLAN_LIMIT
                                    : WHET_REASON_CONSTRAINT};

    if (call.reason == WHET_REASON_CONSTRAINT)
        whet_strcopy(call.text, sizeof call.text,
                     "its plan fails where no constraint of it is false:");
    whet_judge__blame(out, &call, where);
}

/* @param is_hidden  its sizes must not be told */
static whet_status verify_shape(whet_verdict *out, whet_arm *arm,
                                const whet_workload *workload, bool is_hidden,
                                whet_err *err)
{
    whet_judge *judge = arm->judge;
    const whet_limits *limits = &judge->opts.device->facts.limits;
    whet_bound_plan *plan = NULL;
    char text[256], where[300];
    whet_call call = {0};
    whet_err why = {0};
    whet_status st = whet_judge__cancelled(judge, err);

    if (st != WHET_OK)
        return st;
    whet_workload_format(text, sizeof text, judge->task, workload);
    snprintf(where, sizeof where, "%s", is_hidden ? "on a hidden shape" : text);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    if (whet_candidate_excludes(arm->candidate, &arm->point, judge->task,
                                workload, limits)) {
        out->shapes_uncovered++;
        goto out;
    }
    st = whet_candidate_bind(plan, arm->candidate, &arm->point, judge->task,
                             workload, limits, &why);
    if (st == WHET_EINVAL || st == WHET_EUNSUPPORTED) {
        refuse_plan(out, st, where);
        st = WHET_OK;
        goto out;
    }
    if (st != WHET_OK) {
        whet_err_set(err, st, "%s", why.msg);
        goto out;
    }
    st = judge->ops->caps & WHET_DEVICE_CAP_REPLAY
             ? verify_replay(&call, arm, text, err)
             : verify_live(&call, arm, workload, plan, err);
    if (st != WHET_OK)
        goto out;
    /* A native worker's own words could carry what it saw. */
    if (is_hidden && (call.reason == WHET_REASON_LAUNCH ||
                      call.reason == WHET_REASON_PLAN_LIMIT))
        call.text[0] = '\0';
    out->shapes_verified++;
    if (call.reason == WHET_REASON_NONE)
        out->verified_calls += CALLS_PER_SHAPE;
    if (!(judge->ops->caps & WHET_DEVICE_CAP_REPLAY) &&
        !(out->worst_error >= call.worst))
        out->worst_error = call.worst;
    if (call.reason != WHET_REASON_NONE)
        whet_judge__blame(out, &call, where);
out:
    free(plan);
    return st;
}

/* Has the device room for two sets of a workload's tensors, as a worker needs
 * them? What is too large for it is no fault of a candidate. */
static bool fits_device(const whet_judge *judge, const whet_workload *workload)
{
    uint64_t room = whet_judge__room_bytes(judge);
    uint64_t asked = (uint64_t)8 << 20; /* guards, and slots rounded up */
    unsigned t;

    for (t = 0; t < judge->task->tensor_count; t++) {
        whet_extent extent;

        if (whet_task_extent(&extent, judge->task, workload, t, NULL) !=
            WHET_OK)
            return false;
        asked += 2 * extent.bytes;
    }
    return room == 0 || asked <= room;
}

/* Other public workloads, up to four times the timed one's cost. */
static whet_status verify_public(whet_verdict *out, whet_arm *arm,
                                 whet_err *err)
{
    const whet_judge *judge = arm->judge;
    const whet_task *task = judge->task;
    uint64_t ops, bytes, most_ops, most_bytes;
    whet_status st = whet_task_cost(&most_ops, &most_bytes, task,
                                    &judge->opts.workload, err);
    unsigned i;

    for (i = 0; st == WHET_OK && out->reason == WHET_REASON_NONE &&
                i < task->workload_count;
         i++) {
        const whet_workload *w = &task->workloads[i];

        if (memcmp(w->dim, judge->opts.workload.dim, sizeof w->dim) == 0)
            continue;
        st = whet_task_cost(&ops, &bytes, task, w, err);
        if (st == WHET_OK && ops / 4 <= most_ops && bytes / 4 <= most_bytes &&
            fits_device(judge, w))
            st = verify_shape(out, arm, w, false, err);
    }
    return st;
}

whet_status whet_judge__shapes(whet_verdict *out, whet_arm *arm,
                               const whet_protocol *protocol, whet_err *err)
{
    whet_judge *judge = arm->judge;
    whet_status st = WHET_OK;
    whet_key key;
    unsigned i;

    if (protocol->hidden_shapes > 0)
        st = whet_judge__key(&key, judge, err);
    for (i = 0; st == WHET_OK && out->reason == WHET_REASON_NONE &&
                i < protocol->hidden_shapes;
         i++) {
        whet_workload workload;

        st = whet_task_edge_workload(&workload, judge->task, &key, i, err);
        if (st == WHET_OK)
            st = verify_shape(out, arm, &workload, true, err);
    }
    if (st == WHET_OK && out->reason == WHET_REASON_NONE &&
        protocol->public_shapes)
        st = verify_public(out, arm, err);
    if (st == WHET_OK && !(judge->ops->caps & WHET_DEVICE_CAP_REPLAY))
        st = whet_judge__shape(judge, &judge->opts.workload, err);
    return st;
}
