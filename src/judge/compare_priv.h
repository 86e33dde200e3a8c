#ifndef WHET_JUDGE_COMPARE_PRIV_H
#define WHET_JUDGE_COMPARE_PRIV_H

/* A comparison in progress, shared by the files of the timing protocol:
 * compare.c runs it, evidence.c voids blocks of it, gain.c concludes. */

#include "judge/judge_priv.h"

typedef struct whet_comparison {
    whet_judge *judge;
    whet_arm *arms[2]; /* reference, candidate */
    const whet_protocol *protocol;
    whet_verdict *out;
    unsigned reference_calls; /* per block */
    size_t time_alloc[2];
    double *log_ratio;    /* of each block that counts ... */
    unsigned *generation; /* ... and its workers */
    size_t block_count;
    uint64_t reference_ns; /* its warm-up call */
    /* What requests of the block took beyond the time of their call. */
    double *overhead_ns[2];
    size_t overhead_count[2];
    bool is_watched;                 /* evidence is looked at */
    unsigned void_count;             /* blocks that outside evidence voided */
    whet_machine seen;               /* at the end of the block before */
    double foreign_ticks, all_ticks; /* of processors, summed over blocks */
} whet_comparison;

/* --- evidence.c ----------------------------------------------------------- */

/** Look at the machine before the first block; rules that concern the whole
 *  session are told here. */
void whet_judge__watch_start(whet_comparison *c);

/** Before a block's first call. */
void whet_judge__watch_block(whet_comparison *c);

/** After its last: does the block count? If not, the rule that voids it has
 *  been told. */
bool whet_judge__watch_passed(whet_comparison *c);

/** Voids so far are more than a fifth of the blocks: nothing is a gain. */
bool whet_judge__is_void(const whet_comparison *c);

/** Load by other programs, over all blocks. */
void whet_judge__watch_end(whet_comparison *c);

/** Why what happened between two looks voids the block between them, and the
 *  rule's name; NULL = it does not. */
const char *whet_judge__void_rule(char text[120], const whet_machine *before,
                                  const whet_machine *after);

/**
 * Time of calls that the device's own clock did not count: how much longer the
 * candidate's requests took beyond their times than the reference's, by the
 * medians, less what may be. Reorders both.
 *
 * @param median_ns  of the candidate's times
 * @return 0 if nothing is hidden, or too few calls tell (5 an arm)
 */
double whet_judge__hidden_ns(double *reference, size_t reference_count,
                             double *candidate, size_t candidate_count,
                             double median_ns);

/* --- gain.c --------------------------------------------------------------- */

/** Median of the calls of one block of an arm; NaN if it has none. */
double whet_judge__block_median(const whet_timing *t, unsigned block);

/** Times, ratio, and whether it is a gain. */
void whet_judge__conclude(whet_comparison *c);

#endif /* WHET_JUDGE_COMPARE_PRIV_H */
