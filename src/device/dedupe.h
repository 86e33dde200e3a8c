#ifndef WHET_DEVICE_DEDUPE_H
#define WHET_DEVICE_DEDUPE_H

/* One card seen by two interfaces counts once: the lists of all back-ends are
 * compared by PCI address. Part of device.h. */

#include "device/facts.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A device in a common list. */
typedef struct whet_device_row {
    const whet_device_facts *facts; /**< Borrowed. */
    /** The row that counts instead of this one; NULL = this one counts. */
    const whet_device_facts *same_as;
} whet_device_row;

/**
 * Fill `same_as` of rows whose card another row stands for.
 *
 * Rows of one back-end are never merged, nor rows without a PCI address. Of
 * two interfaces to a card the one whose machine code the card runs natively
 * wins: an architecture "gfx..." means that CUDA there is a shim.
 */
void whet_device_mark_duplicates(whet_device_row *rows, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_DEDUPE_H */
