/* whet devices: the cards of this machine, how busy they are, and which
 * back-end they answer to. */

#include "cli/cli.h"

#include "device/dedupe.h"
#include "device/device.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_BYTES = 40, ROW_MAX = 4 * WHET_DEVICE_LIST_MAX };

struct opts {
    bool verbose;
    bool json;
};

/* What was found out. */
struct work {
    whet_inventory inventory;
    whet_device_facts facts[ROW_MAX]; /* of all back-ends with cards */
    uint32_t fact_count;
    char answers[WHET_CARD_MAX][ANSWER_BYTES]; /* "cuda:0", "" = none */
};

/* --- looking -------------------------------------------------------------- */

static void probe_all(struct work *w)
{
    const whet_device_ops *const *all = whet_device_all();

    for (size_t i = 0; all[i] != NULL; i++) {
        uint32_t count = 0;

        if (!(all[i]->caps & WHET_DEVICE_CAP_LIVE) ||
            (all[i]->caps & WHET_DEVICE_CAP_NATIVE) ||
            w->fact_count + WHET_DEVICE_LIST_MAX > ROW_MAX)
            continue;
        if (all[i]->probe(&w->facts[w->fact_count], &count, NULL) == WHET_OK)
            w->fact_count += count;
    }
}

/* A card that only a back-end tells of. */
static whet_card *add_card(struct work *w, const whet_device_facts *facts)
{
    whet_card *card;

    if (w->inventory.card_count >= WHET_CARD_MAX)
        return NULL;
    card = &w->inventory.cards[w->inventory.card_count++];
    card->physical_index = facts->physical_index != UINT32_MAX
                               ? facts->physical_index
                               : facts->index;
    card->logical_index = facts->index;
    (void)whet_strcopy(card->name, sizeof card->name, facts->name);
    (void)whet_strcopy(card->arch, sizeof card->arch, facts->arch);
    (void)whet_strcopy(card->pci, sizeof card->pci, facts->pci);
    (void)whet_strcopy(card->driver, sizeof card->driver, facts->driver);
    (void)whet_strcopy(card->source, sizeof card->source, facts->backend);
    if (facts->limits.memory_bytes > 0)
        card->memory_total_bytes = (whet_reading){
            .value = (double)facts->limits.memory_bytes, .is_known = true};
    return card;
}

static whet_card *find_card(struct work *w, const char *pci)
{
    for (uint32_t i = 0; i < w->inventory.card_count; i++)
        if (pci[0] != '\0' && strcmp(w->inventory.cards[i].pci, pci) == 0)
            return &w->inventory.cards[i];
    return NULL;
}

/* Which back-end each card answers to; a card seen by two counts for one. */
static void match(struct work *w)
{
    whet_device_row rows[ROW_MAX];

    for (uint32_t i = 0; i < w->fact_count; i++)
        rows[i] = (whet_device_row){.facts = &w->facts[i]};
    whet_device_mark_duplicates(rows, w->fact_count);
    for (uint32_t i = 0; i < w->fact_count; i++) {
        const whet_device_facts *facts = &w->facts[i];
        whet_card *card = find_card(w, facts->pci);
        char answer[ANSWER_BYTES];

        if (rows[i].same_as != NULL ||
            (card == NULL && (card = add_card(w, facts)) == NULL))
            continue;
        snprintf(answer, sizeof answer, "%.24s:%u", facts->backend,
                 facts->index);
        (void)whet_strcopy(w->answers[card - w->inventory.cards], ANSWER_BYTES,
                           answer);
        if (card->arch[0] == '\0')
            (void)whet_strcopy(card->arch, sizeof card->arch, facts->arch);
        if (card->name[0] == '\0')
            (void)whet_strcopy(card->name, sizeof card->name, facts->name);
    }
}

/* --- people --------------------------------------------------------------- */

static void add_reading(whet_table *table, const whet_reading *reading,
                        const char *unit)
{
    if (reading->is_known)
        whet_table_add_cell(table, "%.0f %s", reading->value, unit);
    else
        whet_table_add_cell(table, "n/a");
}

static void add_text(whet_table *table, const char *text)
{
    whet_table_add_cell(table, "%s", text[0] != '\0' ? text : "n/a");
}

