#ifndef WHET_JUDGE_VERIFIER_H
#define WHET_JUDGE_VERIFIER_H

/* Private to the judge: the trusted process that draws inputs, writes them
 * into frozen workers, seals outputs and checks them.
 *
 * It is forked from the supervisor, so it has the task and the reference
 * already. It shares no memory with a hostile worker and reads one only while
 * that is frozen, through process_vm_readv; with a trusted one it shares that
 * arm's stage (stage.c). */

#include "judge/wire.h"

#include <sys/types.h>

enum { WHET_ARM_COUNT = 2 };

typedef enum whet_verify_type {
    WHET_VERIFY_SHAPE = 1, /**< Use `workload` from now on. */
    WHET_VERIFY_ATTACH,    /**< Arm `arm` lives at pid, base, layout; or, if
                                `stage_fd` is not 0, in that file, which has
                                the slot of the call at hand only. */
    WHET_VERIFY_FILL,      /**< Write inputs of `key`, poison and guards into
                                slot `slot` of arm `arm`; if the slot was
                                filled before, its guards are checked first:
                                later calls may have strayed there. (Not on a
                                stage: see WHET_VERIFY_GUARDS.) */
    WHET_VERIFY_SEAL,      /**< Copy the outputs of that slot, or on a stage
                                leave them there; check guards and inputs. */
    WHET_VERIFY_CHECK,     /**< Check the sealed outputs of the arms in
                                `arm_mask` against the reference. */
    WHET_VERIFY_GUARDS     /**< Check the guards of slot `slot`, filled earlier,
                                which was brought back to the stage. */
} whet_verify_type;

/** Request to the verifier. */
typedef struct whet_verify_request {
    uint32_t type;
    uint32_t arm;
    uint32_t slot;
    uint32_t arm_mask;
    int32_t stage_fd;  /**< As inherited when the verifier was forked. */
    uint32_t is_brief; /**< Of SHAPE: products are checked by projections from
                            2^26 operations on, not 2^33. */
    whet_key key;
    int64_t pid;
    uint64_t base;
    whet_workload workload;
    whet_layout layout;
} whet_verify_request;

/** What it found for one arm. */
typedef struct whet_verify_finding {
    uint32_t reason; /**< whet_reason; NONE = all well. */
    uint32_t pad;
    double worst; /**< Largest error in units of the bound. */
} whet_verify_finding;

/** Answer to every request. */
typedef struct whet_verify_answer {
    int32_t status; /**< whet_status of the verifier itself. */
    uint32_t pad;
    whet_verify_finding arm[WHET_ARM_COUNT];
    char text[256];
} whet_verify_answer;

/** The supervisor's side. */
typedef struct whet_verifier {
    pid_t pid;
    int fd;
    uint64_t spent_ns; /**< Time in requests so far. */
} whet_verifier;

/** Fork it. The calling process must be single-threaded. */
whet_status whet_judge__verifier_start(whet_verifier *out,
                                       const whet_task *task,
                                       const whet_reference *reference,
                                       whet_err *err);

/** End it. Harmless if it never started. */
void whet_judge__verifier_stop(whet_verifier *verifier);

/** One request and its answer. WHET_EFAIL if the verifier failed or died. */
whet_status whet_judge__verifier_ask(whet_verify_answer *answer,
                                     whet_verifier *verifier,
                                     const whet_verify_request *request,
                                     whet_err *err);

/** Body of the forked process; returns its exit status. */
int whet_judge__verifier_serve(int fd, const whet_task *task,
                               const whet_reference *reference);

/* --- pieces of the work, apart for tests --------------------------------- */

/** Poison for a buffer: one NaN word (of its dtype) of key and buffer, over
 *  and over. `dst` is a multiple of 4 bytes into the buffer. */
void whet_judge__poison(void *dst, uint64_t bytes, uint32_t dtype,
                        const whet_key *key, uint32_t buffer);

/** Guard content: words that depend on key, zone and place. `first` is the
 *  byte offset of dst in the zone, a multiple of 8; `zone` tells apart the
 *  guards of a slot. */
void whet_judge__guard(void *dst, uint64_t bytes, const whet_key *key,
                       uint32_t zone, uint64_t first);

/** Tally of compared elements. */
typedef struct whet_tally {
    uint64_t bad_count;       /**< Beyond the bound, in all. */
    uint64_t unwritten_count; /**< Of these: poison. */
    uint64_t not_finite_count;
    double worst; /**< Largest error / bound among finite elements. */
} whet_tally;

/**
 * Compare one row of an output with the reference.
 *
 * @param got     row_elements stored elements
 * @param poison  what they were before the call (same size)
 */
void whet_judge__compare_row(whet_tally *tally, whet_dtype dtype,
                             const void *got, const void *poison,
                             const double *value, const double *scale,
                             uint64_t row_elements, double factor,
                             double floor);

/** Add one tally to another. */
void whet_judge__tally_add(whet_tally *into, const whet_tally *from);

/** Reason that a tally amounts to. */
whet_reason whet_judge__tally_reason(const whet_tally *tally);

#endif /* WHET_JUDGE_VERIFIER_H */
