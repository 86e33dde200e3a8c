#ifndef WHET_DEVICE_INVENTORY_PRIV_H
#define WHET_DEVICE_INVENTORY_PRIV_H

/* Sources of the inventory. Libraries are opened in a child only (`PROGRAM
 * __device inventory WORD`); tools are run with a deadline; sysfs is read
 * here. Each fills cards with what it knows and leaves the rest unknown; a
 * vendor that a source cannot tell is "". Texts of sources are raw: what
 * crosses into whet_inventory is escaped by whet_inventory__read. */

#include "device/device.h"

/** Where to look. All zero = this machine, or what the environment says. */
typedef struct whet_inventory_opts {
    /** Stands for "/sys"; NULL = $WHET_HIP_SYSFS, else
     *  "/sys". */
    const char *sysfs;
    /** Folders with tools, ':' between them, searched instead of PATH and the
     *  known ones; NULL = $WHET_SMI_DIRS, else those. */
    const char *tool_dirs;
    bool without_libraries; /**< Start no child. */
} whet_inventory_opts;

/** A set of cards being filled. */
typedef struct whet_cards {
    whet_card items[WHET_CARD_MAX];
    uint32_t count;
} whet_cards;

/** whet_inventory_read with places of its own. */
whet_status whet_inventory__read(whet_inventory *out,
                                 const whet_inventory_opts *opts,
                                 whet_err *err);

/** A reading that is known. */
whet_reading whet_inventory__known(double value);

/** A fresh card at the end, all unknown; NULL if there is no room. */
whet_card *whet_inventory__new_card(whet_cards *cards);

/**
 * PCI address in the one form used here: lower case, domain of four digits
 * (more if it needs them), ".0" if no function is given.
 *
 * @return false, and "" in `out`, if `text` is none
 */
bool whet_inventory__pci(char out[32], const char *text);

/** The same from numbers. */
void whet_inventory__pci_from(char out[32], uint64_t domain, unsigned bus,
                              unsigned device, unsigned function);

/* --- libraries, in a child -------------------------------------------------
 */

/** A management library: its word for the child, and its reader. */
typedef struct whet_inventory_library {
    const char *word;  /**< "nvml" */
    const char *title; /**< "NVML" */
    /** Environment name of a path that replaces the known ones. */
    const char *path_env;
    const char *const *paths; /**< Tried in order, NULL-terminated. */
    /** Fill `cards` through the library at `path`.
     *  @return WHET_EUNSUPPORTED with the reason if it does not load or sees
     *          no card */
    whet_status (*read)(whet_cards *cards, const char *path, whet_err *err);
} whet_inventory_library;

extern const whet_inventory_library whet_inventory_nvml;
extern const whet_inventory_library whet_inventory_amdsmi;
extern const whet_inventory_library whet_inventory_rocm_smi;

/** All, NULL-terminated, in the order in which they are believed. */
const whet_inventory_library *const *whet_inventory__libraries(void);

/** Ask a library in a child.
 *  @return WHET_EUNSUPPORTED with the child's reason */
whet_status whet_inventory__ask(whet_cards *cards,
                                const whet_inventory_library *library,
                                whet_err *err);

/** Body of the child `__device inventory WORD`; argv[0] is "inventory".
 *  @return exit status */
int whet_inventory__child_main(int argc, char **argv);

/* --- files ----------------------------------------------------------------
 */

/** Cards as the kernel's KFD and DRM drivers tell below `root` ("/sys").
 *  @return WHET_EUNSUPPORTED if there are none */
whet_status whet_inventory__sysfs(whet_cards *cards, const char *root,
                                  whet_err *err);

/* --- tools ----------------------------------------------------------------
 */

/**
 * Read what hy-smi or rocm-smi printed, in whatever dialect and form: text
 * lines, the concise table, CSV, JSON, and JSON that is none. Never fails;
 * what is not understood is passed over.
 */
void whet_smi__read(whet_cards *cards, const char *text, size_t bytes);

/** Run a tool by name ("hy-smi"), with fewer flags while it refuses them.
 *  @param dirs  as whet_inventory_opts.tool_dirs
 *  @return WHET_EUNSUPPORTED with the reason */
whet_status whet_smi__run(whet_cards *cards, const char *name, const char *dirs,
                          whet_err *err);

/* --- locks ----------------------------------------------------------------
 */

/** whet_card_lock_take that tells `log` (may be NULL) while it waits. */
whet_status whet_card_lock__take(whet_card_lock *out, const char *pci,
                                 uint64_t wait_ns, const volatile int *cancel,
                                 const whet_log *log, whet_err *err);

/** Say that a card is waited for, on the first turn (`*is_told` false) and as
 *  progress. `log` may be NULL. */
void whet_card_lock__tell(const whet_log *log, bool *is_told,
                          const whet_err *why, uint64_t waited_ns,
                          uint64_t wait_ns);

/** Sleep for one turn of polling, at most `left_ns`. */
void whet_card_lock__pause(uint64_t left_ns);

#endif /* WHET_DEVICE_INVENTORY_PRIV_H */
