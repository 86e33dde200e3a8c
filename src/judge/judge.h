#ifndef WHET_JUDGE_H
#define WHET_JUDGE_H

/* The judge: decides whether a candidate computes what its task asks, in every
 * timed call, and how fast it is against a reference arm.
 *
 * Processes of a live judgement (docs/judging.md tells the whole story):
 *   supervisor  this process: holds keys, reads the clock, decides
 *   build child compiles in a sandbox (toolchain room)
 *   worker      one per arm, disposable; on a native device it counts as
 *               hostile: sandboxed, unprivileged, frozen outside its calls
 *   verifier    trusted: draws the inputs, writes them into the frozen worker,
 *               seals its outputs, recomputes the reference, checks each
 *               element
 * They exchange fixed-size records over inherited socket pairs. On a replay
 * device the same protocol runs over stored or scripted calls. */

#include "base/base.h"
#include "candidate/candidate.h"
#include "device/device.h"
#include "task/task.h"
#include "toolchain/toolchain.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a candidate. */
typedef enum whet_outcome {
    WHET_OUTCOME_BUILD = 0, /**< Rejected at build. */
    WHET_OUTCOME_WRONG,     /**< An output element misses its bound. */
    WHET_OUTCOME_INTEGRITY, /**< It touched what is not its own, died, or
                                 reported an impossible time. */
    WHET_OUTCOME_RESOURCE,  /**< It asks for more than there is, or does not
                                 end in time. */
    WHET_OUTCOME_CORRECT    /**< Every call verified. */
} whet_outcome;

/** Why, within the outcome. Names are stable ("unwritten", "guard", ...). */
typedef enum whet_reason {
    WHET_REASON_NONE = 0,
    /* build */
    WHET_REASON_COMPILE,       /**< The compiler refused the source. */
    WHET_REASON_BUILD_TIMEOUT, /**< The build outran its deadline. */
    WHET_REASON_BUILD_CRASH,   /**< The compiler died. */
    WHET_REASON_BUILD_LIMIT,   /**< Image or output over a limit. */
    WHET_REASON_NO_KERNEL,     /**< The plan names a kernel the image lacks. */
    WHET_REASON_ARGUMENTS,     /**< Count or type of arguments differs. */
    WHET_REASON_NOT_RECORDED,  /**< The replayed recording lacks it. */
    /* wrong */
    WHET_REASON_MISMATCH,   /**< Error beyond the bound. */
    WHET_REASON_UNWRITTEN,  /**< Poison was left in the output. */
    WHET_REASON_NOT_FINITE, /**< NaN or infinity where the reference is
                                 finite. */
    /* integrity */
    WHET_REASON_GUARD,       /**< Wrote outside a buffer. */
    WHET_REASON_INPUT,       /**< Modified an input. */
    WHET_REASON_BELOW_FLOOR, /**< Faster than the device can be. */
    WHET_REASON_CRASH,       /**< Its worker died. */
    WHET_REASON_PROTOCOL,    /**< Its worker broke the protocol. */
    /* resource */
    WHET_REASON_CONSTRAINT,   /**< Its own constraint is false here. */
    WHET_REASON_PLAN_LIMIT,   /**< The plan exceeds a device limit. */
    WHET_REASON_CALL_TIMEOUT, /**< A call outran its deadline. */
    WHET_REASON_LAUNCH,       /**< The driver refused the launch. */
    WHET_REASON_COUNT
} whet_reason;

/** "build", "wrong", "integrity", "resource", "correct". */
const char *whet_outcome_name(whet_outcome outcome);
/** Stable lower-case word for a reason, "none" for WHET_REASON_NONE. */
const char *whet_reason_name(whet_reason reason);
/** Outcome that a reason belongs to. */
whet_outcome whet_reason_outcome(whet_reason reason);
/** Reason by name; WHET_REASON_COUNT if unknown. */
whet_reason whet_reason_find(const char *name);

/** How much is measured. Fixed before the candidate is loaded. */
typedef struct whet_protocol {
    char name[16];                /**< "screen", "confirm", "judge". */
    unsigned blocks;              /**< ABBA blocks. */
    unsigned pairs_per_block;     /**< Candidate calls per block. */
    unsigned generations;         /**< Pairs of workers, one after the other:
                                       the last one for half of the blocks;
                                       0 or 1 = one pair, kept. */
    unsigned warmup_calls;        /**< Verified, not timed, after each start. */
    unsigned hidden_shapes;       /**< Edge workloads verified, not timed. */
    bool is_watched;              /**< Blocks may be void: the machine is asked
                                       between them; controls are told of. */
    bool public_shapes;           /**< Also verify the other public workloads
                                       (those up to 4x the timed one's cost). */
    uint64_t reference_budget_ns; /**< Time for reference calls; if they would
                                       take longer, fewer of them are made (at
                                       least 1 a block, decided from the
                                       warm-up call). */
    bool is_brief;     /**< Products from 2^26 operations on are checked by
                            projections, not only those from 2^33 on. */
    double drop_ratio; /**< After each block give up if the ratio so far is
                            below this (screening only); 0 = never. */
    double min_gain;   /**< Least gain that counts, 0.01 = 1 %. */
    unsigned tried;    /**< Candidates among which this one was chosen; 0 or
                            1 = it is the only one. */
} whet_protocol;