/* "0", "0/3" under a variable that renumbers, "-/3" if it hides. */
static void add_index(whet_table *table, const whet_card *card)
{
    if (card->logical_index == card->physical_index)
        whet_table_add_cell(table, "%u", card->physical_index);
    else if (card->logical_index == UINT32_MAX)
        whet_table_add_cell(table, "-/%u", card->physical_index);
    else
        whet_table_add_cell(table, "%u/%u", card->logical_index,
                            card->physical_index);
}

static void add_memory(whet_table *table, const whet_card *card)
{
    char used[24] = "n/a", total[24] = "n/a";
    bool is_known =
        card->memory_used_bytes.is_known || card->memory_total_bytes.is_known;

    if (card->memory_used_bytes.is_known)
        snprintf(used, sizeof used, "%.1f",
                 card->memory_used_bytes.value / 1073741824.0);
    if (card->memory_total_bytes.is_known)
        snprintf(total, sizeof total, "%.0f",
                 card->memory_total_bytes.value / 1073741824.0);
    whet_table_add_cell(table, "%s%s%s%s", is_known ? used : "n/a",
                        is_known ? "/" : "", is_known ? total : "",
                        is_known ? " GiB" : "");
}

static void add_processes(whet_table *table, const whet_card *card)
{
    if (!card->knows_processes)
        whet_table_add_cell(table, "n/a");
    else
        whet_table_add_cell(table, "%u%s", card->process_count,
                            card->process_count == WHET_CARD_PROCESS_MAX ? "+"
                                                                         : "");
}

static void add_card_row(whet_table *table, const whet_card *card,
                         const char *answer)
{
    add_index(table, card);
    whet_table_add_cell(table, "%s", answer);
    add_text(table, card->vendor);
    add_text(table, card->name);
    add_text(table, card->arch);
    add_text(table, card->pci);
    add_memory(table, card);
    add_reading(table, &card->use_pct, "%");
    add_reading(table, &card->temperature_c, "C");
    add_reading(table, &card->power_w, "W");
    add_processes(table, card);
}

static void show_cards(whet_buf *out, const struct work *w)
{
    static const whet_table_column columns[] = {
        {.title = "#", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Device", .is_whole = true},
        {.title = "Vendor", .is_whole = true},
        {.title = "Name"},
        {.title = "Arch", .is_whole = true},
        {.title = "PCI", .is_whole = true},
        {.title = "Memory", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Use", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Temp", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Power", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Procs", .align = WHET_ALIGN_RIGHT, .is_whole = true},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < w->inventory.card_count; i++)
        add_card_row(&table, &w->inventory.cards[i], w->answers[i]);
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void show_processes(whet_buf *out, const struct work *w)
{
    for (uint32_t i = 0; i < w->inventory.card_count; i++) {
        const whet_card *card = &w->inventory.cards[i];

        for (uint32_t j = 0; j < card->process_count; j++) {
            const whet_card_process *process = &card->processes[j];

            whet_buf_printf(out, "card %s: process %u", card->pci,
                            process->pid);
            if (process->memory_bytes.is_known) {
                whet_buf_puts(out, ", ");
                whet_cli_add_bytes(out, (uint64_t)process->memory_bytes.value);
            }
            whet_buf_puts(out, "\n");
        }
    }
}

static void show_sources(whet_buf *out, const whet_inventory *inventory)
{
    static const whet_table_column columns[] = {
        {.title = "Source", .is_whole = true},
        {.title = "State", .is_whole = true},
        {.title = "Answer"}};
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < inventory->source_count; i++) {
        const whet_card_source *source = &inventory->sources[i];

        whet_table_add_row(
            &table, (const char *const[]){source->name,
                                          source->is_there ? "there" : "-",
                                          source->text});
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
}

static void show(whet_buf *out, const struct work *w, bool is_verbose)
{
    if (w->inventory.card_count > 0)
        show_cards(out, w);
    else
        whet_buf_printf(out, "no card: none of %u sources tells of one%s\n",
                        w->inventory.source_count,
                        is_verbose ? "" : " (-v says why)");
    if (!is_verbose)
        return;
    whet_buf_puts(out, "\n");
    show_processes(out, w);
    show_sources(out, &w->inventory);
}

/* --- programs ------------------------------------------------------------- */

static json_t *number(const whet_reading *reading)
{
    return reading->is_known ? whet_json_number(reading->value) : json_null();
}

static json_t *text(const char *value)
{
    return value[0] != '\0' ? whet_cli_json_text(value) : json_null();
}

static json_t *json_processes(const whet_card *card)
{
    json_t *list = json_array();

    if (!card->knows_processes) {
        json_decref(list);
        return json_null();
    }
    for (uint32_t i = 0; i < card->process_count; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:o}", "pid",
                            (json_int_t)card->processes[i].pid, "memory_bytes",
                            number(&card->processes[i].memory_bytes)));
    return list;
}

