/* `whet doctor`: what this machine offers, what is degraded, and the remedy. */

#include "cli/doctor_priv.h"

#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { NOTE_INDENT = 4 };

/* --- people -------------------------------------------------------------- */

/* "17 d ago: 12.3 GB/s, 98.0 Gop/s" */
static void add_calibration(whet_buf *out, const whet_doctor_device *device)
{
    const whet_calibration *rates = &device->calibration;
    uint64_t hours = device->calibration_age_ns / 1000000000u / 3600;
    double f32 = whet_calibration_rate(rates, "f32.vector");

    if (!device->has_calibration) {
        whet_buf_puts(out, "none");
        return;
    }
    if (hours < 1)
        whet_buf_puts(out, "just now: ");
    else if (hours < 48)
        whet_buf_printf(out, "%llu h ago: ", (unsigned long long)hours);
    else
        whet_buf_printf(out, "%llu d ago: ", (unsigned long long)(hours / 24));
    if (rates->copy_bytes_per_s > 0)
        whet_cli_add_rate(out, rates->copy_bytes_per_s, "B/s, ");
    if (f32 > 0)
        whet_cli_add_rate(out, f32, "op/s");
}

static void device_row(whet_table *table, const whet_doctor_device *device)
{
    const whet_device_facts *facts = &device->facts;
    bool is_live = (device->ops->caps & WHET_DEVICE_CAP_LIVE) != 0;
    whet_buf memory = {0}, calibration = {0};

    if (!device->has_facts) {
        whet_table_add_row(
            table,
            (const char *const[]){device->ops->name,
                                  device->is_absent ? "absent" : "to be named",
                                  device->ops->summary, "", "", ""});
        return;
    }
    whet_cli_add_bytes(&memory, facts->limits.memory_bytes);
    if (is_live)
        add_calibration(&calibration, device);
    whet_table_add_cell(table, "%s:%u", facts->backend, facts->index);
    whet_table_add_cell(
        table, "%s", is_live ? "ready" : whet_evidence_name(facts->evidence));
    whet_table_add_cell(table, "%s", facts->name);
    if (facts->limits.cu_count > 0)
        whet_table_add_cell(table, "%u", facts->limits.cu_count);
    else
        whet_table_add_cell(table, "n/a");
    whet_table_add_cell(table, "%s",
                        facts->limits.memory_bytes > 0 ? whet_buf_str(&memory)
                                                       : "n/a");
    whet_table_add_cell(table, "%s", whet_buf_str(&calibration));
    whet_buf_deinit(&memory);
    whet_buf_deinit(&calibration);
}

