#ifndef WHET_JUDGE_PRIV_H
#define WHET_JUDGE_PRIV_H

/* Private to the judge: sessions, arms and their workers. */

#include "judge/verifier.h"
#include "judge/wire.h"

/** A worker process as the supervisor sees it. All zero = not running. */
typedef struct whet_worker {
    whet_process process; /**< bubblewrap, or the worker itself. */
    pid_t pid;            /**< The worker as seen from here. */
    int fd;               /**< Socket; valid while is_running. */
    bool is_running;
    bool is_frozen;
    const whet_log *tool_log; /**< Set if it runs under a tool. */
    uint64_t base;
    whet_layout layout;
    uint32_t next_slot;
    unsigned stage;       /**< Number of its stage, if the device needs one. */
    uint32_t filled_mask; /**< Slots that a call of it has used ... */
    uint32_t last_slot;   /**< ... the latest of them; kept with a stage. */
} whet_worker;

struct whet_arm {
    whet_judge *judge;
    const whet_candidate *candidate;
    whet_point point;
    char point_text[256];
    whet_hash hash;
    whet_image image;
    whet_bound_plan plan;      /**< For the session's workload. */
    whet_library_call library; /**< Runs in the plan's place if op is not 0. */
    whet_worker worker;
    uint64_t median_ns;
    uint64_t best_ns;      /**< Fastest timed call so far, 0 = none. */
    uint64_t replay_calls; /**< Calls so far on the session's workload. */
};

/** The machine at one moment, as far as others than the candidate tell; NaN =
 *  unknown, which is no evidence. */
typedef struct whet_machine {
    uint64_t now_ns;       /**< By the supervisor's clock. */
    double throttle_count; /**< Throttle events of processors so far. */
    double throttled_ns;   /**< Time that the card has been held back so far. */
    double slowdown;       /**< 1 = the card is held back right now, 0 = not. */
    double ecc_count;      /**< Memory errors of the card so far. */
    double clock_mhz;      /**< Of the card, unless it was idle. */
    double foreign_count;  /**< Processes on the card that are not ours. */
    double busy_ticks, own_ticks, all_ticks; /**< Processors' time. */
} whet_machine;

struct whet_judge {
    whet_judge_opts opts;
    const whet_task *task;
    const whet_device_ops *ops;
    const whet_toolchain_ops *toolchain; /**< NULL on replay devices. */
    char identity[256];
    char workload_text[256];
    whet_sandbox_facts sandbox;
    whet_reference *reference;
    whet_verifier verifier;
    whet_clock clock;
    double aa_error; /**< NaN until measured. */
    bool is_brief;   /**< Of the protocol at hand. */
    uint64_t floor_ns, limit_ns;
    uint64_t call_timeout_ns;
    uint64_t device_ns, start_ns; /**< Spent so far. */
    uint64_t copy_ns;             /**< Copying to and from the device. */
    int stage_fd[WHET_ARM_COUNT]; /**< 0 = none. */
    uint64_t stage_bytes[WHET_ARM_COUNT];
    uint64_t order_step; /**< Blocks so far: keys the coin. */
    bool has_no_op;      /**< The no-op control was held in this session. */
    /** Look at the machine; NULL = there is nothing to look at.
     *  @param own  processes of this judgement besides this one, 0-terminated
     */
    void (*look)(whet_machine *out, const whet_judge *judge, const pid_t *own);
    int failures_fd;      /**< Folder of opts.failures; 0 = none. */
    bool has_open_builds; /**< There is no sandbox to compile in. */
};

/** Outcome of one call of one arm. */
typedef struct whet_call {
    whet_reason reason;
    uint64_t elapsed_ns;
    uint64_t overhead_ns; /**< The request took so much longer than the time
                               that the device gives; 0 = not known. */
    double worst;
    char text[232]; /**< Escaped detail of a failure, "" else. */
} whet_call;

/* --- session.c ------------------------------------------------------------ */

