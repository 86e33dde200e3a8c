/* How a calibration is shown: measured rates, evidence, published peaks. */

#include "cli/calibrate_priv.h"

#include "report/report.h"

#include <string.h>

static bool is_published(const whet_figure *figure)
{
    return figure != NULL && figure->is_known &&
           figure->trust != WHET_TRUST_NONE && figure->value > 0;
}

static const whet_figure *peak_of(const whet_arch *arch, const char *name)
{
    const whet_arch_unit *unit =
        arch != NULL ? whet_arch_find_unit(arch, name) : NULL;

    return unit != NULL ? &unit->peak_ops_per_s : NULL;
}

static void add_row(whet_table *table, const char *what, double per_s,
                    const char *unit, const whet_measured *how,
                    const whet_figure *peak)
{
    whet_buf measured = {0}, published = {0};

    if (!(per_s > 0))
        return;
    whet_cli_add_rate(&measured, per_s, unit);
    if (is_published(peak)) {
        whet_cli_add_rate(&published, peak->value, unit);
        if (peak->trust != WHET_TRUST_VENDOR)
            whet_buf_puts(&published, " (reported)");
    } else {
        whet_buf_puts(&published, "n/a");
    }
    whet_table_add_cell(table, "%s", what);
    whet_table_add_cell(table, "%s", whet_buf_str(&measured));
    whet_table_add_cell(table, "%s", whet_buf_str(&published));
    whet_table_add_cell(table, "%s", how->evidence);
    whet_table_add_cell(table, "%s", how->point);
    whet_buf_deinit(&measured);
    whet_buf_deinit(&published);
}

