#ifndef WHET_SEARCH_RUN_PRIV_H
#define WHET_SEARCH_RUN_PRIV_H

/* Private to the search: one run in progress.
 *
 * The search is a deterministic function of its seed and of the results of
 * evaluations. Every result is an event; a resumed run is the same function
 * over a memo of the events already there, so nothing is decided twice and
 * nothing but the evaluation in flight is lost. */

#include "search/search.h"

enum { WHET_TEMPLATE_MAX = 32, WHET_RUNG_MAX = 3 };

/** A source of points: a skill's template. */
typedef struct whet_source {
    char skill[WHET_NAME_BYTES];
    whet_candidate *candidate;
} whet_source;

/** One candidate at a point, and what is known of it. */
typedef struct whet_trial {
    unsigned source; /**< Index into sources. */
    whet_point point;
    whet_hash hash;
    bool is_correct;    /**< Passed its last rung. */
    bool is_screened;   /**< Has a verdict. */
    bool is_demoted;    /**< Failed as a reference of others. */
    bool is_confirmed;  /**< A confirmation was committed. */
    double score;       /**< Baseline time / its time: of its confirmation,
                             else chained over the arms it met. */
    double base;        /**< The same by the worst of its pairs: what later
                             scores are built on, so that lucky pairs do not
                             multiply. */
    uint64_t median_ns; /**< Of its last rung. */
    char parent[WHET_HASH_TEXT_BYTES]; /**< "" for a first sample. */
} whet_trial;

/** Arm that candidates are screened against. */
typedef struct whet_incumbent {
    whet_arm *arm; /**< NULL until needed live. */
    int trial;     /**< Index, or -1 for the baseline. */
    double score;  /**< `base` of that trial; 1 for the baseline. */
} whet_incumbent;

typedef struct whet_run {
    whet_run_opts opts;
    char id[64];
    whet_task *task;
    whet_device_handle device;
    whet_card_lock lock; /**< Of the device's card. */
    whet_calibration calibration;
    bool has_calibration;
    whet_clock clock;
    whet_workload workload;
    char workload_text[256];
    whet_judge *judge;
    whet_ledger *ledger;
    whet_candidate *baseline;
    whet_arm *baseline_arm;
    whet_source sources[WHET_TEMPLATE_MAX];
    unsigned source_count;
    json_t *started; /**< Data of the run_started event (resumed runs). */
    bool is_resumed;
    bool has_written; /**< This process appended an event. */
    json_t *memo;     /**< "KIND:HASH:RUNG" -> data of committed events. */
    whet_trial *trials;
    size_t trial_count, trial_alloc;
    whet_incumbent incumbent;
    bool has_control;    /**< This process made the A/A control. */
    bool has_fallen;     /**< A trial failed after its first screening. */
    int champion;        /**< Trial, or -1. */
    uint64_t start_ns;   /**< Of this process's part. */
    uint64_t earlier_ns; /**< Wall time of parts before a resume. */
    whet_run_result *result;
} whet_run;

/* --- loop.c ----------------------------------------------------------------
 */

/** Close all that a run holds, but for the run itself and its result. */
void whet_search__close(whet_run *run);

/** Open the run's judge. */
whet_status whet_search__open_judge(whet_run *run, whet_err *err);

/* --- task_files.c --------------------------------------------------------- */

/** Can a task file of this name be kept in a ledger and be rebuilt from it?
 *  Plain names, one folder deep. */
bool whet_search__is_plain_name(const char *name);

/* --- record.c: the ledger side -------------------------------------------- */

/** Find, or read from the ledger, everything that defines the run, and open
 *  its judge. A new run's ledger is made last, when nothing else can keep the
 *  run from starting. */
whet_status whet_search__begin(whet_run *run, whet_err *err);
whet_status whet_search__reopen(whet_run *run, whet_err *err);

/** Result of an earlier event, borrowed, or NULL. */
const json_t *whet_search__recall(const whet_run *run, const char *kind,
                                  const char *hash, unsigned rung);

/** Append an event and remember it. Takes over `data`. */
whet_status whet_search__record(whet_run *run, const char *kind,
                                const char *hash, unsigned rung, json_t *data,
                                whet_err *err);

/** Append the "candidate" event of a trial unless it is there. */
whet_status whet_search__record_candidate(whet_run *run,
                                          const whet_trial *trial,
                                          whet_err *err);

/* --- evaluate.c: screening and confirming --------------------------------- */

/** Build the baseline's arm unless it is there.
 *  @return WHET_EINVAL if it is refused */
whet_status whet_search__need_baseline(whet_run *run, whet_err *err);

/** Has the run used up its budget? */
bool whet_search__is_spent(const whet_run *run);

/** Screen a trial at a rung (0 first) against the incumbent; may make it the
 *  incumbent. */
whet_status whet_search__screen(whet_run *run, int trial, unsigned rung,
                                whet_err *err);

/** Confirm against the baseline; sets run->champion on a gain. */
whet_status whet_search__confirm(whet_run *run, int trial, whet_err *err);

/** Does the trial's time reach 95 % of the limit? */
bool whet_search__is_at_limit(const whet_run *run, int trial);

/* --- tune.c: which points ------------------------------------------------- */

/** First feasible points of every source, sampled without replacement and
 *  dealt in turn over the sources. Indices of new trials into `out`. */
whet_status whet_search__sample(int *out, size_t *count_out, size_t max,
                                whet_run *run, whet_err *err);

/** Untried feasible points that differ from a trial in one tunable by one
 *  step of its domain. */
whet_status whet_search__neighbours(int *out, size_t *count_out, size_t max,
                                    whet_run *run, int trial, whet_err *err);

#endif /* WHET_SEARCH_RUN_PRIV_H */
