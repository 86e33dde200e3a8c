#ifndef WHET_SEARCH_H
#define WHET_SEARCH_H

/* The search: moves, budget, and the loop that proposes, screens, confirms
 * and records. No model is needed. Moves: `skill` (a template of a skill that
 * applies) and `tune` (another point of a candidate's tunables), by successive
 * halving with early drop. State is a fold over the ledger, so a run that was
 * killed continues where its last committed event left it. */

#include "agent/agent.h"
#include "base/base.h"
#include "candidate/candidate.h"
#include "device/device.h"
#include "judge/judge.h"
#include "ledger/ledger.h"
#include "task/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a run may spend; 0 = no cap. */
typedef struct whet_budget {
    uint32_t evaluations; /**< Candidates built or screened. */
    uint64_t wall_ns;
} whet_budget;

typedef struct whet_run_opts {
    const char *task;     /**< Folder or shipped name. */
    const char *device;   /**< whet_device_open text; NULL = auto. */
    whet_pick_opts pick;  /**< Card for a device text that names none. */
    const char *workload; /**< NULL = the task's primary. */
    const char *baseline; /**< File; NULL = the task's for the toolchain. */
    const char *skills;   /**< Folder; NULL = shipped. */
    const char *ledger;   /**< Path; created or, for resume, existing. */
    uint64_t seed;
    whet_budget budget;
    unsigned confirm_calls; /**< Verified calls of a confirmation; 0 = 300. */
    bool is_unsafe;
    const char *failures; /**< As in whet_judge_opts. */
    bool is_again;        /**< As in whet_judge_opts. */
    whet_log log;
    const volatile int *cancel; /**< As in whet_judge_opts. */
} whet_run_opts;

/** Why a run ended. */
typedef enum whet_stop {
    WHET_STOP_DONE = 0, /**< Nothing left to try. */
    WHET_STOP_BUDGET,
    WHET_STOP_LIMIT, /**< 95 % of the limit reached. */
    WHET_STOP_CANCELLED
} whet_stop;

/** "done", "budget", "limit", "cancelled". */
const char *whet_stop_name(whet_stop stop);

/** What a run found. Freed by whet_run_result_deinit. */
typedef struct whet_run_result {
    char run[64];
    whet_stop stop;
    uint32_t evaluated;
    uint32_t refused;    /**< Build refused, wrong, integrity, resource. */
    uint32_t infeasible; /**< Points refused by limits before any build. */
    bool has_champion;
    whet_verdict champion; /**< Confirmed verdict against the baseline. */
    char champion_skill[WHET_NAME_BYTES];
    char champion_point[256];
    uint64_t wall_ns;
} whet_run_result;

/** Release it. */
void whet_run_result_deinit(whet_run_result *result);

/** Start a run. @return as whet_judge_open and whet_ledger_open;
 *  WHET_ECANCELLED only while it waits for a card: a run that was cancelled
 *  later ends with WHET_STOP_CANCELLED. */
whet_status whet_search_run(whet_run_result *out, const whet_run_opts *opts,
                            whet_err *err);

/**
 * Continue the newest run of opts->ledger; task, device, workload, seed and
 * budget come from the ledger (fields set in opts override the budget only).
 * A run that had ended is reported as it is.
 */
whet_status whet_search_resume(whet_run_result *out, const whet_run_opts *opts,
                               whet_err *err);

/**
 * Load the kernel that others are compared with.
 *
 * @param out   caller frees
 * @param path  NULL = the task's own baseline for the device's language
 * @return WHET_EINVAL if the task has none; as whet_candidate_load
 */
whet_status whet_search_baseline(whet_candidate **out, const whet_task *task,
                                 const whet_device_handle *device,
                                 const char *path, whet_err *err);

/**
 * Parse a source that a ledger keeps.
 *
 * @param out    caller frees
 * @param entry  object with "language" and "source" (blob), as in candidate
 *               events
 * @return WHET_EINVAL, WHET_ENOTFOUND (no such blob)
 */
whet_status whet_search_source(whet_candidate **out, whet_ledger *ledger,
                               const whet_task *task, const json_t *entry,
                               whet_err *err);

/**
 * The newest run of a ledger as a recording that the recorded device replays
 * (see device): every candidate's build and calls.
 *
 * @param out  caller json_decref's
 */
whet_status whet_search_recording(json_t **out, whet_ledger *ledger,
                                  whet_err *err);

/**
 * Rebuild the task folder of a run from its ledger, in the cache folder.
 *
 * @param dir_out  caller frees
 * @param started  data of the run's "run_started" event
 * @return WHET_EINVAL if the ledger's list of files is unusable
 */
whet_status whet_search_task_dir(char **dir_out, whet_ledger *ledger,
                                 const json_t *started, whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_SEARCH_H */
