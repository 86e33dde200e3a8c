/* Calibration: what this device really achieves, measured like any candidate
 * (verified calls, sandboxed worker, the judge's clock) on the tasks in
 * calibration/. The fastest call of the best point counts. A kernel whose
 * machine code lacks the instruction that it is to measure is left out. */

#include "judge/calibrate_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, PAIRS = 5, POINTS_MAX = 64 };

/* One kernel on one workload, and the best of its points so far. */
struct gauge {
    const whet_device_handle *device;
    const whet_log *log;
    bool is_unsafe;
    const volatile int *cancel;
    const whet_gauge_row *row;
    whet_task *task;
    whet_candidate *candidate;
    whet_workload workload;
    whet_judge *judge;
    uint64_t best_ns; /* 0 = none. */
    whet_measured how;
    whet_calibration *out;
};

static void release(struct gauge *g)
{
    whet_judge_close(g->judge);
    whet_candidate_free(g->candidate);
    whet_task_free(g->task);
}

/* The kernel in a language of the device's toolchain. */
static whet_status load_kernel(struct gauge *g, whet_err *err)
{
    const whet_toolchain_ops *toolchain = NULL;
    char identity[256];
    unsigned b;
    whet_status st =
        whet_device_toolchain(&toolchain, identity, g->device, err);

    for (b = 0; st == WHET_OK && b < g->task->baseline_count; b++)
        if (whet_toolchain_accepts(toolchain, g->task->baselines[b].language))
            return whet_candidate_load(
                &g->candidate, g->task->baselines[b].path, g->task, err);
    return st == WHET_OK
               ? whet_err_set(err, WHET_EUNSUPPORTED,
                              "no kernel in a language of toolchain %s",
                              toolchain->name)
               : st;
}

