/* whet calibrate: measure what the device achieves, and keep it. */

#include "cli/calibrate_priv.h"

#include "judge/judge.h"

#include <stdlib.h>

struct opts {
    const char *device;
    whet_cli_pick_opts pick;
    bool fresh;
    bool unsafe;
    bool json;
};

static const whet_opt rows[] = {
    WHET_CLI_OPT_DEVICE(struct opts),
    WHET_CLI_OPTS_PICK(struct opts),
    {.name = "fresh",
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct opts, fresh),
     .help = "Forget earlier calibrations of this device"},
    WHET_CLI_OPT_UNSAFE(struct opts),
    WHET_CLI_OPT_JSON(struct opts),
};

/* A machine that was busy this time does not become slower for good. */
static void keep_best(whet_calibration *now, const whet_device_facts *facts)
{
    whet_calibration *before = calloc(1, sizeof *before);

    if (before != NULL && whet_calibration_load(before, facts, NULL) == WHET_OK)
        whet_calibration_keep_best(now, before);
    free(before);
}

/* Its record, if there is one; figures of it are shown beside the measured
 * ones. */
static int print(const whet_calibration *c, const whet_device_facts *facts,
                 bool as_json)
{
    whet_arch *record = calloc(1, sizeof *record);
    const whet_arch *arch = NULL;
    whet_buf text = {0};
    int status;

    if (record != NULL && !facts->is_cpu &&
        whet_arch_load(record, facts->arch, NULL) == WHET_OK)
        arch = record;
    if (as_json) {
        status =
            whet_cli_print_json(whet_cli__calibration_json(c, facts, arch));
    } else {
        whet_cli__calibration_text(&text, c, facts, arch);
        status = whet_cli_print(&text);
    }
    whet_buf_deinit(&text);
    free(record);
    return status;
}

static int run(const void *options, const whet_args *args)
{
    const struct opts *o = options;
    whet_log log = whet_log_stderr(WHET_LOG_INFO);
    whet_device_handle device = {0};
    whet_card_lock lock = {.fd = -1};
    whet_pick_opts pick;
    whet_calibration calibration;
    char *kept = NULL;
    whet_err err = {0};
    int status;
    whet_status st = whet_cli_pick(&pick, &o->pick, &log, &err);

    (void)args;
    if (st == WHET_OK)
        st = whet_device_open_locked(&device, &lock, o->device, &pick, &err);
    /* Said before half a minute of measuring, not after it. */
    if (st == WHET_OK)
        st = whet_fs_state_dir(&kept, &err);
    if (st == WHET_OK)
        st = whet_judge_calibrate(&calibration, &device, &log, o->unsafe,
                                  whet_cli_interrupt(), &err);
    if (st == WHET_OK && !o->fresh)
        keep_best(&calibration, &device.facts);
    if (st == WHET_OK)
        st = whet_calibration_store(&calibration, &device.facts, &err);
    status = st != WHET_OK ? whet_cli_fail(&err)
                           : print(&calibration, &device.facts, o->json);
    free(kept);
    whet_device_close(&device);
    whet_card_lock_release(&lock);
    return status;
}

const whet_command whet_cmd_calibrate = {
    .name = "calibrate",
    .usage = "",
    .summary = "Measure the device's bandwidth, arithmetic rate and call cost",
    .detail =
        "The best rates so far are kept with date and device; they give "
        "the limit that times are\ncompared with. Run it on a quiet "
        "machine. docs/calibration.md tells what is measured and\nhow."
        "\n\nJSON: device, device_id, driver, copy_bytes_per_s, "
        "read_bytes_per_s, write_bytes_per_s,\nlds_bytes_per_s, launch_ns, "
        "wall_ns, clock_mhz, memory_clock_mhz, copy, read, write, lds\n"
        "{evidence, point}, rates [{name, ops_per_s, evidence, point}], "
        "published [{name, per_s,\nsource, trust, conflict}]; null = not "
        "measured.",
    .opts = rows,
    .opt_count = sizeof rows / sizeof rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
