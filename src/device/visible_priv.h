#ifndef WHET_DEVICE_VISIBLE_PRIV_H
#define WHET_DEVICE_VISIBLE_PRIV_H

/* What the *_VISIBLE_DEVICES variables leave of a machine's cards, and in
 * which order. The runtimes apply them by themselves; here they are only
 * followed, to tell which physical card an index means. */

#include "device/inventory.h"

/** Whose rules hold. */
typedef enum whet_visible_family {
    WHET_VISIBLE_CUDA = 0, /**< CUDA_VISIBLE_DEVICES alone. */
    /** ROCR_VISIBLE_DEVICES hides and renumbers first; of what is left
     *  HIP_VISIBLE_DEVICES takes its share, or CUDA_VISIBLE_DEVICES where that
     *  one is unset or empty. */
    WHET_VISIBLE_HIP
} whet_visible_family;

/** The variables' texts; NULL = not set. */
typedef struct whet_visible_env {
    const char *cuda, *hip, *rocr;
} whet_visible_env;

/** Logical index to physical one. */
typedef struct whet_visible_map {
    uint32_t physical[WHET_CARD_MAX]; /**< UINT32_MAX = a name that is not
                                           known here (a UUID, a partition). */
    uint32_t count;                   /**< Visible cards. */
    /** "" or one line: what to change ("set one, not both"). */
    char warning[160];
} whet_visible_map;

/** Read the variables of this process. */
void whet_visible__env(whet_visible_env *out);

/**
 * Follow the variables.
 *
 * @param uuids  of the physical cards, "GPU-..." or NULL entries; NULL if none
 *               are known. A word "GPU-..." matches by prefix.
 *
 * A list ends at its first word that is no card, or that was named before:
 * only what precedes it is visible (CUDA C++ Programming Guide, "CUDA
 * Environment Variables"; ROCm documentation, "GPU isolation techniques").
 * A list that is set but empty hides everything, except for
 * HIP_VISIBLE_DEVICES, which then counts as unset.
 */
void whet_visible__map(whet_visible_map *out, whet_visible_family family,
                       const whet_visible_env *env, const char *const *uuids,
                       uint32_t physical_count);

#endif /* WHET_DEVICE_VISIBLE_PRIV_H */