/** Few pairs against the current champion. */
whet_protocol whet_protocol_screen(unsigned pairs);
/** Full protocol: `calls` verified candidate calls (300), 12 blocks, and from
 *  6 blocks on 4 generations of workers. */
whet_protocol whet_protocol_confirm(unsigned calls);

/** Timing alone, no other shapes: for controls and comparisons. */
whet_protocol whet_protocol_timing(const char *name, unsigned blocks,
                                   unsigned pairs);

/** Generation of workers that a block belongs to, from 0: the last one has
 *  half of the blocks, so that a fault that needs many calls of one process
 *  has time to show, the others share the rest. */
unsigned whet_protocol_generation(const whet_protocol *protocol,
                                  unsigned block);

/** Spread of one arm's timed calls, nanoseconds; 0 calls = unknown. */
typedef struct whet_timing {
    uint32_t call_count;
    uint64_t total_ns;
    uint64_t median_ns;
    uint64_t p5_ns;
    uint64_t p95_ns;
    uint64_t *call_ns;     /**< Every timed call in order; owned. */
    uint32_t *block_index; /**< Block of each call; owned. */
} whet_timing;

/** Where the wall time of a judgement went, nanoseconds. */
typedef struct whet_spend {
    uint64_t wall_ns;
    uint64_t build_ns;
    uint64_t device_ns; /**< Calls of both arms, timed or not. */
    uint64_t verify_ns; /**< Filling, copying, sealing, checking. */
    uint64_t start_ns;  /**< Starting workers. */
} whet_spend;

/** What the compiler made of one kernel of the plan; 0 = unknown, but for
 *  spills and private bytes, which are known if the registers are. */
typedef struct whet_verdict_kernel {
    char name[WHET_KERNEL_NAME_BYTES];
    uint64_t register_count;    /**< Vector registers per work-item. */
    uint64_t accumulator_count; /**< Matrix accumulators beside them. */
    uint64_t spill_bytes;
    uint64_t private_bytes; /**< Per work-item: stack, scratch. */
    uint64_t lds_bytes;     /**< Static and dynamic, per group. */
    uint64_t group_items;   /**< Work-items of a group, as launched. */
    whet_occupancy occupancy;
} whet_verdict_kernel;

enum { WHET_RULE_MAX = 16 };

/** A rule of the protocol that fired in a judgement: a block that does not
 *  count, a gain that does not, a departure from the usual way. */
typedef struct whet_verdict_rule {
    char name[24];  /**< Stable lower-case word, see docs/judging.md. */
    uint32_t count; /**< How often. */
    char text[120]; /**< Of the first time: one escaped line, or "". */
} whet_verdict_rule;

enum { WHET_LIBRARY_MAX = 4 };

/** A vendor's library timed beside a kernel, by the same verified calls. */
typedef struct whet_verdict_library {
    char name[24];      /**< "cublas" */
    bool is_correct;    /**< Its results passed the same checks. */
    char text[160];     /**< Why there is no time: absent, wrong. Escaped. */
    uint64_t median_ns; /**< 0 = no time. */
    uint32_t call_count;
    /** Time of the library / time of the kernel, above 1 = the kernel is
     *  faster, and its 95 % interval. */
    double ratio, ratio_lo, ratio_hi;
} whet_verdict_library;

