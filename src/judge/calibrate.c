/* Calibration: what this device really achieves, measured like any candidate
 * (verified calls, sandboxed worker, supervisor's clock) on the tasks in
 * calibration/. The fastest call of the best point counts. */

#include "judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, PAIRS = 5, POINTS_MAX = 64 };

/* One kernel on one workload. */
struct gauge {
    const whet_device_handle *device;
    const whet_log *log;
    bool is_unsafe;
    const volatile int *cancel;
    whet_task *task;
    whet_candidate *candidate;
    whet_workload workload;
    whet_judge *judge;
};

static void release(struct gauge *g)
{
    whet_judge_close(g->judge);
    whet_candidate_free(g->candidate);
    whet_task_free(g->task);
}

static whet_status open_gauge(struct gauge *g, const char *name,
                              const char *workload, whet_err *err)
{
    char *root = NULL, *dir = NULL;
    whet_judge_opts opts = {.device = g->device,
                            .log = *g->log,
                            .is_unsafe = g->is_unsafe,
                            .cancel = g->cancel};
    whet_status st = whet_fs_data_dir(&root, "calibration", err);

    if (st == WHET_OK) {
        dir = whet_fs_join(root, name);
        st = dir ? whet_task_load(&g->task, dir, err)
                 : whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    if (st == WHET_OK)
        st = whet_candidate_load(&g->candidate,
                                 whet_task_baseline(g->task, "portable")->path,
                                 g->task, err);
    if (st == WHET_OK)
        st = whet_task_workload(&g->workload, g->task, workload, err);
    opts.task = g->task;
    opts.workload = g->workload;
    if (st == WHET_OK)
        st = whet_judge_open(&g->judge, &opts, err);
    free(root);
    free(dir);
    return st;
}

static bool is_feasible(const struct gauge *g, const whet_point *point)
{
    whet_bound_plan *plan = malloc(sizeof *plan);
    bool ok =
        plan != NULL &&
        whet_candidate_bind(plan, g->candidate, point, g->task, &g->workload,
                            &g->device->facts.limits, NULL) == WHET_OK;

    free(plan);
    return ok;
}

/* Fastest call of one point; 0 if it was refused. What was achieved once is
 * what the device can do, however busy the machine was the other times. */
static whet_status time_point(uint64_t *best_out, struct gauge *g,
                              const whet_point *point, whet_err *err)
{
    whet_verdict refusal = {0};
    whet_arm *arm = NULL;
    whet_status st =
        whet_arm_open(&arm, &refusal, g->judge, g->candidate, point, err);

    *best_out = 0;
    if (st == WHET_OK && arm == NULL)
        whet_log_write(g->log, WHET_LOG_WARN, "calibration kernel refused: %s",
                       refusal.message);
    if (st == WHET_OK && arm != NULL)
        st = whet_judge_aa(NULL, NULL, NULL, g->judge, arm, BLOCKS, PAIRS, err);
    if (st == WHET_OK && arm != NULL)
        *best_out = whet_arm_best_ns(arm);
    whet_arm_close(arm);
    whet_verdict_deinit(&refusal);
    return st;
}

/* Fastest call over the feasible points of a calibration kernel. */
static whet_status measure(uint64_t *best_out, double *cost_out,
                           const struct gauge *how, const char *name,
                           const char *workload, bool is_rate, whet_err *err)
{
    struct gauge g = *how;
    uint64_t ops = 0, bytes = 0, count, i, best_ns;
    whet_status st = open_gauge(&g, name, workload, err);

    *best_out = 0;
    count = st == WHET_OK ? whet_candidate_point_count(g.candidate) : 0;
    for (i = 0; st == WHET_OK && i < count && i < POINTS_MAX; i++) {
        whet_point point = whet_candidate_point_at(g.candidate, i);

        if (!is_feasible(&g, &point))
            continue;
        whet_log_progress(g.log, "calibrating %s %s", name, workload);
        st = time_point(&best_ns, &g, &point, err);
        if (st == WHET_OK && best_ns > 0 &&
            (*best_out == 0 || best_ns < *best_out))
            *best_out = best_ns;
    }
    if (st == WHET_OK && *best_out == 0)
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "calibration: no point of %s runs here", name);
    if (st == WHET_OK)
        st = whet_task_cost(&ops, &bytes, g.task, &g.workload, err);
    *cost_out = is_rate ? (double)ops : (double)bytes;
    release(&g);
    return st;
}

whet_status whet_judge_calibrate(whet_calibration *out,
                                 const whet_device_handle *device,
                                 const whet_log *log, bool is_unsafe,
                                 const volatile int *cancel, whet_err *err)
{
    struct gauge how = {
        .device = device, .log = log, .is_unsafe = is_unsafe, .cancel = cancel};
    whet_clock clock = device->ops->clock(device->device);
    uint64_t copy_ns, fma_ns, launch_ns;
    double bytes, ops, ignored;
    whet_status st;

    memset(out, 0, sizeof *out);
    if (!(device->ops->caps & WHET_DEVICE_CAP_LIVE))
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s replays calls: nothing to calibrate",
                            device->ops->name);
    if ((st = measure(&copy_ns, &bytes, &how, "copy", "large", false, err)) !=
            WHET_OK ||
        (st = measure(&fma_ns, &ops, &how, "fma", "large", true, err)) !=
            WHET_OK ||
        (st = measure(&launch_ns, &ignored, &how, "copy", "empty", false,
                      err)) != WHET_OK)
        return st;
    whet_log_progress(log, "%s", "");
    out->copy_bytes_per_s = bytes * 1e9 / (double)copy_ns;
    out->f32_ops_per_s = ops * 1e9 / (double)fma_ns;
    out->launch_ns = launch_ns;
    out->wall_ns = whet_clock_wall(&clock);
    (void)whet_strcopy(out->device_id, sizeof out->device_id, device->facts.id);
    return WHET_OK;
}
