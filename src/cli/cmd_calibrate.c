/* whet calibrate: measure what the device achieves, and keep it. */

#include "cli/cli.h"

#include "device/device.h"
#include "judge/judge.h"

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

static json_t *as_json(const whet_calibration *c,
                       const whet_device_facts *facts)
{
    return json_pack(
        "{s:s,s:s,s:o,s:o,s:I,s:I}", "device", facts->name, "device_id",
        c->device_id, "copy_bytes_per_s", whet_json_number(c->copy_bytes_per_s),
        "f32_ops_per_s", whet_json_number(c->f32_ops_per_s), "launch_ns",
        (json_int_t)c->launch_ns, "wall_ns", (json_int_t)c->wall_ns);
}

static void as_text(whet_buf *out, const whet_calibration *c,
                    const whet_device_facts *facts)
{
    char launch[32];

    whet_duration_format(launch, c->launch_ns);
    whet_buf_printf(out, "best measured on %s (%s)\n", facts->name,
                    facts->driver);
    whet_buf_puts(out, "  copy (read + write)  ");
    whet_cli_add_rate(out, c->copy_bytes_per_s, "B/s");
    whet_buf_puts(out, "\n  f32 multiply-add     ");
    whet_cli_add_rate(out, c->f32_ops_per_s, "op/s");
    whet_buf_printf(out, "\n  empty call           %s\n", launch);
}

/* A machine that was busy this time does not become slower for good: what was
 * once achieved can be achieved. */
static void keep_best(whet_calibration *now, const whet_device_facts *facts)
{
    whet_calibration before;

    if (whet_calibration_load(&before, facts, NULL) != WHET_OK)
        return;
    if (before.copy_bytes_per_s > now->copy_bytes_per_s)
        now->copy_bytes_per_s = before.copy_bytes_per_s;
    if (before.f32_ops_per_s > now->f32_ops_per_s)
        now->f32_ops_per_s = before.f32_ops_per_s;
    if (before.launch_ns > 0 && before.launch_ns < now->launch_ns)
        now->launch_ns = before.launch_ns;
}

static int run(const void *options, const whet_args *args)
{
    const struct opts *o = options;
    whet_log log = whet_log_stderr(WHET_LOG_INFO);
    whet_device_handle device = {0};
    whet_card_lock lock = {.fd = -1};
    whet_pick_opts pick;
    whet_calibration calibration;
    whet_buf text = {0};
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
    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
    } else if (o->json) {
        status = whet_cli_print_json(as_json(&calibration, &device.facts));
    } else {
        as_text(&text, &calibration, &device.facts);
        status = whet_cli_print(&text);
    }
    free(kept);
    whet_buf_deinit(&text);
    whet_device_close(&device);
    whet_card_lock_release(&lock);
    return status;
}

const whet_command whet_cmd_calibrate = {
    .name = "calibrate",
    .usage = "",
    .summary = "Measure the device's bandwidth, arithmetic rate and call cost",
    .detail = "The best rates so far are kept with date and device; they give "
              "the limit that times are\ncompared with. Run it on a quiet "
              "machine.\n\nJSON: device, device_id, copy_bytes_per_s, "
              "f32_ops_per_s, launch_ns, wall_ns.",
    .opts = rows,
    .opt_count = sizeof rows / sizeof rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
