#ifndef WHET_DEVICE_H
#define WHET_DEVICE_H

/* Devices: from an image to launches. Each back-end is one const table of ops
 * and one registry row. There are two kinds, told apart by capability bits
 * and never by name:
 *
 * - live devices run images inside a worker process (`worker` group);
 * - replay devices answer calls from a script or a recording (`replay` group)
 *   and supply keys and clock, so that search, judge and reports are tested
 *   and repeated without hardware. */

#include "base/base.h"
#include "candidate/candidate.h"
#include "toolchain/toolchain.h"

/* This header's parts: arch.h (capability records), inventory.h (cards, their
 * load, picking and locking), calibration.h (measured rates), dedupe.h (one
 * card seen by two interfaces). */
#include "device/arch.h"
#include "device/calibration.h"
#include "device/dedupe.h"
#include "device/facts.h"
#include "device/inventory.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WHET_DEVICE_LIST_MAX = 32 };

enum whet_device_cap {
    WHET_DEVICE_CAP_LIVE = 1u << 0,
    WHET_DEVICE_CAP_REPLAY = 1u << 1,
    /** Kernels are native code of the worker's process: the worker counts as
     *  hostile, is sandboxed, frozen and filled from outside, and the
     *  supervisor's clock decides. */
    WHET_DEVICE_CAP_NATIVE = 1u << 2
};

/** An open device of the supervisor. */
typedef struct whet_device whet_device;

/** Result of one replayed call. */
typedef struct whet_replay_call {
    uint64_t elapsed_ns;
    bool is_correct;
    char reason[64]; /**< If not correct: a whet_reason name (see judge). */
} whet_replay_call;

/** A worker's context on a live device; see worker group. */
typedef struct whet_worker_ctx whet_worker_ctx;

/** Memory a worker offers for tensors: one region, carved by the judge. */
typedef struct whet_worker_region {
    void *base;
    uint64_t bytes;
} whet_worker_region;

/** Routines of vendor libraries that serve as comparison arms. */
typedef enum whet_library_op {
    /** C[M,N] = A[M,K] B[K,N], row-major, f32 throughout, full precision (no
     *  TF32). Buffers in order A, B, C. */
    WHET_LIBRARY_GEMM_F32 = 1
} whet_library_op;

/** A call of one. */
typedef struct whet_library_call {
    uint32_t op;      /**< whet_library_op. */
    char library[24]; /**< "cublas", "cublaslt", "rocblas", "hipblas". */
    uint32_t
        buffer[4];   /**< Indices of the plan's buffers, in the op's order. */
    int64_t size[4]; /**< M, N, K. */
} whet_library_call;

