/* The inventory: every source is asked, and what they say of one card is put
 * together by PCI address. A source that cannot tell an address is matched by
 * order, if it tells of as many cards as are known. */

#include "device/inventory_priv.h"
#include "device/visible_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- pieces that sources use ---------------------------------------------- */

whet_reading whet_inventory__known(double value)
{
    return (whet_reading){.value = value, .is_known = true};
}

whet_card *whet_inventory__new_card(whet_cards *cards)
{
    whet_card *card;

    if (cards->count >= WHET_CARD_MAX)
        return NULL;
    card = &cards->items[cards->count++];
    memset(card, 0, sizeof *card);
    return card;
}

void whet_inventory__pci_from(char out[32], uint64_t domain, unsigned bus,
                              unsigned device, unsigned function)
{
    snprintf(out, 32, "%04llx:%02x:%02x.%x",
             (unsigned long long)(domain & 0xffffffffu), bus & 0xffu,
             device & 0x1fu, function & 7u);
}

/* Hexadecimal number of 1 to `max` digits; NULL if there is none. */
static const char *hex(uint64_t *out, const char *text, int max)
{
    int digits = 0;

    for (*out = 0; digits < max; digits++, text++) {
        static const char all[] = "0123456789abcdef";
        const char *at = *text != '\0'
                             ? strchr(all, *text | (*text > '9' ? 0x20 : 0))
                             : NULL;

        if (at == NULL)
            break;
        *out = *out * 16 + (uint64_t)(at - all);
    }
    return digits > 0 ? text : NULL;
}

bool whet_inventory__pci(char out[32], const char *text)
{
    uint64_t domain, bus, device, function = 0;

    out[0] = '\0';
    if ((text = hex(&domain, text, 8)) == NULL || *text++ != ':' ||
        (text = hex(&bus, text, 2)) == NULL)
        return false;
    if (*text == '.') { /* "c1:00.0" without a domain */
        return false;
    }
    if (*text++ != ':' || (text = hex(&device, text, 2)) == NULL)
        return false;
    if (*text == '.' && (text = hex(&function, text + 1, 1)) == NULL)
        return false;
    if (*text != '\0' || device > 0x1f || function > 7)
        return false;
    whet_inventory__pci_from(out, domain, (unsigned)bus, (unsigned)device,
                             (unsigned)function);
    return true;
}

/* --- putting together ----------------------------------------------------- */

static void fill_text(char *to, size_t bytes, const char *from)
{
    whet_buf escaped = {0};

    if (to[0] != '\0' || from[0] == '\0')
        return;
    whet_buf_escape(&escaped, from, strlen(from), false);
    (void)whet_strcopy(to, bytes, whet_buf_str(&escaped));
    whet_buf_deinit(&escaped);
}

static void fill_reading(whet_reading *to, const whet_reading *from)
{
    if (!to->is_known)
        *to = *from;
}

/* What `to` lacks. */
static void fill(whet_card *to, const whet_card *from)
{
    fill_text(to->vendor, sizeof to->vendor, from->vendor);
    fill_text(to->name, sizeof to->name, from->name);
    fill_text(to->arch, sizeof to->arch, from->arch);
    fill_text(to->pci, sizeof to->pci, from->pci);
    fill_text(to->uuid, sizeof to->uuid, from->uuid);
    fill_text(to->driver, sizeof to->driver, from->driver);
    fill_reading(&to->memory_used_bytes, &from->memory_used_bytes);
    fill_reading(&to->memory_total_bytes, &from->memory_total_bytes);
    fill_reading(&to->use_pct, &from->use_pct);
    fill_reading(&to->temperature_c, &from->temperature_c);
    fill_reading(&to->power_w, &from->power_w);
    fill_reading(&to->clock_mhz, &from->clock_mhz);
    fill_reading(&to->memory_clock_mhz, &from->memory_clock_mhz);
    if (!to->knows_processes && from->knows_processes) {
        memcpy(to->processes, from->processes, sizeof to->processes);
        to->process_count = from->process_count;
        to->knows_processes = true;
    }
}