static whet_status open_gauge(struct gauge *g, whet_err *err)
{
    bool is_cpu = g->device->facts.is_cpu;
    char *root = NULL, *dir = NULL;
    whet_judge_opts opts = {.device = g->device,
                            .log = *g->log,
                            .is_unsafe = g->is_unsafe,
                            .cancel = g->cancel};
    whet_status st = whet_fs_data_dir(&root, "calibration", err);

    if (st == WHET_OK) {
        dir = whet_fs_join(root, g->row->task);
        st = dir ? whet_task_load(&g->task, dir, err)
                 : whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    if (st == WHET_OK)
        st = load_kernel(g, err);
    if (st == WHET_OK)
        st = whet_task_workload(&g->workload, g->task,
                                is_cpu ? g->row->cpu : g->row->gpu, err);
    if (st == WHET_OK && !is_cpu)
        st = whet_gauge__scale(&g->workload, g->task, &g->device->facts.limits,
                               err);
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

/* Where there is no listing: matrix units that accumulate in registers of
 * their own show in the resource record. */
static void use_record(char evidence[64], const struct gauge *g,
                       const whet_arm *arm, const char *reason)
{
    const whet_image *image = &arm->image;

    if (strstr(g->row->name, ".matrix") != NULL && image->kernel_count > 0 &&
        image->kernels[0].accumulator_count > 0)
        snprintf(evidence, 64, "record: %u matrix accumulators",
                 (unsigned)image->kernels[0].accumulator_count);
    else
        snprintf(evidence, 64, "not checked: %.50s", reason);
}

/* Does the machine code do what is to be measured? false also says so. */
static bool has_evidence(char evidence[64], const struct gauge *g,
                         const whet_arm *arm)
{
    const whet_toolchain_ops *toolchain = g->judge->toolchain;
    whet_judge_request request;
    whet_buf text = {0};
    whet_err err = {0};
    bool ok = true;

    if (g->row->least == 0) {
        snprintf(evidence, 64, "none needed");
        return true;
    }
    whet_judge__request(&request, arm);
    if (toolchain->listing == NULL)
        use_record(evidence, g, arm, "no listing here");
    else if (toolchain->listing(&text, &arm->image, &request.build, &err) !=
             WHET_OK)
        use_record(evidence, g, arm, err.msg);
    else
        ok = text.data != NULL &&
             whet_gauge__find(evidence, g->row, text.data, text.bytes);
    if (!ok)
        whet_log_write(g->log, WHET_LOG_WARN,
                       "calibration of %s, %s: the kernel's machine code lacks "
                       "the instruction to be measured; left out",
                       g->row->name, arm->point_text);
    whet_buf_deinit(&text);
    return ok;
}

/* Clocks of the card, right after it was busy. */
static void read_clocks(whet_calibration *out, const whet_device_facts *facts)
{
    whet_inventory *inventory = NULL;
    uint32_t i;

    if (facts->is_cpu || facts->pci[0] == '\0')
        return;
    inventory = calloc(1, sizeof *inventory);
    if (inventory == NULL || whet_inventory_read(inventory, NULL) != WHET_OK) {
        free(inventory);
        return;
    }
    for (i = 0; i < inventory->card_count; i++) {
        const whet_card *card = &inventory->cards[i];

        if (strcmp(card->pci, facts->pci) != 0)
            continue;
        if (card->clock_mhz.is_known)
            out->clock_mhz = (uint32_t)card->clock_mhz.value;
        if (card->memory_clock_mhz.is_known)
            out->memory_clock_mhz = (uint32_t)card->memory_clock_mhz.value;
    }
    free(inventory);
}

/* Time one point. What was achieved once is what the device can do, however
 * busy the machine was the other times. */
static whet_status time_point(struct gauge *g, const whet_point *point,
                              whet_err *err)
{
    char evidence[64] = "";
    whet_verdict refusal = {0};
    whet_arm *arm = NULL;
    uint64_t ns = 0;
    whet_status st =
        whet_arm_open(&arm, &refusal, g->judge, g->candidate, point, err);

    if (st == WHET_OK && arm == NULL)
        whet_log_write(g->log, WHET_LOG_WARN,
                       "calibration kernel of %s refused: %s", g->row->name,
                       refusal.message);
    if (st == WHET_OK && arm != NULL && g->row->kind == WHET_GAUGE_CONTROL) {
        st = whet_gauge__controls(&g->out->controls, g->judge, arm, err);
        ns = st == WHET_OK ? whet_arm_best_ns(arm) : 0;
    } else if (st == WHET_OK && arm != NULL && has_evidence(evidence, g, arm)) {
        st = whet_judge_aa(NULL, NULL, NULL, g->judge, arm, BLOCKS, PAIRS, err);
        ns = st == WHET_OK ? whet_arm_best_ns(arm) : 0;
        if (ns > 0 && g->out->clock_mhz == 0 &&
            strcmp(g->row->name, "f32.vector") == 0)
            read_clocks(g->out, &g->device->facts);
    }
    if (ns > 0 && (g->best_ns == 0 || ns < g->best_ns)) {
        g->best_ns = ns;
        whet_strcopy(g->how.evidence, sizeof g->how.evidence, evidence);
        whet_strcopy(g->how.point, sizeof g->how.point, arm->point_text);
    }
    whet_arm_close(arm);
    whet_verdict_deinit(&refusal);
    return st;
}

static void keep(whet_calibration *out, const struct gauge *g, uint64_t ops,
                 uint64_t bytes)
{
    double per_s = 1e9 / (double)g->best_ns;

    switch (g->row->kind) {
    case WHET_GAUGE_RATE:
        (void)whet_calibration_add_rate(out, g->row->name, (double)ops * per_s,
                                        &g->how);
        break;
    case WHET_GAUGE_COPY:
        out->copy_bytes_per_s = (double)bytes * per_s;
        out->copy = g->how;
        break;
    case WHET_GAUGE_READ:
        out->read_bytes_per_s = (double)bytes * per_s;
        out->read = g->how;
        break;
    case WHET_GAUGE_WRITE:
        out->write_bytes_per_s = (double)bytes * per_s;
        out->write = g->how;
        break;
    case WHET_GAUGE_LDS:
        out->lds_bytes_per_s = 4 * (double)ops * per_s;
        out->lds = g->how;
        break;
    case WHET_GAUGE_LAUNCH:
        out->launch_ns = g->best_ns;
        break;
    case WHET_GAUGE_CONTROL: /* kept where they are held */
        break;
    }
}

/* The feasible points of a row's kernel. */
static whet_status measure(struct gauge *g, whet_err *err)
{
    uint64_t ops = 0, bytes = 0, count, i;
    whet_status st = open_gauge(g, err);

    count = st == WHET_OK ? whet_candidate_point_count(g->candidate) : 0;
    for (i = 0; st == WHET_OK && i < count && i < POINTS_MAX; i++) {
        whet_point point = whet_candidate_point_at(g->candidate, i);

        if (!is_feasible(g, &point))
            continue;
        whet_log_progress(g->log, "calibrating %s", g->row->name);
        st = time_point(g, &point, err);
        /* One point tells whether the clock is right. */
        if (g->row->kind == WHET_GAUGE_CONTROL && g->best_ns > 0)
            break;
    }
    if (st == WHET_OK && g->best_ns == 0)
        st = whet_err_set(err, WHET_EUNSUPPORTED, "no point of %s runs here",
                          g->row->name);
    if (st == WHET_OK)
        st = whet_task_cost(&ops, &bytes, g->task, &g->workload, err);
    if (st == WHET_OK)
        keep(g->out, g, ops, bytes);
    release(g);
    return st;
}

/* A row: what is optional and fails is told and passed over. */
static whet_status measure_row(const struct gauge *how,
                               const whet_gauge_row *row, whet_err *err)
{
    struct gauge g = *how;
    whet_err why = {0};
    whet_status st;

    g.row = row;
    st = measure(&g, &why);
    if (st == WHET_OK || st == WHET_ECANCELLED || st == WHET_ENOMEM ||
        !row->is_optional)
        return st == WHET_OK
                   ? st
                   : whet_err_set(err, st, "calibration: %s", why.msg);
    whet_log_write(how->log, WHET_LOG_WARN, "%s is not measured: %s", row->name,
                   why.msg);
    return WHET_OK;
}

/* NULL if there is no record; then only what every GPU has is measured. */
static const whet_arch *load_arch(whet_arch *out, const struct gauge *g)
{
    const whet_device_facts *facts = &g->device->facts;
    whet_err err = {0};

    if (facts->is_cpu)
        return NULL;
    if (whet_arch_load(out, facts->arch, &err) == WHET_OK)
        return out;
    whet_log_write(g->log, WHET_LOG_WARN,
                   "only bandwidth and f32.vector are measured: %s", err.msg);
    return NULL;
}

whet_status whet_judge_calibrate(whet_calibration *out,
                                 const whet_device_handle *device,
                                 const whet_log *log, bool is_unsafe,
                                 const volatile int *cancel, whet_err *err)
{
    struct gauge how = {.device = device,
                        .log = log,
                        .is_unsafe = is_unsafe,
                        .cancel = cancel,
                        .out = out};
    whet_clock clock = device->ops->clock(device->device);
    const whet_gauge_row *rows;
    const whet_arch *arch;
    whet_arch *record;
    unsigned i, count;
    whet_status st = WHET_OK;

    memset(out, 0, sizeof *out);
    if (!(device->ops->caps & WHET_DEVICE_CAP_LIVE))
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s replays calls: nothing to calibrate",
                            device->ops->name);
    record = calloc(1, sizeof *record);
    if (record == NULL)
        return whet_err_set(err, WHET_ENOMEM, "calibration: out of memory");
    arch = load_arch(record, &how);
    rows = whet_gauge__rows(&count);
    for (i = 0; st == WHET_OK && i < count; i++) {
        if (!whet_gauge__applies(&rows[i], device->facts.is_cpu, arch))
            continue;
        st = measure_row(&how, &rows[i], err);
    }
    whet_log_progress(log, "%s", "");
    free(record);
    if (st != WHET_OK)
        return st;
    out->wall_ns = whet_clock_wall(&clock);
    (void)whet_strcopy(out->device_id, sizeof out->device_id, device->facts.id);
    (void)whet_strcopy(out->driver, sizeof out->driver, device->facts.driver);
    return WHET_OK;
}
