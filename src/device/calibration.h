#ifndef WHET_DEVICE_CALIBRATION_H
#define WHET_DEVICE_CALIBRATION_H

/* Measured rates of a device, and the limits that follow from them. Part of
 * device.h. Files: state folder, calibration/ID.json. */

#include "device/arch.h"
#include "device/facts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WHET_RATE_MAX = 24 };

/** How a rate was measured. */
typedef struct whet_measured {
    /** Instruction that the kernel's listing was seen to hold ("HGMMA"), or
     *  "not checked: REASON". "" if nothing was measured. */
    char evidence[64];
    char point[96]; /**< Best point of the kernel, "BLOCK=256 VEC=4". */
} whet_measured;

/** Rate of one arithmetic unit. */
typedef struct whet_rate {
    char name[24];    /**< DTYPE.UNIT: "f32.vector", "tf32.matrix",
                           "bf16.matrix", "f64.vector", "i8.matrix"; the words
                           of whet_arch_unit. */
    double ops_per_s; /**< A multiply-add counts 2. */
    whet_measured how;
} whet_rate;

/** Controls of the clock: trusted work timed once, twice and four times over.
 *  0 = not held. */
typedef struct whet_controls {
    double spin;  /**< (t4 - t1) / (t2 - t1), which should be 3. */
    double twice; /**< Score of a kernel that does its work twice, 0.5. */
} whet_controls;

/** Are both within 10 % of what they should be? */
bool whet_calibration_controls_hold(const whet_controls *controls);

/** Measured rates of a device; 0 = not measured. */
typedef struct whet_calibration {
    double copy_bytes_per_s; /**< Bytes read plus bytes written. */
    double read_bytes_per_s;
    double write_bytes_per_s;
    double lds_bytes_per_s; /**< All compute units together. */
    whet_measured copy, read, write, lds;
    whet_rate rates[WHET_RATE_MAX];
    uint32_t rate_count;
    uint64_t launch_ns; /**< Empty launch, median. */
    whet_controls controls;
    uint64_t wall_ns;   /**< When, since the epoch. */
    uint32_t clock_mhz; /**< Compute clock read right after a timed kernel; 0 =
                             unknown. */
    uint32_t memory_clock_mhz;
    char driver[96];
    char device_id[WHET_HASH_TEXT_BYTES];
} whet_calibration;

/** Rate by name, or 0. */
double whet_calibration_rate(const whet_calibration *calibration,
                             const char *name);

/**
 * Add a rate, or replace the one of that name if it is lower.
 *
 * @param how  copied
 * @return false if there is no room or `name` is too long
 */
bool whet_calibration_add_rate(whet_calibration *calibration, const char *name,
                               double ops_per_s, const whet_measured *how);

/** Keep the best of two calibrations of one device in `now`, rate by rate:
 *  what was once achieved can be achieved. Date, driver and clocks stay those
 *  of `now`. */
void whet_calibration_keep_best(whet_calibration *now,
                                const whet_calibration *before);

/** Stored calibration of this device, if any (state folder).
 *  WHET_ENOTFOUND if there is none; a corrupt file counts as none. */
whet_status whet_calibration_load(whet_calibration *out,
                                  const whet_device_facts *facts,
                                  whet_err *err);

/** Store it. */
whet_status whet_calibration_store(const whet_calibration *calibration,
                                   const whet_device_facts *facts,
                                   whet_err *err);

/** The work of one call, for limits. */
typedef struct whet_work {
    uint64_t ops;
    uint64_t bytes;     /**< All. */
    uint64_t bytes_out; /**< Of these, written. */
    whet_policy policy; /**< Which units may be used follows from it. */
} whet_work;

/** Work of a task on a workload. WHET_EINVAL as whet_task_cost. */
whet_status whet_device_work(whet_work *out, const whet_task *task,
                             const whet_workload *workload, whet_err *err);

/**
 * Least time of a call by measured rates, max(bytes / bandwidth, ops / rate);
 * 0 if unknown. Bandwidth is that of reading or of writing where the other
 * direction has less than a sixteenth of the bytes (if it was measured), else
 * of copying; the rate is the fastest one that the policy allows, see
 * whet_calibration_allows.
 */
uint64_t whet_calibration_limit_ns(const whet_calibration *calibration,
                                   const whet_work *work);

/** May a unit ("bf16.matrix") serve a policy? Those that round no more than it
 *  does: f64 for f64; f32 and f64 for f32; tf32, f16, bf16 each also for
 *  itself, and all that are finer; every unit for exact, where only the
 *  result counts. */
bool whet_calibration_allows(whet_policy policy, const char *unit);

/**
 * Floor below which a time cannot be true on this device: peaks from its
 * architecture record with 5 % margin (GPU; an f32 product may be split over
 * narrow matrix units, and writes may stay in the last cache), or for CPU
 * devices units * 6 GHz *
 * 2 FMA ports * 16 lanes * 2, and 2 * 64 bytes a cycle (widest x86 cores:
 * Intel 64 and IA-32 Optimization Reference Manual; AMD Software Optimization
 * Guide, family 1Ah). 0 = none: no sourced peak.
 */
uint64_t whet_device_floor_ns(const whet_device_facts *facts,
                              const whet_work *work);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_CALIBRATION_H */
