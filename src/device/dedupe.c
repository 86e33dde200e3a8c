/* Which of several interfaces stands for a card. */

#include "device/dedupe.h"

#include <string.h>

/* Native machine code, strongest claim first: a shim of one interface over the
 * other copies the names of the first, never those of the second. */
static const struct {
    const char *backend, *arch;
} native[] = {{"hip", "gfx"}, {"cuda", "sm_"}};

enum { NATIVE_COUNT = sizeof native / sizeof native[0] };

static size_t rank(const whet_device_facts *facts)
{
    size_t i;

    for (i = 0; i < NATIVE_COUNT; i++)
        if (strcmp(facts->backend, native[i].backend) == 0 &&
            strncmp(facts->arch, native[i].arch, strlen(native[i].arch)) == 0)
            return i;
    return NATIVE_COUNT;
}

static bool is_same_card(const whet_device_facts *a, const whet_device_facts *b)
{
    return a->pci[0] != '\0' && strcmp(a->pci, b->pci) == 0 &&
           strcmp(a->backend, b->backend) != 0;
}

void whet_device_mark_duplicates(whet_device_row *rows, uint32_t count)
{
    uint32_t i, j;

    for (i = 0; i < count; i++) {
        const whet_device_facts *best = rows[i].facts;

        for (j = 0; j < count; j++) {
            size_t theirs = rank(rows[j].facts), ours = rank(best);

            /* Of equals the first in the list. */
            if (is_same_card(rows[i].facts, rows[j].facts) &&
                (theirs < ours ||
                 (theirs == ours && j < i && best == rows[i].facts)))
                best = rows[j].facts;
        }
        rows[i].same_as = best == rows[i].facts ? NULL : best;
    }
}