static bool is_vendor(const whet_card *card, const char *name)
{
    return strcmp(card->vendor, name) == 0;
}

/* Cards that the second family of interfaces tells of. */
static bool is_second(const whet_card *card)
{
    return !is_vendor(card, "nvidia");
}

static uint32_t count_second(const whet_inventory *list)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->card_count; i++)
        count += is_second(&list->cards[i]);
    return count;
}

static whet_card *nth_second(whet_inventory *list, uint32_t n)
{
    for (uint32_t i = 0; i < list->card_count; i++)
        if (is_second(&list->cards[i]) && n-- == 0)
            return &list->cards[i];
    return NULL;
}

static whet_card *find_pci(whet_inventory *list, const char *pci)
{
    for (uint32_t i = 0; i < list->card_count; i++)
        if (strcmp(list->cards[i].pci, pci) == 0)
            return &list->cards[i];
    return NULL;
}

/* @return cards that could not be told from those that are known */
static uint32_t merge(whet_inventory *list, const whet_cards *from,
                      const char *source)
{
    uint32_t known = count_second(list), lost = 0;

    for (uint32_t i = 0; i < from->count; i++) {
        const whet_card *card = &from->items[i];
        bool has_pci = card->pci[0] != '\0';
        whet_card *to = has_pci ? find_pci(list, card->pci) : NULL;

        if (!has_pci && known > 0 && known == from->count)
            to = nth_second(list, i);
        if (to == NULL &&
            ((!has_pci && known > 0) || list->card_count >= WHET_CARD_MAX)) {
            lost++;
            continue;
        }
        if (to == NULL) {
            to = &list->cards[list->card_count++];
            to->physical_index = card->physical_index;
            (void)whet_strcopy(to->source, sizeof to->source, source);
        }
        fill(to, card);
    }
    return lost;
}

/* --- sources -------------------------------------------------------------- */

static void note(whet_inventory *list, const char *name, bool is_there,
                 const char *text)
{
    whet_card_source *source;
    whet_buf escaped = {0};

    if (list->source_count >= WHET_CARD_SOURCE_MAX)
        return;
    source = &list->sources[list->source_count++];
    whet_buf_escape(&escaped, text, strlen(text), false);
    (void)whet_strcopy(source->name, sizeof source->name, name);
    (void)whet_strcopy(source->text, sizeof source->text,
                       whet_buf_str(&escaped));
    source->is_there = is_there;
    whet_buf_deinit(&escaped);
}

/* Take what a source said, and say so. */
static whet_status take(whet_inventory *list, const whet_cards *cards,
                        const char *name, whet_status st, const whet_err *why)
{
    char text[160];
    uint32_t lost;

    if (st == WHET_ENOMEM)
        return st;
    if (st != WHET_OK) {
        note(list, name, false, why->msg);
        return WHET_OK;
    }
    lost = merge(list, cards, name);
    snprintf(text, sizeof text, "%u card%s", cards->count,
             cards->count == 1 ? "" : "s");
    if (lost > 0)
        snprintf(text, sizeof text,
                 "%u cards, of which %u without a PCI address could not be "
                 "matched",
                 cards->count, lost);
    note(list, name, true, text);
    return WHET_OK;
}

/* Would a tool have something to add? It takes seconds. */
static bool needs_tool(const whet_inventory *list)
{
    for (uint32_t i = 0; i < list->card_count; i++) {
        const whet_card *card = &list->cards[i];

        if (is_second(card) &&
            (!card->memory_used_bytes.is_known || !card->use_pct.is_known ||
             !card->temperature_c.is_known || card->name[0] == '\0'))
            return true;
    }
    return count_second(list) == 0;
}

static whet_status ask_tools(whet_inventory *list, whet_cards *cards,
                             const char *dirs, whet_err *err)
{
    static const char *const tools[] = {"hy-smi", "rocm-smi"};

    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        whet_err why = {0};
        whet_status st;

        if (!needs_tool(list)) {
            note(list, tools[i], false, "not asked: nothing is missing");
            continue;
        }
        cards->count = 0;
        st = whet_smi__run(cards, tools[i], dirs, &why);
        if ((st = take(list, cards, tools[i], st, &why)) != WHET_OK) {
            *err = why;
            return st;
        }
        if (cards->count > 0)
            break; /* the other one is the same tool, or less of it */
    }
    return WHET_OK;
}

