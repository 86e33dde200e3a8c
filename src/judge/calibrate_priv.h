#ifndef WHET_JUDGE_CALIBRATE_PRIV_H
#define WHET_JUDGE_CALIBRATE_PRIV_H

/* Private to calibration: which kernels measure what. */

#include "judge/judge_priv.h"

enum { WHET_GAUGE__WORDS_MAX = 8 };

/** What the time of a call is divided into. */
typedef enum whet_gauge_kind {
    WHET_GAUGE_RATE = 0, /**< Operations. */
    WHET_GAUGE_COPY,     /**< Bytes of the task's cost. */
    WHET_GAUGE_READ,
    WHET_GAUGE_WRITE,
    WHET_GAUGE_LDS,    /**< Operations, of 4 bytes each. */
    WHET_GAUGE_LAUNCH, /**< Nothing: the call itself. */
    WHET_GAUGE_CONTROL /**< Nothing: controls of the clock. */
} whet_gauge_kind;

/** One kernel of calibration/. */
typedef struct whet_gauge_row {
    whet_gauge_kind kind;
    const char *name; /**< Of the rate; for messages otherwise. */
    const char *task; /**< Folder in calibration/. */
    const char *cpu;  /**< Workload on CPUs; NULL = not measured there. */
    const char *gpu;  /**< Workload elsewhere, before it is scaled. */
    bool is_optional; /**< Its absence is told, not an error. */
    /** Lines of the listing that must hold one of `words`. */
    unsigned least;
    /** Mnemonics, "A&B" = both in one line; NULL ends. */
    const char *words[WHET_GAUGE__WORDS_MAX];
} whet_gauge_row;

/** All rows; those of the launch and of copying come first. */
const whet_gauge_row *whet_gauge__rows(unsigned *count_out);

/** Has the device this unit? CPUs: those with a workload for them. Else what
 *  its architecture record lists (`arch` NULL = no record: f32.vector), and
 *  all rows that are no rates. */
bool whet_gauge__applies(const whet_gauge_row *row, bool is_cpu,
                         const whet_arch *arch);

/**
 * Look for a row's instructions in a listing.
 *
 * @param evidence  "HGMMA.64x256x16.F32.BF16 (12 times)", or "" if there are
 *                  fewer than row->least
 */
bool whet_gauge__find(char evidence[64], const whet_gauge_row *row,
                      const char *listing, size_t bytes);

/**
 * Fit a GPU's workload to it: dims named `groups` are multiplied by its
 * compute units, `rows` halved until all tensors together take at most a
 * quarter of its memory.
 */
whet_status whet_gauge__scale(whet_workload *workload, const whet_task *task,
                              const whet_limits *limits, whet_err *err);

/**
 * Hold the controls of the clock with a trusted kernel of one launch, which
 * takes milliseconds.
 *
 * @param out  also where they fail: see whet_calibration_controls_hold
 * @return WHET_EFAIL if they cannot be held, and as whet_judge_compare
 */
whet_status whet_gauge__controls(whet_controls *out, whet_judge *judge,
                                 whet_arm *arm, whet_err *err);

#endif /* WHET_JUDGE_CALIBRATE_PRIV_H */
