/* Output of hy-smi and rocm-smi: whatever is printed, what is read from it is
 * in range and ends. */

#include "device/inventory_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const whet_reading *reading, double max)
{
    if (reading->is_known && !(isfinite(reading->value) &&
                               reading->value >= 0 && reading->value <= max))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_cards *cards = calloc(1, sizeof *cards);
    /* A copy of its own, so that reading past the end is seen. */
    char *text = malloc(size > 0 ? size : 1);

    if (cards == NULL || text == NULL)
        goto out;
    memcpy(text, data, size);
    whet_smi__read(cards, text, size);
    if (cards->count > WHET_CARD_MAX)
        abort();
    for (uint32_t i = 0; i < cards->count; i++) {
        const whet_card *card = &cards->items[i];
        char pci[32];

        check(&card->use_pct, 100);
        check(&card->temperature_c, 300);
        check(&card->power_w, 1e5);
        check(&card->memory_used_bytes, 1e15);
        check(&card->memory_total_bytes, 1e15);
        if (memchr(card->name, '\0', sizeof card->name) == NULL ||
            memchr(card->uuid, '\0', sizeof card->uuid) == NULL ||
            (card->pci[0] != '\0' && !whet_inventory__pci(pci, card->pci)))
            abort();
    }
out:
    free(text);
    free(cards);
    return 0;
}
