/* Choosing among a back-end's cards: order by what is asked for, leave out the
 * busy ones, and take the first whose lock is free. */

#include "device/inventory_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pick_words[] = {"default", "random", "min_mem",
                                         "min_util"};

enum { PICK_COUNT = sizeof pick_words / sizeof pick_words[0] };

whet_status whet_pick_parse(whet_pick *out, const char *word, whet_err *err)
{
    const char *close;

    for (int i = 0; i < PICK_COUNT; i++)
        if (strcmp(pick_words[i], word) == 0) {
            *out = (whet_pick)i;
            return WHET_OK;
        }
    close = whet_closest_name(word, pick_words, PICK_COUNT);
    return whet_err_set(err, WHET_EINVAL,
                        "pick \"%.40s\": unknown%s%s%s, expected default, "
                        "random, min_mem or min_util",
                        word, close != NULL ? "; did you mean \"" : "",
                        close != NULL ? close : "", close != NULL ? "\"?" : "");
}

/* A candidate and what is known of its card. */
struct candidate {
    uint32_t index;
    const char *pci;
    whet_reading memory_pct, use_pct;
    uint32_t draw; /* for WHET_PICK_RANDOM */
};

static whet_reading memory_pct(const whet_card *card)
{
    whet_reading none = {0};

    if (!card->memory_used_bytes.is_known ||
        !card->memory_total_bytes.is_known ||
        card->memory_total_bytes.value <= 0)
        return none;
    return whet_inventory__known(100 * card->memory_used_bytes.value /
                                 card->memory_total_bytes.value);
}

/* Do the numbers of the inventory matter? Asking costs a second. */
static bool needs_inventory(const whet_pick_opts *opts)
{
    return opts->pick == WHET_PICK_MIN_MEM ||
           opts->pick == WHET_PICK_MIN_UTIL || opts->memory_max_pct > 0 ||
           opts->use_max_pct > 0;
}

static whet_status look(struct candidate *list, uint32_t count,
                        const whet_pick_opts *opts, whet_err *err)
{
    whet_inventory *inventory;
    whet_status st;

    if (!needs_inventory(opts))
        return WHET_OK;
    if ((inventory = calloc(1, sizeof *inventory)) == NULL)
        return whet_err_set(err, WHET_ENOMEM, "cards: out of memory");
    st = whet_inventory_read(inventory, err);
    for (uint32_t i = 0; st == WHET_OK && i < count; i++)
        for (uint32_t j = 0; j < inventory->card_count; j++) {
            const whet_card *card = &inventory->cards[j];

            if (strcmp(card->pci, list[i].pci) != 0)
                continue;
            list[i].memory_pct = memory_pct(card);
            list[i].use_pct = card->use_pct;
        }
    free(inventory);
    return st;
}

static int by_reading(const whet_reading *a, const whet_reading *b)
{
    if (a->is_known != b->is_known)
        return a->is_known ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static int compare(const struct candidate *a, const struct candidate *b,
                   whet_pick pick)
{
    int order = 0;

    if (pick == WHET_PICK_MIN_MEM)
        order = by_reading(&a->memory_pct, &b->memory_pct);
    else if (pick == WHET_PICK_MIN_UTIL)
        order = by_reading(&a->use_pct, &b->use_pct);
    else if (pick == WHET_PICK_RANDOM)
        order = (a->draw > b->draw) - (a->draw < b->draw);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Insertion sort: a few cards, and an order that depends on `pick`. */
static void sort(struct candidate *list, uint32_t count, whet_pick pick)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && compare(&list[j - 1], &list[j], pick) > 0;
             j--) {
            struct candidate swap = list[j];

            list[j] = list[j - 1];
            list[j - 1] = swap;
        }
}

/* An unknown reading does not make a card busy. */
static bool is_free(const struct candidate *c, const whet_pick_opts *opts)
{
    return !(opts->memory_max_pct > 0 && c->memory_pct.is_known &&
             c->memory_pct.value >= opts->memory_max_pct) &&
           !(opts->use_max_pct > 0 && c->use_pct.is_known &&
             c->use_pct.value >= opts->use_max_pct);
}

static void format_pct(char out[16], const whet_reading *reading)
{
    if (reading->is_known)
        snprintf(out, 16, "%.0f %%", reading->value);
    else
        (void)whet_strcopy(out, 16, "n/a");
}