typedef struct whet_device_ops {
    const char *name;          /**< "opencl" */
    const char *summary;       /**< One line for help. */
    const char *selector_help; /**< What may follow "name:". */
    uint32_t caps;             /**< whet_device_cap bits. */
    /** Registry names of the toolchains whose images it runs, best first,
     *  NULL-terminated; NULL for replay. See whet_device_toolchain. */
    const char *const *toolchains;

    /* Required. */

    /**
     * List usable devices.
     *
     * @param out  WHET_DEVICE_LIST_MAX entries, `*count_out` filled
     * @return WHET_EUNSUPPORTED with reason and remedy if the library or
     *         driver is absent: a fact, not a failure
     */
    whet_status (*probe)(whet_device_facts *out, uint32_t *count_out,
                         whet_err *err);

    /** Open by selector ("0", or a file name for replay; "" = default). */
    whet_status (*open)(whet_device **out, const char *selector, whet_err *err);
    /** Open one that probe listed, without listing again; live devices. */
    whet_status (*open_found)(whet_device **out, const whet_device_facts *facts,
                              whet_err *err);
    void (*close)(whet_device *device); /**< Accepts NULL. */

    /** Facts, borrowed until close. */
    const whet_device_facts *(*facts)(const whet_device *device);

    /** Time source: the system's for live devices. */
    whet_clock (*clock)(whet_device *device);

    /** 16 fresh secret bytes: from the OS for live devices. */
    whet_status (*entropy)(whet_device *device, void *out16, whet_err *err);

    /* WHET_DEVICE_CAP_REPLAY. */

    /** How building this candidate went. `*accepted_out` false fills the
     *  diagnostic. WHET_ENOTFOUND if the recording does not know it. */
    whet_status (*replay_build)(bool *accepted_out, whet_diagnostic *diagnostic,
                                whet_device *device, const whet_hash *candidate,
                                const char *point_text, whet_err *err);

    /** One call. `workload` is the formatted text; `call` numbers the calls of
     *  this candidate on this workload from 0; hidden shapes count as calls
     *  of another workload. */
    whet_status (*replay_call)(whet_replay_call *out, whet_device *device,
                               const whet_hash *candidate,
                               const char *point_text, const char *workload,
                               uint64_t call, whet_err *err);

    /** Body of `PROGRAM __device NAME WORDS...`, a child in which the vendor's
     *  library may be opened (the supervisor never does); argv begins with
     *  NAME. NULL if it has no such child. @return process exit status */
    int (*child_main)(int argc, char **argv);

    /* WHET_DEVICE_CAP_LIVE: these run inside a worker process. */

    /** Environment of the sandboxed worker, NULL-terminated "NAME=value". */
    const char *const *worker_env;
    /** Names of variables that children and workers get from the supervisor's
     *  environment besides (which cards are visible, where libraries lie), if
     *  set there; NULL-terminated, may be NULL. See whet_device_env. */
    const char *const *worker_env_names;
    /** Paths it needs besides /usr (read-only, optional ones too). */
    const whet_sandbox_bind *worker_binds;
    size_t worker_bind_count;

    /** Create context and queue on device `index` and start all threads the
     *  driver will ever need; after this the worker is sealed. */
    whet_status (*worker_open)(whet_worker_ctx **out, uint32_t index,
                               whet_err *err);
    void (*worker_close)(whet_worker_ctx *ctx);

    /** Load an image. Called after the seal. */
    whet_status (*worker_load)(whet_worker_ctx *ctx, const void *image,
                               size_t bytes, whet_err *err);

    /** Make ready to run `plan` with buffer b at address address[b] (within
     *  the region) for pool slot `slot`. */
    whet_status (*worker_prepare)(whet_worker_ctx *ctx, uint32_t slot,
                                  const whet_bound_plan *plan,
                                  void *const *address, whet_err *err);

    /** Launch the plan of `slot` and wait for its end.
     *
     *  @param elapsed_ns_out  device time from before the first launch to
     *         after the last, by the device's own events; 0 on native devices,
     *         where the supervisor's clock decides */
    whet_status (*worker_run)(whet_worker_ctx *ctx, uint32_t slot,
                              uint64_t *elapsed_ns_out, whet_err *err);

    /* Live devices with memory of their own (not WHET_DEVICE_CAP_NATIVE). The
     * worker is trusted there: only device code of the candidate runs. */

    /** Allocate `bytes` of device memory, once, aligned to 4096 bytes; the
     *  addresses given to worker_prepare lie in it.
     *  @return WHET_EUNSUPPORTED if the device has not so much free */
    whet_status (*worker_allocate)(whet_worker_ctx *ctx, uint64_t bytes,
                                   void **base_out, whet_err *err);

    /** Pin host memory that copies will use; to be called at most once. Copies
     *  work without, only slower. */
    whet_status (*worker_pin)(whet_worker_ctx *ctx, void *host, uint64_t bytes,
                              whet_err *err);

    /** Copy between the allocation (at byte `offset`) and host memory; ends
     *  when the bytes are there. */
    whet_status (*worker_copy)(whet_worker_ctx *ctx, bool to_device,
                               uint64_t offset, void *host, uint64_t bytes,
                               whet_err *err);

    /** Fill part of the allocation with a 32-bit word; `offset` and `bytes`
     *  are multiples of 4. Copies that follow are ordered behind it. */
    whet_status (*worker_fill)(whet_worker_ctx *ctx, uint64_t offset,
                               uint32_t word, uint64_t bytes, whet_err *err);

    /** Keep the device busy with trusted work for about `spin_ns`, so that its
     *  clocks are up, and leave `flush_bytes` of foreign data in its caches;
     *  what follows on the queue starts behind it without a gap. The work is
     *  queued, not waited for. */
    whet_status (*worker_settle)(whet_worker_ctx *ctx, uint64_t spin_ns,
                                 uint64_t flush_bytes, whet_err *err);

    /** Names of vendor libraries that worker_library knows, best known first,
     *  NULL-terminated; NULL = none. */
    const char *const *libraries;

    /** Make ready to run a vendor's library routine in the place of a plan, in
     *  the slot's buffers; worker_run then calls it. NULL or
     *  WHET_EUNSUPPORTED with the reason where there is none. */
    whet_status (*worker_library)(whet_worker_ctx *ctx, uint32_t slot,
                                  const whet_library_call *call,
                                  void *const *address, whet_err *err);
} whet_device_ops;

/** All back-ends, NULL-terminated, in order of preference. */
const whet_device_ops *const *whet_device_all(void);

/** By registry name, or NULL. */
const whet_device_ops *whet_device_find(const char *name);

/** A device together with its ops. */
typedef struct whet_device_handle {
    const whet_device_ops *ops;
    whet_device *device;
    whet_device_facts facts;
} whet_device_handle;

/**
 * Open by text: "opencl", "opencl:0", "recorded:FILE", "null:FILE", or NULL /
 * "auto" for the first live device that is there.
 *
 * @return WHET_EINVAL for an unknown back-end (with "did you mean"),
 *         WHET_EUNSUPPORTED with reason and remedy if there is none
 */
whet_status whet_device_open(whet_device_handle *out, const char *text,
                             whet_err *err);

