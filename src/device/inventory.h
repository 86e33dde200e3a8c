#ifndef WHET_DEVICE_INVENTORY_H
#define WHET_DEVICE_INVENTORY_H

/* Cards of this machine as their management interfaces tell: load, memory,
 * temperature; picking one; and the lock that keeps two runs off one card. No
 * compute interface is opened here. Part of device.h. */

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_CARD_MAX = 64,
    WHET_CARD_PROCESS_MAX = 16,
    WHET_CARD_SOURCE_MAX = 8
};

/** A number that may be unknown; printed as n/a then, never as 0. */
typedef struct whet_reading {
    double value;
    bool is_known;
} whet_reading;

/** A process that holds a card. */
typedef struct whet_card_process {
    uint32_t pid;
    whet_reading memory_bytes;
} whet_card_process;

/** One physical card. Texts are escaped. */
typedef struct whet_card {
    uint32_t physical_index; /**< As the interface numbers it. */
    /** Index for programs under the *_VISIBLE_DEVICES in force; UINT32_MAX =
     *  hidden by them. */
    uint32_t logical_index;
    char vendor[24]; /**< "nvidia", "amd", "hygon". */
    char name[96];   /**< "" = n/a. */
    char arch[32];   /**< "" = n/a. */
    char pci[32];    /**< Lower case "0000:c1:00.0", "" = n/a. */
    char uuid[64];
    char driver[48];
    char source[48]; /**< "NVML", "amdsmi", "rocm-smi library", "hy-smi". */
    whet_reading memory_used_bytes, memory_total_bytes;
    whet_reading use_pct;
    whet_reading temperature_c;
    whet_reading power_w;
    whet_reading clock_mhz, memory_clock_mhz; /**< Now. */
    /** How long heat or power have held it back since the driver was loaded. */
    whet_reading throttled_ns;
    /** Why its clock is what it is, now: the bits of NVML's clocks event
     *  reasons, 0x1 = idle. */
    whet_reading throttle_bits;
    /** Memory errors since the driver was loaded, corrected or not. */
    whet_reading ecc_count;
    whet_card_process processes[WHET_CARD_PROCESS_MAX];
    uint32_t process_count;
    bool knows_processes;
} whet_card;

/** An interface that was asked, and what came of it. */
typedef struct whet_card_source {
    char name[48];
    char text[160]; /**< "3 cards", or why none. */
    bool is_there;
} whet_card_source;

/** All cards. */
typedef struct whet_inventory {
    whet_card cards[WHET_CARD_MAX];
    uint32_t card_count;
    whet_card_source sources[WHET_CARD_SOURCE_MAX];
    uint32_t source_count;
} whet_inventory;

/** Ask every interface (libraries in a child process, tools with a deadline);
 *  a card seen by several is listed once, by PCI address, its unknown fields
 *  filled from the later ones. Absence of everything is an empty list.
 *  @return WHET_ENOMEM only */
whet_status whet_inventory_read(whet_inventory *out, whet_err *err);

/**
 * What a management library knows of one card now; those are asked in turn, in
 * a child, until one lists it. Numbers and `knows_processes` only: texts are
 * left empty.
 *
 * @return WHET_ENOTFOUND if none lists it, WHET_ENOMEM
 */
whet_status whet_inventory_card(whet_card *out, const char *pci, whet_err *err);

/** How to choose among free cards. */
typedef enum whet_pick {
    WHET_PICK_DEFAULT = 0, /**< Lowest logical index. */
    WHET_PICK_RANDOM,
    WHET_PICK_MIN_MEM, /**< Least memory in use. */
    WHET_PICK_MIN_UTIL /**< Least busy. */
} whet_pick;

/** By word "default", "random", "min_mem", "min_util".
 *  WHET_EINVAL with "did you mean". */
whet_status whet_pick_parse(whet_pick *out, const char *word, whet_err *err);

typedef struct whet_pick_opts {
    whet_pick pick;
    /** A card counts as free below these; 0 = do not ask. An unknown reading
     *  counts as free, and the choice says so. */
    double memory_max_pct, use_max_pct;
    uint64_t wait_ns; /**< Wait so long for one to become free; 0 = do not. */
    const volatile int *cancel; /**< May be NULL. */
    const whet_log *log;        /**< Told of waiting and choice; may be NULL. */
} whet_pick_opts;

/** An advisory lock on a card, held until released or the process ends. */
typedef struct whet_card_lock {
    int fd; /**< -1 = none. */
    char pci[32];
} whet_card_lock;

/**
 * Lock a card by PCI address (or another word where there is none): flock on a
 * file in $WHET_LOCK_DIR, else /tmp/whet-locks, which all users share.
 *
 * @return WHET_EUNSUPPORTED "card 0000:c1:00.0 is in use by whet run, pid 123"
 *         if another holds it and `wait_ns` ran out; WHET_ECANCELLED;
 *         WHET_EINVAL for a word that is no part of a path; WHET_EFAIL if the
 *         folder or the file is not what it should be
 */
whet_status whet_card_lock_take(whet_card_lock *out, const char *pci,
                                uint64_t wait_ns, const volatile int *cancel,
                                whet_err *err);

/** Release; fd -1 and all zero are fine. */
void whet_card_lock_release(whet_card_lock *lock);

/**
 * Choose a card among `count` candidates given by PCI address (devices of a
 * back-end), lock it, and say why it was taken.
 *
 * @param index_out  position in `pci`
 * @param why_out    "least memory in use: 3 %"; may be NULL
 * @return WHET_EUNSUPPORTED if none became free in time
 */
whet_status whet_pick_card(uint32_t *index_out, whet_card_lock *lock_out,
                           char why_out[160], const char *const *pci,
                           uint32_t count, const whet_pick_opts *opts,
                           whet_err *err);

/** One line if the *_VISIBLE_DEVICES of this process hide cards in two places
 *  at once, so that indices are easily misread; "" if all is well. */
void whet_visible_warning(char text[160]);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_INVENTORY_H */