/** What follows from judge->sandbox: has_open_builds, with a warning.
 *  @return WHET_EUNSUPPORTED without a sandbox on a native device, unless
 *          is_unsafe */
whet_status whet_judge__need_sandbox(whet_judge *judge, whet_err *err);

/* --- arm.c ---------------------------------------------------------------- */

/** A build request and what it points to: not to be copied. */
typedef struct whet_judge_request {
    char text[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32];
    const char *defines[WHET_TUNABLE_MAX + 1];
    whet_build_request build;
} whet_judge_request;

/** The request that an arm of a live device is built by. */
void whet_judge__request(whet_judge_request *out, const whet_arm *arm);

/* --- machine.c ------------------------------------------------------------ */

/** Look at this machine, for whet_judge.look. */
void whet_judge__look(whet_machine *out, const whet_judge *judge,
                      const pid_t *own);

/* --- worker_client.c ------------------------------------------------------ */

/**
 * Begin to start a worker for an image and plan; several may start side by
 * side.
 *
 * @param blame  its reason is set if the plan asks for more memory than there
 *               is (WHET_OK returned); nothing was started then
 * @param index  arm that it will be attached as: whose stage it maps
 */
whet_status whet_judge__worker_begin(whet_worker *out, whet_call *blame,
                                     whet_judge *judge, unsigned index,
                                     const whet_image *image,
                                     const whet_bound_plan *plan,
                                     const whet_library_call *library,
                                     whet_err *err);

/**
 * Wait until a begun worker is ready; on a native device it ends frozen.
 *
 * @param blame  its reason is set when the candidate is to blame (WHET_OK
 *               returned): launch, crash, call-timeout, plan-limit; the worker
 *               is stopped then
 * @return other statuses: this machine is to blame
 */
whet_status whet_judge__worker_ready(whet_worker *worker, whet_call *blame,
                                     whet_judge *judge, whet_err *err);

/** Both in turn. */
whet_status whet_judge__worker_start(whet_worker *out, whet_call *blame,
                                     whet_judge *judge, unsigned index,
                                     const whet_image *image,
                                     const whet_bound_plan *plan,
                                     const whet_library_call *library,
                                     whet_err *err);

/** Kill it. Harmless if it is not running. */
void whet_judge__worker_stop(whet_worker *worker);

/** Run the plan of `slot` on a native device: from the hand-over to the
 *  freeze, by the supervisor's clock. */
void whet_judge__worker_call(whet_call *out, whet_judge *judge,
                             whet_worker *worker, uint32_t slot);

/** Set the reason of a call whose answer is no WHET_WIRE_DONE.
 *  @param st  of receiving `record` */
void whet_judge__classify(whet_call *out, whet_status st,
                          const whet_wire *record);

/* --- worker_env.c --------------------------------------------------------- */

/** Environment of a worker: what the back-end asks for and, where a driver
 *  runs that is configured by it, what the user set for the driver.
 *  NULL-terminated; caller frees with whet_judge__worker_env_free. */
whet_status whet_judge__worker_env(char ***out, const whet_judge *judge,
                                   whet_err *err);

/** Free it. NULL is fine. */
void whet_judge__worker_env_free(char **env);

/* --- stage.c: devices with memory of their own ---------------------------- */

/** Has this session's device memory of its own? */
bool whet_judge__has_stage(const whet_judge *judge);

/** Such a device that only one process at a time may have a context on. */
bool whet_judge__is_exclusive(const whet_judge *judge);

/** Device memory that one worker may take, 0 = not known: half of it, and
 *  where a driver needs some for each context, a third. */
uint64_t whet_judge__room_bytes(const whet_judge *judge);

/** Foreign bytes to run through the caches before each call: twice the
 *  last-level cache, or 256 MiB where its size is unknown; 0 on a native
 *  device. */
uint64_t whet_judge__flush_bytes(const whet_judge *judge);

/** Make the session's stages if its device needs them; before the verifier is
 *  forked, which inherits the descriptors. */
whet_status whet_judge__stages_open(whet_judge *judge, whet_err *err);