static void show_devices(whet_buf *out, const whet_doctor *doctor)
{
    static const whet_table_column columns[] = {
        {.title = "Device", .is_whole = true},
        {.title = "State", .is_whole = true},
        {.title = "Name"},
        {.title = "Units", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Memory", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Calibrated", .is_whole = true},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < doctor->device_count; i++)
        device_row(&table, &doctor->devices[i]);
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void show_toolchains(whet_buf *out, const whet_doctor *doctor)
{
    static const whet_table_column columns[] = {
        {.title = "Toolchain", .is_whole = true},
        {.title = "State", .is_whole = true},
        {.title = "Languages"},
        {.title = "Identity"},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < doctor->toolchain_count; i++) {
        const whet_doctor_toolchain *row = &doctor->toolchains[i];
        whet_buf languages = {0};

        for (unsigned j = 0; row->ops->languages[j] != NULL; j++)
            whet_buf_printf(&languages, "%s%s", j > 0 ? ", " : "",
                            row->ops->languages[j]);
        whet_table_add_cell(&table, "%s", row->ops->name);
        whet_table_add_cell(&table, "%s", row->is_absent ? "absent" : "ready");
        whet_table_add_cell(&table, "%s", whet_buf_str(&languages));
        whet_table_add_cell(&table, "%s", row->identity);
        whet_buf_deinit(&languages);
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void show_tools(whet_buf *out, const whet_doctor *doctor)
{
    static const whet_table_column columns[] = {
        {.title = "Tool", .is_whole = true},
        {.title = "For", .is_whole = true},
        {.title = "Kind", .is_whole = true},
        {.title = "Found"},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < doctor->tool_count; i++) {
        const whet_doctor_tool *tool = &doctor->tools[i];

        whet_table_add_cell(&table, "%s", tool->name);
        whet_table_add_cell(&table, "%s", tool->backend);
        whet_table_add_cell(&table, "%s", tool->kind);
        whet_table_add_cell(
            &table, "%s%s%s", tool->path != NULL ? tool->path : "no",
            tool->version[0] != '\0' ? ": " : "", tool->version);
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static const char *yes_no(bool value)
{
    return value ? "yes" : "no";
}

static void show_rest(whet_buf *out, const whet_doctor *doctor)
{
    static const whet_table_column columns[] = {
        {.title = "Part", .is_whole = true}, {.title = "Found"}};
    const whet_sandbox_facts *sandbox = &doctor->sandbox;
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    whet_table_add_row(
        &table,
        (const char *const[]){"bubblewrap",
                              sandbox->has_bwrap ? sandbox->bwrap_path : "no"});
    whet_table_add_row(
        &table,
        (const char *const[]){"namespaces", yes_no(sandbox->has_namespaces)});
    whet_table_add_row(
        &table, (const char *const[]){"seccomp", yes_no(sandbox->has_seccomp)});
    whet_table_add_row(
        &table, (const char *const[]){"C compiler", doctor->compiler != NULL
                                                        ? doctor->compiler
                                                        : "no"});
    whet_table_add_row(
        &table, (const char *const[]){"models", "none: skills alone propose"});
    for (unsigned i = 0; i < WHET_DOCTOR_FOLDER_COUNT; i++) {
        const whet_doctor_folder *folder = &doctor->folders[i];

        whet_table_add_row(
            &table,
            (const char *const[]){folder->name,
                                  folder->path != NULL ? folder->path : "no"});
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void show_notes(whet_buf *out, const whet_doctor *doctor)
{
    if (doctor->note_count == 0) {
        whet_buf_puts(out, "Nothing is degraded.\n");
        return;
    }
    whet_buf_puts(out, "Degraded:\n");
    for (unsigned i = 0; i < doctor->note_count; i++) {
        const whet_doctor_note *note = &doctor->notes[i];

        whet_buf_printf(out, "  %s: %s.\n", note->what, note->effect);
        whet_buf_printf(out, "%*s", NOTE_INDENT, "");
        whet_cli_add_wrapped(out, note->reason, NOTE_INDENT, NOTE_INDENT);
    }
}

static void show(whet_buf *out, const whet_doctor *doctor)
{
    whet_buf_printf(out, "whet %s on %s, %u CPUs, ", WHET_VERSION,
                    doctor->system, doctor->cpu_count);
    whet_cli_add_bytes(out, doctor->memory_bytes);
    whet_buf_puts(out, " memory\n\n");
    show_devices(out, doctor);
    whet_buf_puts(out, "\n");
    show_toolchains(out, doctor);
    whet_buf_puts(out, "\n");
    show_tools(out, doctor);
    whet_buf_puts(out, "\n");
    show_rest(out, doctor);
    whet_buf_puts(out, "\n");
    show_notes(out, doctor);
}

/* --- programs ------------------------------------------------------------ */

static json_t *positive_or_null(uint64_t value)
{
    return value > 0 ? json_integer((json_int_t)value) : json_null();
}

static json_t *rate_or_null(double value)
{
    return value > 0 ? whet_json_number(value) : json_null();
}

static json_t *json_calibration(const whet_doctor_device *device)
{
    const whet_calibration *rates = &device->calibration;

    if (!device->has_calibration)
        return json_null();
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "wall_ns",
                     (json_int_t)rates->wall_ns, "age_ns",
                     (json_int_t)device->calibration_age_ns, "copy_bytes_per_s",
                     rate_or_null(rates->copy_bytes_per_s), "f32_ops_per_s",
                     rate_or_null(whet_calibration_rate(rates, "f32.vector")),
                     "launch_ns", positive_or_null(rates->launch_ns));
}

static json_t *json_device(const whet_doctor_device *device)
{
    const whet_device_facts *facts = &device->facts;
    bool is_live = (device->ops->caps & WHET_DEVICE_CAP_LIVE) != 0;
    json_t *object = json_pack(
        "{s:s, s:b, s:b, s:o}", "backend", device->ops->name, "is_live",
        (int)is_live, "is_absent", (int)device->is_absent, "reason",
        device->is_absent ? whet_cli_json_text(device->reason) : json_null());

    if (object == NULL || !device->has_facts)
        return object;
    whet_json_set(object, "index", json_integer(facts->index));
    whet_json_set(object, "id", json_string(facts->id));
    whet_json_set(object, "name", whet_cli_json_text(facts->name));
    whet_json_set(object, "arch", whet_cli_json_text(facts->arch));
    whet_json_set(object, "driver", whet_cli_json_text(facts->driver));
    whet_json_set(object, "evidence",
                  json_string(whet_evidence_name(facts->evidence)));
    whet_json_set(object, "cu_count", positive_or_null(facts->limits.cu_count));
    whet_json_set(object, "memory_bytes",
                  positive_or_null(facts->limits.memory_bytes));
    whet_json_set(object, "lds_bytes",
                  positive_or_null(facts->limits.lds_bytes));
    whet_json_set(object, "calibration", json_calibration(device));
    return object;
}

static json_t *json_toolchain(const whet_doctor_toolchain *row)
{
    json_t *languages = json_array();

    for (unsigned i = 0; row->ops->languages[i] != NULL; i++)
        json_array_append_new(languages, json_string(row->ops->languages[i]));
    return json_pack(
        "{s:s, s:b, s:o, s:o, s:o}", "name", row->ops->name, "is_absent",
        (int)row->is_absent, "reason",
        row->is_absent ? whet_cli_json_text(row->reason) : json_null(),
        "identity",
        row->is_absent ? json_null() : whet_cli_json_text(row->identity),
        "languages", languages);
}

static json_t *json_sandbox(const whet_sandbox_facts *facts)
{
    return json_pack(
        "{s:b, s:b, s:b, s:o, s:o}", "has_bwrap", (int)facts->has_bwrap,
        "has_namespaces", (int)facts->has_namespaces, "has_seccomp",
        (int)facts->has_seccomp, "bwrap",
        facts->has_bwrap ? whet_cli_json_text(facts->bwrap_path) : json_null(),
        "reason",
        facts->reason[0] != '\0' ? whet_cli_json_text(facts->reason)
                                 : json_null());
}

static json_t *json_notes(const whet_doctor *doctor)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < doctor->note_count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:o}", "what",
                            whet_cli_json_text(doctor->notes[i].what), "effect",
                            doctor->notes[i].effect, "reason",
                            whet_cli_json_text(doctor->notes[i].reason)));
    return list;
}

static json_t *json_tools(const whet_doctor *doctor)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < doctor->tool_count; i++) {
        const whet_doctor_tool *tool = &doctor->tools[i];

        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", tool->name,
                      "backend", tool->backend, "kind", tool->kind, "path",
                      whet_cli_json_text(tool->path), "version",
                      whet_cli_json_text(
                          tool->version[0] != '\0' ? tool->version : NULL)));
    }
    return list;
}

