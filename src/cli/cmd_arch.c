/* `whet arch`: the capability records, and one of them with its sources. */

#include "cli/cli.h"

#include "device/arch.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arch_opts {
    bool json;
} arch_opts;

/* "64", "4.8e+12"; a figure that nothing may be built on is marked. */
static void add_value(whet_buf *out, const whet_figure *figure)
{
    if (!figure->is_known) {
        whet_buf_puts(out, "n/a");
        return;
    }
    whet_buf_printf(out, figure->value < 1e9 ? "%.9g" : "%.5g", figure->value);
    if (!whet_figure_is_usable(figure))
        whet_buf_puts(out, " ?");
}

/* "dot2, mfma", or "none". */
static void add_features(whet_buf *out, const whet_arch *arch)
{
    uint32_t i;

    if (arch->feature_count == 0)
        whet_buf_puts(out, "none");
    for (i = 0; i < arch->feature_count; i++)
        whet_buf_printf(out, "%s%s", i > 0 ? ", " : "", arch->features[i]);
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *json_figure(const whet_figure *figure)
{
    if (!figure->is_known)
        return json_null();
    return json_pack("{s:f, s:s, s:o, s:o}", "value", figure->value, "trust",
                     whet_trust_name(figure->trust), "source",
                     whet_cli_json_text(figure->source), "conflict",
                     figure->conflict[0] != '\0'
                         ? whet_cli_json_text(figure->conflict)
                         : json_null());
}

static json_t *json_units(const whet_arch *arch)
{
    json_t *list = json_array();
    uint32_t i;

    for (i = 0; i < arch->unit_count; i++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o}", "name", arch->units[i].name,
                      "shapes", whet_cli_json_text(arch->units[i].shapes),
                      "ops_cu_clk", json_figure(&arch->units[i].ops_cu_clk),
                      "peak_ops_per_s",
                      json_figure(&arch->units[i].peak_ops_per_s)));
    return list;
}

static json_t *to_json(const whet_arch *arch)
{
    json_t *features = json_array(), *figures = json_object();
    const whet_figure *figure;
    const char *key;
    size_t i;

    for (i = 0; i < arch->feature_count; i++)
        json_array_append_new(features, json_string(arch->features[i]));
    for (i = 0; (figure = whet_arch_figure(arch, i, &key)) != NULL; i++)
        whet_json_set(figures, key, json_figure(figure));
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "name",
                     arch->name, "vendor", arch->vendor, "boards",
                     whet_cli_json_text(arch->boards), "stand_in",
                     arch->stand_in[0] != '\0' ? json_string(arch->stand_in)
                                               : json_null(),
                     "fp8", whet_fp8_name(arch->fp8), "features", features,
                     "figures", figures, "units", json_units(arch));
}

/* --- all ------------------------------------------------------------------ */

static void add_figure_cell(whet_table *table, const whet_figure *figure)
{
    whet_buf text = {0};

    add_value(&text, figure);
    whet_table_add_cell(table, "%s", whet_buf_str(&text));
    whet_buf_deinit(&text);
}

static void add_row(whet_table *table, const whet_arch *arch)
{
    whet_buf text = {0};

    whet_table_add_cell(table, "%s", arch->name);
    whet_table_add_cell(table, "%s", arch->vendor);
    add_figure_cell(table, &arch->wave_size);
    add_figure_cell(table, &arch->lds_cu_bytes);
    whet_table_add_cell(table, "%s", whet_fp8_name(arch->fp8));
    add_features(&text, arch);
    whet_table_add_cell(table, "%s", whet_buf_str(&text));
    whet_buf_deinit(&text);
    whet_table_add_cell(table, "%s", arch->boards);
}