/** Close them. */
void whet_judge__stages_close(whet_judge *judge);

/** Make room for `bytes` in stage `index`. */
whet_status whet_judge__stage_reserve(whet_judge *judge, unsigned index,
                                      uint64_t bytes, whet_err *err);

/**
 * Copy the stage to a slot of the device, or back.
 *
 * @param type  WHET_WIRE_UPLOAD, _DOWNLOAD or _GUARDS
 * @param seed  that goes with it
 * @param out  its reason is set if that fails after a call of the candidate
 *             (WHET_OK returned); the worker is stopped then
 * @return WHET_EFAIL if it fails before any
 */
whet_status whet_judge__copy(whet_call *out, whet_judge *judge,
                             whet_worker *worker, uint32_t slot,
                             whet_wire_type type, uint64_t seed, whet_err *err);

/**
 * Run the plan of `slot`; the time is the device's own.
 *
 * @return WHET_EFAIL if that time is 0 or longer than the whole request took
 */
whet_status whet_judge__device_call(whet_call *out, whet_judge *judge,
                                    whet_worker *worker, uint32_t slot,
                                    whet_err *err);

/** Before a worker is stopped in good order: look at the guards of its other
 *  slots, into which later calls may have strayed. Nothing to do on a native
 *  device, where that is seen at each fill. The verifier must still have it
 *  attached as arm `index`. */
whet_status whet_judge__finish(whet_call *out, whet_judge *judge,
                               whet_worker *worker, unsigned index,
                               whet_err *err);

/* --- call.c --------------------------------------------------------------- */

/** Attach a running worker to the verifier as arm 0 or 1. */
whet_status whet_judge__attach(whet_judge *judge, unsigned index,
                               const whet_worker *worker, whet_err *err);

/** Blame a call for guards among another call's buffers if that is `reason`. */
void whet_judge__blame_guard(whet_call *call, whet_reason reason);

/** Fill, call and seal; the check is left to whet_judge__check. */
whet_status whet_judge__call(whet_call *out, whet_judge *judge,
                             whet_worker *worker, unsigned index,
                             const whet_key *key, whet_err *err);

/**
 * The no-op control, once a session: a call of which everything happens but
 * the launch must be found wrong.
 *
 * @param worker  attached as arm 0
 * @return WHET_EFAIL if it is not: then nothing that this judge says counts
 */
whet_status whet_judge__no_op(whet_judge *judge, whet_worker *worker,
                              whet_err *err);

/** Check the sealed outputs of both or one of `calls` (NULL = not called);
 *  an earlier reason is kept. */
whet_status whet_judge__check(whet_judge *judge, whet_call *reference,
                              whet_call *candidate, whet_err *err);

/** Tell the verifier which workload is meant. */
whet_status whet_judge__shape(whet_judge *judge, const whet_workload *workload,
                              whet_err *err);

/** Fresh secret key. */
whet_status whet_judge__key(whet_key *out, whet_judge *judge, whet_err *err);

/** One call of a replay device. */
whet_status whet_judge__replay(whet_call *out, whet_arm *arm,
                               const char *workload, uint64_t call,
                               whet_err *err);

/** WHET_ECANCELLED once the user asked to stop. */
whet_status whet_judge__cancelled(const whet_judge *judge, whet_err *err);

/* --- shapes.c ------------------------------------------------------------- */

/** Verify the candidate on hidden edge shapes and other public shapes as the
 *  protocol asks. Failures are put into the verdict. */
whet_status whet_judge__shapes(whet_verdict *out, whet_arm *arm,
                               const whet_protocol *protocol, whet_err *err);

/* --- resources.c ---------------------------------------------------------- */

/** What the image tells of the kernels that the arm's plan launches. */
void whet_judge__resources(whet_verdict *out, const whet_arm *arm);

/* --- worker_under.c ------------------------------------------------------- */

