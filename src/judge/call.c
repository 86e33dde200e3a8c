/* One verified call: fill, run, seal, check; live or replayed. */

#include "judge/judge_priv.h"

#include <string.h>

whet_status whet_judge__cancelled(const whet_judge *judge, whet_err *err)
{
    if (judge->opts.cancel != NULL && *judge->opts.cancel)
        return whet_err_set(err, WHET_ECANCELLED, "stopped by the user");
    return WHET_OK;
}

whet_status whet_judge__key(whet_key *out, whet_judge *judge, whet_err *err)
{
    return judge->ops->entropy(judge->opts.device->device, out, err);
}

whet_status whet_judge__shape(whet_judge *judge, const whet_workload *workload,
                              whet_err *err)
{
    whet_verify_request request = {.type = WHET_VERIFY_SHAPE,
                                   .is_brief = judge->is_brief,
                                   .workload = *workload};
    whet_verify_answer answer;

    return whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
}

whet_status whet_judge__attach(whet_judge *judge, unsigned index,
                               const whet_worker *worker, whet_err *err)
{
    whet_verify_request request = {.type = WHET_VERIFY_ATTACH,
                                   .arm = index,
                                   .stage_fd = judge->stage_fd[index],
                                   .pid = worker->pid,
                                   .base = worker->base,
                                   .layout = worker->layout};
    whet_verify_answer answer;

    return whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
}

/* A worker that unmapped its memory or vanished is the candidate's doing. */
static void blame_memory(whet_call *call, whet_reason reason)
{
    if (call->reason != WHET_REASON_NONE || reason != WHET_REASON_CRASH)
        return;
    call->reason = WHET_REASON_CRASH;
    whet_strcopy(call->text, sizeof call->text,
                 "the worker's memory is not there any more");
}

void whet_judge__blame_guard(whet_call *call, whet_reason reason)
{
    if (call->reason != WHET_REASON_NONE || reason != WHET_REASON_GUARD)
        return;
    call->reason = WHET_REASON_GUARD;
    whet_strcopy(call->text, sizeof call->text,
                 "among the buffers of another call");
}

/* From filled memory to memory that can be sealed. */
static whet_status run(whet_call *out, whet_judge *judge, whet_worker *worker,
                       uint32_t slot, const whet_key *key, whet_err *err)
{
    whet_status st;

    if (!whet_judge__has_stage(judge)) {
        whet_judge__worker_call(out, judge, worker, slot);
        return WHET_OK;
    }
    st = whet_judge__copy(out, judge, worker, slot, WHET_WIRE_UPLOAD,
                          whet_judge__poison_seed(key), err);
    if (st == WHET_OK && out->reason == WHET_REASON_NONE)
        st = whet_judge__device_call(out, judge, worker, slot, err);
    if (st == WHET_OK && out->reason == WHET_REASON_NONE)
        st = whet_judge__copy(out, judge, worker, slot, WHET_WIRE_DOWNLOAD,
                              whet_judge__look_seed(key), err);
    return st;
}

whet_status whet_judge__call(whet_call *out, whet_judge *judge,
                             whet_worker *worker, unsigned index,
                             const whet_key *key, whet_err *err)
{
    whet_verify_request request = {.type = WHET_VERIFY_FILL,
                                   .arm = index,
                                   .slot = worker->next_slot,
                                   .key = *key};
    whet_verify_answer answer;
    whet_status st;

    memset(out, 0, sizeof *out);
    worker->next_slot = (worker->next_slot + 1) % worker->layout.slot_count;
    st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
    if (st != WHET_OK)
        return st;
    blame_memory(out, (whet_reason)answer.arm[index].reason);
    whet_judge__blame_guard(out, (whet_reason)answer.arm[index].reason);
    if (out->reason != WHET_REASON_NONE) {
        whet_judge__worker_stop(worker);
        return WHET_OK;
    }
    st = run(out, judge, worker, request.slot, key, err);
    if (st != WHET_OK || out->reason != WHET_REASON_NONE)
        return st;
    request.type = WHET_VERIFY_SEAL;
    st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
    if (st == WHET_OK)
        blame_memory(out, (whet_reason)answer.arm[index].reason);
    return st;
}

