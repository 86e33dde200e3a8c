/* Judging sessions: what both arms share. */

#include "judge/judge_priv.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t default_build_timeout_ns = 120000000000u;
static const uint64_t longest_call_ns = 120000000000u;

whet_status whet_judge__need_sandbox(whet_judge *judge, whet_err *err)
{
    const char *reason = judge->sandbox.reason;

    judge->has_open_builds = false;
    if (judge->opts.is_unsafe || reason[0] == '\0')
        return WHET_OK;
    if (judge->ops->caps & WHET_DEVICE_CAP_NATIVE)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "kernels are native code here and need a sandbox: "
                            "%s (or --unsafe, never a champion)",
                            reason);
    /* Where kernels are no code of this machine only compilers are exposed. */
    whet_log_write(&judge->opts.log, WHET_LOG_WARN,
                   "candidates are compiled without a sandbox: %s", reason);
    judge->has_open_builds = true;
    return WHET_OK;
}

static whet_status open_live(whet_judge *judge, whet_err *err)
{
    const whet_judge_opts *opts = &judge->opts;
    bool is_native = judge->ops->caps & WHET_DEVICE_CAP_NATIVE;
    whet_status st;

    if (opts->under != NULL && is_native)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "kernels are native code of a hostile worker here, "
                            "which no tool can be trusted to watch: expected a "
                            "device with memory of its own");
    whet_sandbox_probe(&judge->sandbox);
    if ((st = whet_judge__need_sandbox(judge, err)) != WHET_OK ||
        (st = whet_device_toolchain(&judge->toolchain, judge->identity,
                                    opts->device, err)) != WHET_OK)
        return st;
    st = whet_reference_open(&judge->reference, judge->task, err);
    if (st != WHET_OK)
        return st;
    judge->look = whet_judge__look;
    st = whet_judge__stages_open(judge, err);
    if (st != WHET_OK)
        return st;
    /* Before any thread of ours exists. */
    st = whet_judge__verifier_start(&judge->verifier, judge->task,
                                    judge->reference, err);
    return st == WHET_OK ? whet_judge__shape(judge, &opts->workload, err) : st;
}

whet_status whet_judge_open(whet_judge **out, const whet_judge_opts *opts,
                            whet_err *err)
{
    whet_judge *judge = calloc(1, sizeof *judge);
    whet_work work;
    whet_status st;

    *out = NULL;
    if (judge == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    signal(SIGPIPE, SIG_IGN); /* a dead worker is an answer, not our end */
    judge->opts = *opts;
    judge->task = opts->task;
    judge->ops = opts->device->ops;
    judge->verifier.fd = -1;
    judge->aa_error = NAN;
    judge->clock = judge->ops->clock(opts->device->device);
    judge->call_timeout_ns =
        opts->call_timeout_ns ? opts->call_timeout_ns : longest_call_ns;
    if (judge->opts.build_timeout_ns == 0)
        judge->opts.build_timeout_ns = default_build_timeout_ns;
    whet_workload_format(judge->workload_text, sizeof judge->workload_text,
                         opts->task, &opts->workload);
    st = whet_device_work(&work, opts->task, &opts->workload, err);
    if (st != WHET_OK)
        goto out;
    judge->floor_ns = whet_device_floor_ns(&opts->device->facts, &work);
    if (opts->calibration != NULL)
        judge->limit_ns = whet_calibration_limit_ns(opts->calibration, &work);
    if (judge->ops->caps & WHET_DEVICE_CAP_LIVE)
        st = open_live(judge, err);
    if (st != WHET_OK)
        goto out;
    whet_judge__failures_open(judge);
    *out = judge;
    judge = NULL;
out:
    whet_judge_close(judge);
    return st;
}

void whet_judge_close(whet_judge *judge)
{
    if (judge == NULL)
        return;
    whet_judge__verifier_stop(&judge->verifier);
    whet_reference_close(judge->reference);
    whet_judge__stages_close(judge);
    whet_judge__failures_close(judge);
    free(judge);
}