/** Typed result of a judgement. Freed by whet_verdict_deinit. */
typedef struct whet_verdict {
    whet_outcome outcome;
    whet_reason reason;
    char message[512]; /**< One escaped line; never holds hidden inputs,
                            expected values, indices or keys. */
    char protocol[16];
    char task[WHET_NAME_BYTES];
    char workload[256];
    char point[256];
    whet_hash task_hash, candidate, reference, image;
    char toolchain[256];
    whet_device_facts device;
    whet_evidence evidence;
    uint32_t verified_calls;   /**< Candidate calls checked, all shapes. */
    uint32_t shapes_verified;  /**< Hidden and other public shapes checked. */
    uint32_t shapes_uncovered; /**< Of these shapes, those that the candidate's
                                    own constraints exclude. */
    double worst_error;        /**< In units of the bound; NaN = unknown. */
    bool has_ratio;
    double ratio;    /**< Reference time / candidate time. */
    double ratio_lo; /**< 95 % interval of the ratio. */
    double ratio_hi;
    double ratio_error; /**< Standard error of the log ratio; NaN = unknown. */
    uint32_t tried;     /**< Candidates among which it was chosen, which its
                             gain is corrected for; 0 = one. */
    unsigned block_count;
    double total_ratio; /**< Mean reference time / mean candidate time: what a
                             kernel that is fast only half of the time cannot
                             hide. */
    bool is_gain;       /**< ratio_lo and total_ratio > 1 + max(min_gain, 3 A/A
                          errors), and no rule that forbids it fired. */
    double aa_error;    /**< Standard error of the session's A/A; NaN = none. */
    whet_timing candidate_time, reference_time;
    uint64_t limit_ns; /**< From calibration; 0 = unknown. */
    uint64_t floor_ns;
    uint64_t launch_ns; /**< Empty call, part of every time; 0 = unknown. */
    whet_spend spend;
    bool is_unsafe; /**< Judged without a sandbox: never a champion. */
    /** One for each kernel that the plan launches and the image tells of, by
     *  its first launch on the timed workload. */
    whet_verdict_kernel kernels[WHET_LAUNCH_MAX];
    uint32_t kernel_count;
    /** By whet_judge_libraries. */
    whet_verdict_library libraries[WHET_LIBRARY_MAX];
    uint32_t library_count;
    whet_verdict_rule rules[WHET_RULE_MAX];
    uint32_t rule_count;
    whet_diagnostic diagnostic; /**< Of a refused build. */
} whet_verdict;

/** Release arrays and reset to zero. */
void whet_verdict_deinit(whet_verdict *verdict);

/** Has a rule of this name fired? */
bool whet_verdict_has_rule(const whet_verdict *verdict, const char *name);

/** What counts as the result: `ratio`, and where the times fall into two
 *  clusters (rule "bimodal") the smaller of `ratio` and `total_ratio`. */
double whet_verdict_score(const whet_verdict *verdict);

/** limit / median, or NaN if either is unknown. */
double whet_verdict_share_of_limit(const whet_verdict *verdict);

/** JSON object (schema in docs/judging.md), with raw timings. NULL on out of
 *  memory. */
json_t *whet_verdict_to_json(const whet_verdict *verdict);

/** Read back. WHET_EINVAL on anything missing or out of range. */
whet_status whet_verdict_from_json(whet_verdict *out, const json_t *json,
                                   whet_err *err);

/** Text for people, several lines of at most 100 columns. */
void whet_verdict_print(whet_buf *out, const whet_verdict *verdict);

/** A judging session: one task and workload on one device. One thread. */
typedef struct whet_judge whet_judge;

typedef struct whet_judge_opts {
    const whet_device_handle *device;    /**< Borrowed. */
    const whet_task *task;               /**< Borrowed. */
    whet_workload workload;              /**< Timed workload. */
    const whet_calibration *calibration; /**< May be NULL. */
    whet_log log;
    uint64_t build_timeout_ns; /**< 0 = 120 s. */
    uint64_t call_timeout_ns;  /**< 0 = from the reference: 20 times its call,
                                    within [5 s, 120 s]. */
    bool is_unsafe;            /**< Judge native code without a sandbox. */
    /** Words of a command that workers are started under, a sanitizer or a
     *  profiler, space-separated; NULL = none. Only where workers are trusted.
     *  Times say nothing about the kernel then, so nothing is a gain. */
    const char *under;
    /** Folder that remembers which candidates failed (failures.c); NULL =
     *  neither read nor written. */
    const char *failures;
    bool is_again; /**< Judge what failed before all the same. */
    /** Set from a signal handler to stop at the next call; may be NULL. */
    const volatile int *cancel;
} whet_judge_opts;

/**
 * Start a session: compiles the reference, forks the verifier.
 *
 * @return WHET_EUNSUPPORTED: no sandbox for a native device and not
 *         is_unsafe, no toolchain, no compiler for the reference
 */
whet_status whet_judge_open(whet_judge **out, const whet_judge_opts *opts,
                            whet_err *err);

/** End the session and all its processes. NULL is fine. */
void whet_judge_close(whet_judge *judge);

/** One candidate at a point, built and bound, ready to be run. */
typedef struct whet_arm whet_arm;

/**
 * Build and bind an arm. Its workers start when it is first compared.
 *
 * @param out      NULL if the candidate was refused; then `refusal` tells the
 *                 outcome (build or resource, or that of a remembered failure)
 *                 and WHET_OK is returned
 * @param refusal  filled in either case with what is known so far; caller
 *                 deinits
 * @param candidate  borrowed until the arm is closed
 */
whet_status whet_arm_open(whet_arm **out, whet_verdict *refusal,
                          whet_judge *judge, const whet_candidate *candidate,
                          const whet_point *point, whet_err *err);