static whet_status list_all(whet_table *table, json_t *list, whet_err *err)
{
    whet_arch *arch = malloc(sizeof *arch);
    char **names = NULL;
    uint32_t count = 0, i;
    whet_status st;

    if (arch == NULL)
        return whet_err_set(err, WHET_ENOMEM, "arch: out of memory");
    st = whet_arch_names(&names, &count, err);
    for (i = 0; st == WHET_OK && i < count; i++) {
        st = whet_arch_load(arch, names[i], err);
        if (st != WHET_OK)
            break;
        add_row(table, arch);
        json_array_append_new(list, to_json(arch));
    }
    whet_arch_names_free(names, count);
    free(arch);
    return st;
}

static int print_all(bool as_json)
{
    static const whet_table_column columns[] = {
        {.title = "Name", .is_whole = true},
        {.title = "Vendor", .is_whole = true},
        {.title = "Wave", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "LDS/CU", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "FP8", .is_whole = true},
        {.title = "Features"},
        {.title = "Boards"},
    };
    json_t *list = json_array();
    whet_buf text = {0};
    whet_err err = {0};
    whet_table table;
    int status;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    if (list_all(&table, list, &err) != WHET_OK) {
        status = whet_cli_fail(&err);
    } else if (as_json) {
        status = whet_cli_print_json(json_pack("{s:O}", "archs", list));
    } else {
        whet_table_print(&text, &table);
        status = whet_cli_print(&text);
    }
    whet_table_deinit(&table);
    json_decref(list);
    return status;
}

/* --- one ------------------------------------------------------------------ */

enum { SOURCE_MAX = 32 };

/* Sources in the order of their first use; figures name them by number. */
typedef struct sources {
    const char *texts[SOURCE_MAX]; /* Borrowed from the record. */
    unsigned count;
} sources;

/* Number of a source from 1, or 0 for none (or one too many). */
static unsigned number_of(sources *all, const char *text)
{
    unsigned i;

    if (text[0] == '\0')
        return 0;
    for (i = 0; i < all->count; i++)
        if (strcmp(all->texts[i], text) == 0)
            return i + 1;
    if (all->count == SOURCE_MAX)
        return 0;
    all->texts[all->count++] = text;
    return all->count;
}

static void add_detail(whet_table *table, sources *all, const char *name,
                       const whet_figure *figure)
{
    unsigned number = number_of(all, figure->source);

    whet_table_add_cell(table, "%s", name);
    add_figure_cell(table, figure);
    whet_table_add_cell(table, "%s",
                        figure->is_known ? whet_trust_name(figure->trust) : "");
    if (number > 0)
        whet_table_add_cell(table, "%u", number);
    else
        whet_table_add_cell(table, "%s", figure->source);
}