static json_t *json_card(const whet_card *card, const char *answer)
{
    json_t *object = json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "physical_index",
        (json_int_t)card->physical_index, "logical_index",
        card->logical_index != UINT32_MAX
            ? json_integer((json_int_t)card->logical_index)
            : json_null(),
        "device", text(answer), "vendor", text(card->vendor), "name",
        text(card->name), "arch", text(card->arch), "pci", text(card->pci),
        "uuid", text(card->uuid), "driver", text(card->driver), "source",
        text(card->source));

    if (object == NULL)
        return NULL;
    whet_json_set(object, "memory_used_bytes",
                  number(&card->memory_used_bytes));
    whet_json_set(object, "memory_total_bytes",
                  number(&card->memory_total_bytes));
    whet_json_set(object, "use_pct", number(&card->use_pct));
    whet_json_set(object, "temperature_c", number(&card->temperature_c));
    whet_json_set(object, "power_w", number(&card->power_w));
    whet_json_set(object, "clock_mhz", number(&card->clock_mhz));
    whet_json_set(object, "memory_clock_mhz", number(&card->memory_clock_mhz));
    whet_json_set(object, "processes", json_processes(card));
    return object;
}

static json_t *to_json(const struct work *w)
{
    json_t *cards = json_array(), *sources = json_array();

    for (uint32_t i = 0; i < w->inventory.card_count; i++)
        json_array_append_new(cards,
                              json_card(&w->inventory.cards[i], w->answers[i]));
    for (uint32_t i = 0; i < w->inventory.source_count; i++) {
        const whet_card_source *source = &w->inventory.sources[i];

        json_array_append_new(sources, json_pack("{s:o, s:b, s:o}", "name",
                                                 text(source->name), "is_there",
                                                 (int)source->is_there, "text",
                                                 text(source->text)));
    }
    return json_pack("{s:o, s:o}", "cards", cards, "sources", sources);
}

static int run(const void *options, const whet_args *args)
{
    const struct opts *o = options;
    struct work *w = calloc(1, sizeof *w);
    whet_buf out = {0};
    whet_err err = {0};
    char warning[160];
    int status;

    (void)args;
    if (w == NULL)
        whet_err_set(&err, WHET_ENOMEM, "devices: out of memory");
    if (w == NULL || whet_inventory_read(&w->inventory, &err) != WHET_OK) {
        status = whet_cli_fail(&err);
        goto out;
    }
    probe_all(w);
    match(w);
    whet_visible_warning(warning);
    if (warning[0] != '\0')
        fprintf(stderr, "whet: %s\n", warning);
    if (o->json) {
        status = whet_cli_print_json(to_json(w));
    } else {
        show(&out, w, o->verbose);
        status = whet_cli_print(&out);
    }
out:
    free(w);
    return status;
}

static const whet_opt rows[] = {
    {.name = "verbose",
     .short_name = 'v',
     .type = WHET_OPT_FLAG,
     .offset = offsetof(struct opts, verbose),
     .help = "Show processes, and which interfaces were asked"},
    WHET_CLI_OPT_JSON(struct opts),
};

const whet_command whet_cmd_devices = {
    .name = "devices",
    .usage = "",
    .summary = "List the machine's cards: load, memory, temperature, and the "
               "device each is",
    .detail =
        "# is the index under the *_VISIBLE_DEVICES in force, and after a "
        "slash the physical\none where it differs; -/N is a card that they "
        "hide. n/a is unknown, never 0. Without\nany card the exit status is "
        "0.\n\n"
        "JSON: {cards: [{physical_index, logical_index, device, vendor, name, "
        "arch, pci, uuid,\ndriver, source, memory_used_bytes, "
        "memory_total_bytes, use_pct, temperature_c,\npower_w, clock_mhz, "
        "memory_clock_mhz, processes: [{pid, memory_bytes}]}],\nsources: "
        "[{name, is_there, text}]}; null means unknown.",
    .opts = rows,
    .opt_count = sizeof rows / sizeof rows[0],
    .opts_bytes = sizeof(struct opts),
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