static void add_table(whet_buf *out, const whet_calibration *c,
                      const whet_arch *arch)
{
    static const whet_table_column columns[] = {
        {.title = "Rate", .is_whole = true},
        {.title = "Measured", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Published", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Instruction"},
        {.title = "Point"},
    };
    const whet_figure *memory = arch != NULL ? &arch->peak_bytes_per_s : NULL;
    whet_table table;
    uint32_t i;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    table.indent = 2;
    add_row(&table, "copy (read + write)", c->copy_bytes_per_s, "B/s", &c->copy,
            memory);
    add_row(&table, "read", c->read_bytes_per_s, "B/s", &c->read, memory);
    add_row(&table, "write", c->write_bytes_per_s, "B/s", &c->write, memory);
    add_row(&table, "LDS, all units", c->lds_bytes_per_s, "B/s", &c->lds, NULL);
    for (i = 0; i < c->rate_count; i++)
        add_row(&table, c->rates[i].name, c->rates[i].ops_per_s, "op/s",
                &c->rates[i].how, peak_of(arch, c->rates[i].name));
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void add_source(whet_buf *out, const char *what,
                       const whet_figure *figure)
{
    if (!is_published(figure))
        return;
    whet_buf_printf(out, "    %s: ", what);
    whet_buf_escape(out, figure->source, strlen(figure->source), false);
    if (figure->conflict[0] != '\0') {
        whet_buf_puts(out, "; but ");
        whet_buf_escape(out, figure->conflict, strlen(figure->conflict), false);
    }
    whet_buf_puts(out, "\n");
}

/* Where published figures come from: as measured ones never do. */
static void add_sources(whet_buf *out, const whet_calibration *c,
                        const whet_arch *arch)
{
    whet_buf lines = {0};
    uint32_t i;

    if (arch == NULL)
        return;
    add_source(&lines, "memory", &arch->peak_bytes_per_s);
    for (i = 0; i < c->rate_count; i++)
        add_source(&lines, c->rates[i].name, peak_of(arch, c->rates[i].name));
    if (lines.bytes > 0)
        whet_buf_printf(out,
                        "\n  Published peaks are not measured; their "
                        "sources:\n%s",
                        whet_buf_str(&lines));
    out->failed = out->failed || lines.failed;
    whet_buf_deinit(&lines);
}

void whet_cli__calibration_text(whet_buf *out, const whet_calibration *c,
                                const whet_device_facts *facts,
                                const whet_arch *arch)
{
    char launch[32], date[32];

    whet_duration_format(launch, c->launch_ns);
    whet_clock_format(date, c->wall_ns);
    whet_buf_printf(out, "best measured on %s (%s), %s\n", facts->name,
                    facts->driver, date);
    add_table(out, c, arch);
    whet_buf_printf(out, "  empty call: %s\n", launch);
    if (c->controls.spin > 0)
        whet_buf_printf(out,
                        "  controls %s: work of 1, 2, 4 takes times as 1 to "
                        "%.2f (3), twice the work scores %.2f (0.5)\n",
                        whet_calibration_controls_hold(&c->controls) ? "hold"
                                                                     : "FAIL",
                        c->controls.spin, c->controls.twice);
    else
        whet_buf_puts(out, "  controls: not held\n");
    if (c->clock_mhz > 0)
        whet_buf_printf(out, "  clock after a timed kernel: %u MHz",
                        c->clock_mhz);
    if (c->clock_mhz > 0 && c->memory_clock_mhz > 0)
        whet_buf_printf(out, ", memory %u MHz", c->memory_clock_mhz);
    if (c->clock_mhz > 0)
        whet_buf_puts(out, "\n");
    add_sources(out, c, arch);
}

static json_t *positive(double value)
{
    return value > 0 ? whet_json_number(value) : json_null();
}

static json_t *whole(uint64_t value)
{
    return value > 0 ? json_integer((json_int_t)value) : json_null();
}

static json_t *how_json(const whet_measured *how)
{
    if (how->evidence[0] == '\0')
        return json_null();
    return json_pack("{s:o,s:o}", "evidence", whet_cli_json_text(how->evidence),
                     "point", whet_cli_json_text(how->point));
}

static json_t *rates_json(const whet_calibration *c)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < c->rate_count; i++)
        if (json_array_append_new(
                array,
                json_pack("{s:s,s:o,s:o,s:o}", "name", c->rates[i].name,
                          "ops_per_s", positive(c->rates[i].ops_per_s),
                          "evidence",
                          whet_cli_json_text(c->rates[i].how.evidence), "point",
                          whet_cli_json_text(c->rates[i].how.point))) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *controls_json(const whet_controls *controls)
{
    if (!(controls->spin > 0))
        return json_null();
    return json_pack("{s:f,s:f,s:b}", "spin", controls->spin, "twice",
                     controls->twice, "hold",
                     (int)whet_calibration_controls_hold(controls));
}

static json_t *figure_json(const char *name, const whet_figure *figure)
{
    return json_pack(
        "{s:s,s:f,s:o,s:s,s:o}", "name", name, "per_s", figure->value, "source",
        whet_cli_json_text(figure->source), "trust",
        figure->trust == WHET_TRUST_VENDOR ? "vendor" : "reported", "conflict",
        whet_cli_json_text(figure->conflict[0] != '\0' ? figure->conflict
                                                       : NULL));
}

static json_t *published_json(const whet_calibration *c, const whet_arch *arch)
{
    json_t *array = json_array();
    uint32_t i;
    int failed = 0;

    if (arch != NULL && is_published(&arch->peak_bytes_per_s))
        failed |= json_array_append_new(
            array, figure_json("memory", &arch->peak_bytes_per_s));
    for (i = 0; i < c->rate_count; i++) {
        const whet_figure *peak = peak_of(arch, c->rates[i].name);

        if (is_published(peak))
            failed |= json_array_append_new(
                array, figure_json(c->rates[i].name, peak));
    }
    if (failed == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *whet_cli__calibration_json(const whet_calibration *c,
                                   const whet_device_facts *facts,
                                   const whet_arch *arch)
{
    json_t *object = json_pack(
        "{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "device",
        whet_cli_json_text(facts->name), "device_id", c->device_id, "driver",
        whet_cli_json_text(facts->driver), "copy_bytes_per_s",
        positive(c->copy_bytes_per_s), "read_bytes_per_s",
        positive(c->read_bytes_per_s), "write_bytes_per_s",
        positive(c->write_bytes_per_s), "lds_bytes_per_s",
        positive(c->lds_bytes_per_s), "launch_ns", (json_int_t)c->launch_ns,
        "wall_ns", (json_int_t)c->wall_ns, "clock_mhz", whole(c->clock_mhz),
        "memory_clock_mhz", whole(c->memory_clock_mhz));

    if (object != NULL && whet_json_set(object, "copy", how_json(&c->copy)) &&
        whet_json_set(object, "read", how_json(&c->read)) &&
        whet_json_set(object, "write", how_json(&c->write)) &&
        whet_json_set(object, "lds", how_json(&c->lds)) &&
        whet_json_set(object, "rates", rates_json(c)) &&
        whet_json_set(object, "controls", controls_json(&c->controls)) &&
        whet_json_set(object, "published", published_json(c, arch)))
        return object;
    json_decref(object);
    return NULL;
}