/**
 * Words of a command, the program's own path and "__worker".
 *
 * @param out  NULL-terminated; freed by whet_judge__worker_env_free
 * @return WHET_EINVAL for no word or too many, WHET_ENOTFOUND if the first is
 *         no program
 */
whet_status whet_judge__under_argv(char ***out, const char *command,
                                   whet_err *err);

/* --- rules.c -------------------------------------------------------------- */

/** A rule fired: count it, by name; `text` is kept of the first time. */
void whet_judge__rule(whet_verdict *out, const char *name, const char *text);

/** A short text member without control characters, of outside JSON. */
whet_status whet_judge__read_word(char *out, size_t bytes, const json_t *json,
                                  const char *key, whet_err *err);

/** "rules" of a verdict as JSON, and back (absent = none). */
json_t *whet_judge__rules_to_json(const whet_verdict *v);
whet_status whet_judge__rules_from_json(whet_verdict *v, const json_t *json,
                                        whet_err *err);

/** A line for each. */
void whet_judge__rules_print(whet_buf *out, const whet_verdict *v);

/* --- failures.c ----------------------------------------------------------- */

/** What a remembered failure is known by. */
typedef enum whet_failure_kind {
    WHET_FAILURE_SOURCE = 0, /**< Source and point. */
    WHET_FAILURE_TEXT,       /**< The same but for its layout. */
    WHET_FAILURE_IMAGE       /**< Machine code. */
} whet_failure_kind;

/** Open the folder of opts.failures, made if need be; with a warning and
 *  without a memory if others could write to it. */
void whet_judge__failures_open(whet_judge *judge);

/** Close it. */
void whet_judge__failures_close(whet_judge *judge);

/** File name of an arm's candidate: a hash over task, device and key.
 *  @param v  gives task and device
 *  @return WHET_ENOTFOUND if the arm has no such key */
whet_status whet_judge__failure_name(whet_hash *out, const whet_verdict *v,
                                     const whet_arm *arm,
                                     whet_failure_kind kind);

/**
 * Read the text of a file of the folder.
 *
 * @param text, text_bytes  gets the message
 * @param day  11 bytes
 * @param key  what the file's name is
 * @return WHET_EINVAL for anything that is not as it was written
 */
whet_status whet_judge__failure_parse(whet_reason *reason, char *text,
                                      size_t text_bytes, char *day,
                                      const char *json_text, size_t bytes,
                                      const char *key, whet_err *err);

/** Set outcome, reason and message, and a rule, if the arm's candidate failed
 *  before and is not to be judged again. */
void whet_judge__failures_ask(whet_verdict *out, const whet_arm *arm,
                              whet_failure_kind kind);

/** Remember a verdict if it is a failure of the candidate alone. */
void whet_judge__failures_keep(const whet_verdict *v, const whet_judge *judge,
                               const whet_arm *reference,
                               const whet_arm *candidate);

/* --- failure_text.c ------------------------------------------------------- */

/** Append a C-like source without its comments and with no more white space
 *  than keeps its tokens and directives apart; the plan stays as it is.
 *  @return WHET_ENOMEM, WHET_EUNSUPPORTED if it begins with no such comment */
whet_status whet_judge__failure_text(whet_buf *out, const char *text,
                                     size_t bytes);

/* --- library.c ------------------------------------------------------------ */

/** "libraries" of a verdict as JSON, and back (absent = none). */
json_t *whet_judge__libraries_to_json(const whet_verdict *v);
whet_status whet_judge__libraries_from_json(whet_verdict *v, const json_t *json,
                                            whet_err *err);

/** A line for each. */
void whet_judge__libraries_print(whet_buf *out, const whet_verdict *v);

/* --- verdict.c ------------------------------------------------------------ */

/** Fill the identity fields of a verdict. */
void whet_judge__verdict_init(whet_verdict *out, const whet_judge *judge,
                              const char *point_text, const whet_hash *hash);

/** Set outcome, reason and message of a failed call. */
void whet_judge__blame(whet_verdict *out, const whet_call *call,
                       const char *where);

#endif /* WHET_JUDGE_PRIV_H */