static void print_figures(whet_buf *out, const whet_arch *arch)
{
    static const whet_table_column columns[] = {
        {.title = "Figure", .is_whole = true},
        {.title = "Value", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Trust", .is_whole = true},
        {.title = "Source", .align = WHET_ALIGN_RIGHT},
    };
    const whet_figure *figure;
    sources all = {.count = 0};
    whet_table table;
    const char *key;
    char name[64];
    size_t i;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (i = 0; (figure = whet_arch_figure(arch, i, &key)) != NULL; i++)
        add_detail(&table, &all, key, figure);
    for (i = 0; i < arch->unit_count; i++) {
        (void)snprintf(name, sizeof name, "%s, ops/CU/clk",
                       arch->units[i].name);
        add_detail(&table, &all, name, &arch->units[i].ops_cu_clk);
        (void)snprintf(name, sizeof name, "%s, peak ops/s",
                       arch->units[i].name);
        add_detail(&table, &all, name, &arch->units[i].peak_ops_per_s);
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
    whet_buf_puts(out, "\nSources:\n");
    for (i = 0; i < all.count; i++) {
        whet_buf_printf(out, "%4zu  ", i + 1);
        whet_cli_add_wrapped(out, all.texts[i], 6, 6);
    }
}

static void add_conflict(whet_buf *out, const char *name,
                         const whet_figure *figure)
{
    size_t before;

    if (figure->conflict[0] == '\0')
        return;
    before = out->bytes;
    whet_buf_printf(out, "  %s: %.9g, but ", name, figure->value);
    whet_cli_add_wrapped(out, figure->conflict, out->bytes - before, 6);
}

static void print_conflicts(whet_buf *out, const whet_arch *arch)
{
    const whet_figure *figure;
    whet_buf text = {0};
    const char *key;
    size_t i;

    for (i = 0; (figure = whet_arch_figure(arch, i, &key)) != NULL; i++)
        add_conflict(&text, key, figure);
    for (i = 0; i < arch->unit_count; i++) {
        add_conflict(&text, arch->units[i].name, &arch->units[i].ops_cu_clk);
        add_conflict(&text, arch->units[i].name,
                     &arch->units[i].peak_ops_per_s);
    }
    if (text.bytes > 0)
        whet_buf_printf(out, "\nConflicts (?: nothing is built on these):\n%s",
                        whet_buf_str(&text));
    whet_buf_deinit(&text);
}

static void add_line(whet_buf *out, const char *title, const char *text)
{
    whet_buf_printf(out, "%-9s ", title);
    whet_cli_add_wrapped(out, text, 10, 10);
}

static void show(whet_buf *out, const whet_arch *arch)
{
    whet_buf text = {0};
    uint32_t i;

    add_line(out, "Name", arch->name);
    add_line(out, "Vendor", arch->vendor);
    add_line(out, "Boards", arch->boards);
    add_line(out, "Stand-in",
             arch->stand_in[0] != '\0' ? arch->stand_in : "none");
    add_line(out, "FP8", whet_fp8_name(arch->fp8));
    add_features(&text, arch);
    add_line(out, "Features", whet_buf_str(&text));
    whet_buf_deinit(&text);
    for (i = 0; i < arch->unit_count; i++)
        if (arch->units[i].shapes[0] != '\0') {
            whet_buf_printf(&text, "%s %s", arch->units[i].name,
                            arch->units[i].shapes);
            add_line(out, "Shapes", whet_buf_str(&text));
            whet_buf_deinit(&text);
        }
    whet_buf_puts(out, "\n");
    print_figures(out, arch);
    print_conflicts(out, arch);
}

static int run(const void *opts, const whet_args *args)
{
    const arch_opts *my = opts;
    whet_arch *arch;
    whet_buf text = {0};
    whet_err err = {0};
    int status;

    if (args->count == 0)
        return print_all(my->json);
    if ((arch = malloc(sizeof *arch)) == NULL) {
        (void)whet_err_set(&err, WHET_ENOMEM, "arch: out of memory");
        return whet_cli_fail(&err);
    }
    if (whet_arch_load(arch, args->items[0], &err) != WHET_OK) {
        status = whet_cli_fail(&err);
    } else if (my->json) {
        status = whet_cli_print_json(to_json(arch));
    } else {
        show(&text, arch);
        status = whet_cli_print(&text);
    }
    free(arch);
    return status;
}

static const whet_opt options[] = {
    WHET_CLI_OPT_JSON(arch_opts),
};

const whet_command whet_cmd_arch = {
    .name = "arch",
    .usage = "[NAME]",
    .summary = "Show what is recorded of device architectures, with sources",
    .detail = "Without NAME all records, with it one: each figure, its trust, "
              "its source, and\n"
              "what sources disagree on ('?': nothing is built on it).\n"
              "docs/write-an-arch-record.md tells how to add one.\n"
              "JSON: {archs: [...]} or one of {name, vendor, boards, stand_in, "
              "fp8, features,\n"
              "figures: {KEY: {value, trust, source, conflict} or null}, "
              "units: [{name, shapes,\n"
              "ops_cu_clk, peak_ops_per_s}]}.",
    .opts = options,
    .opt_count = sizeof options / sizeof options[0],
    .opts_bytes = sizeof(arch_opts),
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