/* Fill slot 0 and seal it, without a launch between. */
static whet_status leave_alone(whet_call *out, whet_judge *judge,
                               whet_worker *worker, whet_err *err)
{
    whet_verify_request request = {.type = WHET_VERIFY_FILL,
                                   .slot = worker->next_slot};
    whet_verify_answer answer;
    whet_status st = whet_judge__key(&request.key, judge, err);

    worker->next_slot = (worker->next_slot + 1) % worker->layout.slot_count;
    if (st == WHET_OK)
        st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
    if (st == WHET_OK && whet_judge__has_stage(judge))
        st =
            whet_judge__copy(out, judge, worker, request.slot, WHET_WIRE_UPLOAD,
                             whet_judge__poison_seed(&request.key), err);
    if (st == WHET_OK && whet_judge__has_stage(judge))
        st = whet_judge__copy(out, judge, worker, request.slot,
                              WHET_WIRE_DOWNLOAD,
                              whet_judge__look_seed(&request.key), err);
    request.type = WHET_VERIFY_SEAL;
    if (st == WHET_OK)
        st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
    return st;
}

whet_status whet_judge__no_op(whet_judge *judge, whet_worker *worker,
                              whet_err *err)
{
    whet_call call = {0};
    whet_status st;

    if (judge->has_no_op)
        return WHET_OK;
    st = leave_alone(&call, judge, worker, err);
    if (st == WHET_OK)
        st = whet_judge__check(judge, &call, NULL, err);
    if (st == WHET_OK && whet_reason_outcome(call.reason) != WHET_OUTCOME_WRONG)
        return whet_err_set(
            err, WHET_EFAIL,
            "no-op control: a call without a launch was found "
            "%s, expected wrong: nothing counts here",
            whet_outcome_name(whet_reason_outcome(call.reason)));
    judge->has_no_op = st == WHET_OK;
    return st;
}

static void take(whet_call *call, const whet_verify_finding *finding)
{
    if (call == NULL || call->reason != WHET_REASON_NONE)
        return;
    call->reason = (whet_reason)finding->reason;
    call->worst = finding->worst;
}

whet_status whet_judge__check(whet_judge *judge, whet_call *reference,
                              whet_call *candidate, whet_err *err)
{
    whet_verify_request request = {.type = WHET_VERIFY_CHECK};
    whet_verify_answer answer;
    whet_status st;

    if (reference != NULL && reference->reason == WHET_REASON_NONE)
        request.arm_mask |= 1u << 0;
    if (candidate != NULL && candidate->reason == WHET_REASON_NONE)
        request.arm_mask |= 1u << 1;
    if (request.arm_mask == 0)
        return WHET_OK;
    st = whet_judge__verifier_ask(&answer, &judge->verifier, &request, err);
    if (st != WHET_OK)
        return st;
    take(reference, &answer.arm[0]);
    take(candidate, &answer.arm[1]);
    return WHET_OK;
}

whet_status whet_judge__replay(whet_call *out, whet_arm *arm,
                               const char *workload, uint64_t call,
                               whet_err *err)
{
    whet_judge *judge = arm->judge;
    whet_replay_call replay = {0};
    whet_status st;

    memset(out, 0, sizeof *out);
    st =
        judge->ops->replay_call(&replay, judge->opts.device->device, &arm->hash,
                                arm->point_text, workload, call, err);
    if (st == WHET_ENOTFOUND) {
        out->reason = WHET_REASON_NOT_RECORDED;
        whet_strcopy(out->text, sizeof out->text, err ? err->msg : "");
        return WHET_OK;
    }
    if (st != WHET_OK)
        return st;
    out->elapsed_ns = replay.elapsed_ns;
    judge->device_ns += replay.elapsed_ns;
    if (!replay.is_correct) {
        replay.reason[sizeof replay.reason - 1] = '\0';
        out->reason = whet_reason_find(replay.reason);
        if (out->reason == WHET_REASON_COUNT || out->reason == WHET_REASON_NONE)
            out->reason = WHET_REASON_MISMATCH;
        whet_strcopy(out->text, sizeof out->text, "as replayed");
    }
    return WHET_OK;
}