/** As whet_arm_open, for an arm that others are compared with: what failed
 *  before (opts.failures) is not asked. */
whet_status whet_arm_open_reference(whet_arm **out, whet_verdict *refusal,
                                    whet_judge *judge,
                                    const whet_candidate *candidate,
                                    const whet_point *point, whet_err *err);

/** Stop its worker and free it. NULL is fine. */
void whet_arm_close(whet_arm *arm);

/** Stop the arm's worker (it starts again when needed): frees its memory. */
void whet_arm_park(whet_arm *arm);

/**
 * Compare a candidate with a reference arm by a protocol.
 *
 * @param out  the verdict on `candidate`; caller deinits, also after failure
 * @return WHET_OK with a verdict; WHET_EFAIL if the *reference* arm fails
 *         (its verdict as the message) or the session broke;
 *         WHET_ECANCELLED
 */
whet_status whet_judge_compare(whet_verdict *out, whet_judge *judge,
                               whet_arm *reference, whet_arm *candidate,
                               const whet_protocol *protocol, whet_err *err);

/**
 * Time the device's vendor libraries beside an arm, where the task is one of
 * their operations (a plain f32 product) and the device is live; else nothing
 * is done. Their times are for comparison only and never decide a verdict.
 *
 * @param verdict  of the arm; its `libraries` are filled
 * @return WHET_OK also where a library is absent or wrong (its text says so);
 *         else as whet_judge_compare
 */
whet_status whet_judge_libraries(whet_verdict *verdict, whet_judge *judge,
                                 whet_arm *arm, whet_err *err);

/**
 * A/A control: the arm against a second worker of itself. Its standard error
 * (of the log ratio) enters every later verdict of the session.
 *
 * @param ratio_out, lo_out, hi_out  may be NULL
 */
whet_status whet_judge_aa(double *ratio_out, double *lo_out, double *hi_out,
                          whet_judge *judge, whet_arm *arm, unsigned blocks,
                          unsigned pairs, whet_err *err);

/**
 * Measure a live device: bandwidths, multiply-add rates of the units that its
 * architecture's record lists, and the time of an empty call, each by the
 * fastest call over the points of a trusted kernel (calibration/ of the data
 * folder), every call verified. Takes about a minute. Kernels without which a
 * calibration still makes sense are told of and left out if they fail.
 *
 * @param cancel  as in whet_judge_opts
 * @return WHET_EUNSUPPORTED on a replay device, or as whet_judge_open
 */
whet_status whet_judge_calibrate(whet_calibration *out,
                                 const whet_device_handle *device,
                                 const whet_log *log, bool is_unsafe,
                                 const volatile int *cancel, whet_err *err);

/** Fastest timed call of the arm so far, 0 if it was never timed. */
uint64_t whet_arm_best_ns(const whet_arm *arm);

/** Body of the worker process (`whet __worker`). Exit status. */
int whet_worker_main(int argc, char **argv);

/* --- statistics: pure functions ------------------------------------------ */

/** Median of `count` > 0 values (mean of the middle two). Reorders them. */
double whet_stat_median(double *values, size_t count);

/** Quantile q in [0, 1] with linear interpolation. Reorders. */
double whet_stat_quantile(double *values, size_t count, double q);

/** Two-sided 95 % factor of Student's t for `df` degrees of freedom (within
 *  0.1 % of the exact value); infinity for 0. */
double whet_stat_t95(unsigned df);

/** The z that a standard normal value exceeds with chance `p`, 0 < p <= 0.5:
 *  1.96 for 0.025. */
double whet_stat_z(double p);

/** Estimate from grouped values. */
typedef struct whet_stat_estimate {
    double mean;
    double error; /**< Standard error; infinity for a single value. */
    double half;  /**< Half of the 95 % interval. */
} whet_stat_estimate;

/**
 * Mean and 95 % interval of values that come in groups, here log ratios of
 * blocks in generations of workers. Two processes with the same code may differ
 * for as long as they live, so values of one group are not independent.
 *
 * The mean is that of the groups' means. Its error is the larger of two: the
 * spread of the groups' means, with one degree of freedom less than groups, and
 * what the spread within groups alone would give; the interval likewise.
 *
 * @param group  of each value, ascending from 0; NULL = each value is a group
 */
whet_stat_estimate whet_stat_grouped(const double *values,
                                     const unsigned *group, size_t count);

/**
 * Do the values, all above 0, fall into two clusters? True if at least 20 of
 * them split so that each part has a tenth of the values, the parts' means
 * differ by 5 %, and the split explains 85 % of the variance of the logarithms
 * (the best split of a normal distribution explains 2 / pi = 64 % of it, that
 * of a uniform one 75 %). Reorders them.
 */
bool whet_stat_is_bimodal(double *values, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* WHET_JUDGE_H */