static void explain(char out[160], const struct candidate *c,
                    const whet_pick_opts *opts, uint32_t passed)
{
    char number[16], skipped[48] = "";
    const whet_reading *reading =
        opts->pick == WHET_PICK_MIN_UTIL ? &c->use_pct : &c->memory_pct;
    bool is_unknown = (opts->memory_max_pct > 0 && !c->memory_pct.is_known) ||
                      (opts->use_max_pct > 0 && !c->use_pct.is_known);

    if (out == NULL)
        return;
    format_pct(number, reading);
    if (passed > 0)
        snprintf(skipped, sizeof skipped, ", %u in use or busy passed over",
                 passed);
    switch (opts->pick) {
    case WHET_PICK_MIN_MEM:
        snprintf(out, 160, "least memory in use: %s%s", number, skipped);
        break;
    case WHET_PICK_MIN_UTIL:
        snprintf(out, 160, "least busy: %s%s", number, skipped);
        break;
    case WHET_PICK_RANDOM:
        snprintf(out, 160, "drawn at random%s", skipped);
        break;
    case WHET_PICK_DEFAULT:
        snprintf(out, 160, "first%s", skipped);
        break;
    }
    if (is_unknown)
        snprintf(out + strlen(out), 160 - strlen(out),
                 "; its load is unknown and counts as free");
}

static whet_status tell_busy(const struct candidate *c, whet_err *err)
{
    char memory[16], use[16];

    format_pct(memory, &c->memory_pct);
    format_pct(use, &c->use_pct);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "card %s is busy: %s of its memory, %s of its time",
                        c->pci, memory, use);
}

/* One turn over all candidates. WHET_EUNSUPPORTED: none was free. */
static whet_status pick_once(uint32_t *index_out, whet_card_lock *lock_out,
                             char why_out[160], struct candidate *list,
                             uint32_t count, const whet_pick_opts *opts,
                             whet_err *err)
{
    whet_status st = look(list, count, opts, err);
    whet_err first = {0};

    if (st != WHET_OK)
        return st;
    sort(list, count, opts->pick);
    for (uint32_t i = 0; i < count; i++) {
        const struct candidate *c = &list[i];
        whet_err why = {0};

        st = is_free(c, opts)
                 ? whet_card_lock_take(lock_out, c->pci, 0, NULL, &why)
                 : tell_busy(c, &why);
        if (st == WHET_OK) {
            *index_out = c->index;
            explain(why_out, c, opts, i);
            return WHET_OK;
        }
        if (st != WHET_EUNSUPPORTED || first.code == WHET_OK)
            first = why;
        if (st != WHET_EUNSUPPORTED)
            break;
    }
    if (err != NULL)
        *err = first;
    return first.code;
}

static struct candidate *new_candidates(const char *const *pci, uint32_t count)
{
    struct candidate *list = calloc(count, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < count; i++) {
        list[i].index = i;
        list[i].pci = pci[i];
        /* A draw that fails leaves 0: the order of the list. */
        (void)whet_rng_secret(&list[i].draw, sizeof list[i].draw, NULL);
    }
    return list;
}

/* Readings cost a child, and tools seconds: they are asked for less often than
 * a lock is tried. */
static void pause_between(const whet_pick_opts *opts, uint64_t left_ns)
{
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns = whet_clock_now(&clock);
    int turns = needs_inventory(opts) ? 10 : 1;

    for (int i = 0; i < turns; i++) {
        uint64_t gone_ns = whet_clock_now(&clock) - begin_ns;

        if (gone_ns >= left_ns || (opts->cancel != NULL && *opts->cancel))
            return;
        whet_card_lock__pause(left_ns - gone_ns);
    }
}

whet_status whet_pick_card(uint32_t *index_out, whet_card_lock *lock_out,
                           char why_out[160], const char *const *pci,
                           uint32_t count, const whet_pick_opts *opts,
                           whet_err *err)
{
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns = whet_clock_now(&clock), waited_ns = 0;
    struct candidate *list = NULL;
    bool is_told = false;
    whet_err why = {0};
    whet_status st;

    *lock_out = (whet_card_lock){.fd = -1};
    *index_out = 0;
    if (count == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "no card to pick from");
    if ((list = new_candidates(pci, count)) == NULL)
        return whet_err_set(err, WHET_ENOMEM, "cards: out of memory");
    for (;;) {
        st = pick_once(index_out, lock_out, why_out, list, count, opts, &why);
        waited_ns = whet_clock_now(&clock) - begin_ns;
        if (st != WHET_EUNSUPPORTED || waited_ns >= opts->wait_ns)
            break;
        if (opts->cancel != NULL && *opts->cancel) {
            st = whet_err_set(&why, WHET_ECANCELLED,
                              "cancelled while no card was free");
            break;
        }
        whet_card_lock__tell(opts->log, &is_told, &why, waited_ns,
                             opts->wait_ns);
        pause_between(opts, opts->wait_ns - waited_ns);
    }
    if (opts->log != NULL)
        whet_log_progress(opts->log, "%s", "");
    free(list);
    if (st == WHET_EUNSUPPORTED && count > 1)
        (void)whet_err_prefix(&why, st, "none of %u cards is free", count);
    if (st != WHET_OK && err != NULL)
        *err = why;
    return st;
}