static json_t *to_json(const whet_doctor *doctor)
{
    json_t *devices = json_array(), *toolchains = json_array();
    json_t *folders = json_object();

    for (unsigned i = 0; i < doctor->device_count; i++)
        json_array_append_new(devices, json_device(&doctor->devices[i]));
    for (unsigned i = 0; i < doctor->toolchain_count; i++)
        json_array_append_new(toolchains,
                              json_toolchain(&doctor->toolchains[i]));
    for (unsigned i = 0; i < WHET_DOCTOR_FOLDER_COUNT; i++)
        whet_json_set(folders, doctor->folders[i].name,
                      whet_cli_json_text(doctor->folders[i].path));
    return json_pack(
        "{s:s, s:{s:o, s:i, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "version", WHET_VERSION, "machine", "system",
        whet_cli_json_text(doctor->system), "cpu_count", (int)doctor->cpu_count,
        "memory_bytes", positive_or_null(doctor->memory_bytes), "load",
        doctor->load >= 0 ? whet_json_number(doctor->load) : json_null(),
        "devices", devices, "toolchains", toolchains, "tools",
        json_tools(doctor), "sandbox", json_sandbox(&doctor->sandbox),
        "c_compiler", whet_cli_json_text(doctor->compiler), "folders", folders,
        "degraded", json_notes(doctor));
}

static int run(const void *opts, const whet_args *args)
{
    const whet_cli_json_opts *my = opts;
    whet_doctor *doctor = calloc(1, sizeof *doctor);
    whet_buf text = {0};
    whet_err err = {0};
    int status;

    (void)args;
    if (doctor == NULL) {
        whet_err_set(&err, WHET_ENOMEM, "doctor: out of memory");
        return whet_cli_fail(&err);
    }
    whet_cli__doctor_look(doctor);
    if (my->json) {
        status = whet_cli_print_json(to_json(doctor));
    } else {
        show(&text, doctor);
        status = whet_cli_print(&text);
    }
    whet_cli__doctor_deinit(doctor);
    free(doctor);
    return status;
}

static const whet_opt json_only[] = {WHET_CLI_OPT_JSON(whet_cli_json_opts)};

const whet_command whet_cmd_doctor = {
    .name = "doctor",
    .usage = "",
    .summary = "Show devices, toolchains and sandbox, what is degraded, and "
               "the remedy",
    .detail =
        "Exit status 0 also when something is missing: that is a fact, not a "
        "failure.\n"
        "JSON: {version, machine, devices, toolchains, tools, sandbox, "
        "c_compiler, folders,\n"
        "degraded: [{what, effect, reason}]}; null means unknown or none.",
    .opts = json_only,
    .opt_count = 1,
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