/* --- indices -------------------------------------------------------------- */

/* Logical indices of one family's cards under the variables in force. */
static void number_family(whet_inventory *list, const whet_visible_env *env,
                          bool second)
{
    const char *uuids[WHET_CARD_MAX] = {NULL};
    whet_card *by_index[WHET_CARD_MAX] = {NULL};
    whet_visible_map map;
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->card_count; i++) {
        whet_card *card = &list->cards[i];
        /* The second family's interfaces count in several ways; their runtime
         * counts in the order of the bus, as the list is. */
        uint32_t at = second ? count : card->physical_index;

        if (is_second(card) != second || at >= WHET_CARD_MAX)
            continue;
        card->logical_index = UINT32_MAX;
        by_index[at] = card;
        uuids[at] = card->uuid[0] != '\0' ? card->uuid : NULL;
        count = at + 1 > count ? at + 1 : count;
    }
    whet_visible__map(&map, second ? WHET_VISIBLE_HIP : WHET_VISIBLE_CUDA, env,
                      uuids, count);
    for (uint32_t i = 0; i < map.count && i < WHET_CARD_MAX; i++)
        if (map.physical[i] < count && by_index[map.physical[i]] != NULL)
            by_index[map.physical[i]]->logical_index = i;
}

/* First family first, each in the order of the bus, or as it was told. */
static int by_bus(const void *a, const void *b)
{
    const whet_card *x = a, *y = b;
    int order = strcmp(x->pci, y->pci);

    if (is_second(x) != is_second(y))
        return is_second(x) ? 1 : -1;
    if (!is_second(x) || order == 0)
        return (x->physical_index > y->physical_index) -
               (x->physical_index < y->physical_index);
    return order;
}

static void finish(whet_inventory *list)
{
    whet_visible_env env;

    whet_visible__env(&env);
    qsort(list->cards, list->card_count, sizeof list->cards[0], by_bus);
    for (uint32_t i = 0; i < list->card_count; i++)
        if (list->cards[i].vendor[0] == '\0')
            (void)whet_strcopy(list->cards[i].vendor,
                               sizeof list->cards[i].vendor, "amd");
    number_family(list, &env, false);
    number_family(list, &env, true);
}

whet_status whet_inventory__read(whet_inventory *out,
                                 const whet_inventory_opts *opts, whet_err *err)
{
    const whet_inventory_library *const *libraries =
        whet_inventory__libraries();
    const char *sysfs =
        opts->sysfs != NULL ? opts->sysfs : getenv("WHET_HIP_SYSFS");
    whet_cards *cards = calloc(1, sizeof *cards);
    whet_err why = {0};
    whet_status st = WHET_OK;

    memset(out, 0, sizeof *out);
    if (cards == NULL)
        return whet_err_set(err, WHET_ENOMEM, "cards: out of memory");
    for (size_t i = 0; libraries[i] != NULL && !opts->without_libraries; i++) {
        cards->count = 0;
        st = whet_inventory__ask(cards, libraries[i], &why);
        if ((st = take(out, cards, libraries[i]->title, st, &why)) != WHET_OK)
            goto out;
    }
    cards->count = 0;
    st = whet_inventory__sysfs(
        cards, sysfs != NULL && sysfs[0] != '\0' ? sysfs : "/sys", &why);
    if ((st = take(out, cards, "KFD and DRM sysfs", st, &why)) != WHET_OK)
        goto out;
    st = ask_tools(out, cards, opts->tool_dirs, &why);
    finish(out);
out:
    if (st != WHET_OK && err != NULL)
        *err = why;
    free(cards);
    return st;
}

whet_status whet_inventory_read(whet_inventory *out, whet_err *err)
{
    const whet_inventory_opts opts = {0};

    return whet_inventory__read(out, &opts, err);
}