/**
 * Open as whet_device_open does, with the device's card locked until the lock
 * is released (after the device is closed). A text without a selector ("auto",
 * "cuda") picks among the back-end's cards; "cuda:1" and "cuda:0000:c1:00.0"
 * take that one. Devices without a card (replays, processors) take no lock.
 *
 * @param lock_out  fd -1 if there is nothing to lock, and on failure
 * @param opts      NULL = the first free card, without waiting
 * @return as whet_device_open, whet_pick_card and whet_card_lock_take
 */
whet_status whet_device_open_locked(whet_device_handle *out,
                                    whet_card_lock *lock_out, const char *text,
                                    const whet_pick_opts *opts, whet_err *err);

/**
 * Toolchain for this device: the first of ops->toolchains that is there, or
 * the one that the environment variable WHET_TOOLCHAIN names.
 *
 * @param identity  of compiler and frozen headers, as of identify
 * @return WHET_EUNSUPPORTED with the reasons of all if none is there
 */
whet_status whet_device_toolchain(const whet_toolchain_ops **out,
                                  char identity[256],
                                  const whet_device_handle *handle,
                                  whet_err *err);

/**
 * Environment of a child or worker of this back-end: worker_env, and those of
 * worker_env_names that are set.
 *
 * @param out  NULL-terminated; caller frees with whet_device_env_free
 * @return WHET_ENOMEM only
 */
whet_status whet_device_env(char ***out, const whet_device_ops *ops,
                            whet_err *err);

/** Free what whet_device_env gave. NULL is fine. */
void whet_device_env_free(char **env);

/** Does any toolchain of this back-end take candidates of this language? */
bool whet_device_accepts(const whet_device_ops *ops, const char *language);

/** Run the body of a device child if argv is "PROGRAM __device NAME ...", as
 *  whet_toolchain_child; to be called beside it first in `main`. */
bool whet_device_child(int *status_out, int argc, char **argv);

/** Close; all zero is fine. */
void whet_device_close(whet_device_handle *handle);

/* --- recordings: the files of the recorded device ------------------------ */

enum {
    WHET_RECORDING_BYTES_MAX = 64 << 20, /**< Of a file. */
    WHET_RECORDING_ENTRY_MAX = 200000    /**< Candidates in a file. */
};

/** A recording being written (`whet export --recording`). One thread. The
 *  limits of the reader hold: what was added can be read back. */
typedef struct whet_recording whet_recording;

/**
 * Start a recording.
 *
 * @param facts     device that was measured; its evidence is kept, so that a
 *                  recording of scripted numbers replays as scripted
 * @param task      name
 * @param seed      of the run, below 2^63; the keys of a replay follow from it
 * @param epoch_ns  wall time at which a replay starts, below 2^63
 * @return WHET_EINVAL if one of them is out of range
 */
whet_status whet_recording_new(whet_recording **out,
                               const whet_device_facts *facts, const char *task,
                               const whet_hash *task_hash, uint64_t seed,
                               uint64_t epoch_ns, whet_err *err);

/** Free it. NULL is fine. */
void whet_recording_free(whet_recording *recording);

/**
 * Add a candidate at a point by how its build went; once for each.
 *
 * @param diagnostic  NULL if the build was accepted
 * @return WHET_EINVAL if the candidate was added already
 */
whet_status whet_recording_add_build(whet_recording *recording,
                                     const whet_hash *candidate,
                                     const char *point_text, uint64_t build_ns,
                                     const whet_diagnostic *diagnostic,
                                     whet_err *err);

/**
 * Add calls on a workload that is not hidden; calls added earlier stay in
 * front.
 *
 * @param workload  formatted text, as handed to replay_call
 * @param times_ns  each from 1 ns to one day
 * @param count     may be 0 only if the calls were not correct
 * @param reason    "" if all were correct, else a whet_reason name; the first
 *                  one given stays
 * @return WHET_ENOTFOUND if the candidate has no accepted build
 */
whet_status whet_recording_add_calls(whet_recording *recording,
                                     const whet_hash *candidate,
                                     const char *workload,
                                     const uint64_t *times_ns, size_t count,
                                     const char *reason, whet_err *err);

/** Say how all hidden shapes went: `reason` as for calls; a failure said
 *  earlier stays. Never said: a replay answers "not recorded".
 *  @return WHET_ENOTFOUND if the candidate has no accepted build */
whet_status whet_recording_set_hidden(whet_recording *recording,
                                      const whet_hash *candidate,
                                      const char *reason, whet_err *err);

/** The document, entries in order of adding; write it with
 *  whet_json_canonical (beyond WHET_RECORDING_BYTES_MAX it cannot be read
 *  back). Caller json_decref's `*out`; `recording` is to be freed next. */
whet_status whet_recording_finish(json_t **out, whet_recording *recording,
                                  whet_err *err);

/** Hash of the task that an open recording belongs to, borrowed until close;
 *  "" for devices that are no recording. A caller refuses another task. */
const char *whet_recording_task_hash(const whet_device_handle *handle);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_H */
