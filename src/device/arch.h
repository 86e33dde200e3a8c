#ifndef WHET_DEVICE_ARCH_H
#define WHET_DEVICE_ARCH_H

/* Capability records: one YAML file per architecture in arch/. Each figure has
 * a source and a trust level; where sources disagree the record says so and
 * nothing is built on the figure. Part of device.h. */

#include "base/base.h"
#include "toolchain/toolchain.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_ARCH_UNIT_MAX = 32,
    WHET_ARCH_NOTE_MAX = 64,
    WHET_ARCH_FEATURE_MAX = 32
};

/** How far a figure can be relied on. */
typedef enum whet_trust {
    WHET_TRUST_NONE = 0, /**< Not known, or in conflict: build nothing on it. */
    WHET_TRUST_REPORTED, /**< Third party, heuristic or inferred: a prior. */
    WHET_TRUST_VENDOR    /**< Vendor's document or repository. */
} whet_trust;

/** A figure; `is_known` false = n/a. */
typedef struct whet_figure {
    double value;
    bool is_known;
    whet_trust trust;
    char source[160];
    char conflict[160]; /**< The other claim, "" if none. */
} whet_figure;

/** FP8 encoding that the hardware computes with. */
typedef enum whet_fp8 {
    WHET_FP8_NONE = 0,
    WHET_FP8_OCP,
    WHET_FP8_FNUZ
} whet_fp8;

/** One arithmetic unit: a dtype on vector or matrix hardware. */
typedef struct whet_arch_unit {
    char name[24];   /**< DTYPE.UNIT: "f32.vector", "bf16.matrix". */
    char shapes[96]; /**< Matrix shapes "16x16x16 32x32x8", "" for vector. */
    whet_figure ops_cu_clk;     /**< Operations per compute unit and cycle,
                                     multiply-add = 2. */
    whet_figure peak_ops_per_s; /**< Of the named board, if published. */
} whet_arch_unit;

/** Record of one architecture. */
typedef struct whet_arch {
    char name[24];   /**< "gfx928", "sm_90a" (file name without .yaml). */
    char vendor[24]; /**< "hygon", "amd", "nvidia". */
    char boards[160];
    whet_figure wave_size;
    whet_figure lds_cu_bytes, lds_group_bytes; /**< Per CU; most per group. */
    whet_figure lds_granule_bytes;
    whet_figure lds_reserved_bytes; /**< Of each group, kept by the system;
                                         not known counts as none. */
    whet_figure lds_banks, lds_bank_bytes;
    whet_figure vgpr_simd_count; /**< 32-bit registers per lane that a SIMD
                                      shares among its waves (512 on CDNA);
                                      for NVIDIA: registers per SM / 4 / 32. */
    whet_figure vgpr_wave_max, vgpr_granule;
    whet_figure sgpr_wave_max;
    whet_figure sgpr_simd_count; /**< Scalar registers that the waves of a SIMD
                                      share; not known = no bound. */
    whet_figure simds_cu, waves_simd_max;
    /** Where the architecture has "single_wave_no_barrier", groups of one wave
     *  are not counted. */
    whet_figure groups_cu_max;
    whet_figure group_items_max;
    whet_figure l2_bytes;
    whet_figure peak_bytes_per_s; /**< Memory, of the named board. */
    whet_fp8 fp8;
    bool has_split_wait_counters;
    whet_arch_unit units[WHET_ARCH_UNIT_MAX];
    uint32_t unit_count;
    char features[WHET_ARCH_FEATURE_MAX][24]; /**< "dot2", "mmac", "mfma",
                                                   "wgmma", "cp_async", ... */
    uint32_t feature_count;
    char stand_in[24]; /**< Architecture that compiles where this one's compiler
                            is absent; only for checks, always labelled. */
} whet_arch;

/**
 * Record of an architecture by name; what follows a colon ("gfx928:xnack-") is
 * ignored, "sm_90a" and "sm_90" share a record.
 *
 * @return WHET_ENOTFOUND if there is no record, WHET_EINVAL as
 *         FILE:LINE:COLUMN for a malformed one
 */
whet_status whet_arch_load(whet_arch *out, const char *name, whet_err *err);

/** Names of all records, sorted. Caller frees with whet_arch_names_free. */
whet_status whet_arch_names(char ***out, uint32_t *count_out, whet_err *err);
void whet_arch_names_free(char **names, uint32_t count);

/** Has it this feature word or unit name? Eligibility asks this, never a
 *  number in the architecture's name. */
bool whet_arch_has(const whet_arch *arch, const char *feature);

/** Unit by name, or NULL. */
const whet_arch_unit *whet_arch_find_unit(const whet_arch *arch,
                                          const char *name);

/** Resident work of a kernel on a compute unit. */
typedef struct whet_occupancy {
    uint32_t waves_simd; /**< Waves per SIMD. */
    uint32_t waves_cu;
    uint32_t groups_cu;
    const char *bound_by; /**< "registers", "lds", "waves", "groups" (static
                               text). */
    bool is_known;        /**< false: the record lacks a figure. */
} whet_occupancy;

/** May something be built on the figure: is it known, with trust, and without
 *  a conflict? */
bool whet_figure_is_usable(const whet_figure *figure);

/** Figures of a record (those of units aside) by number, in the order of the
 *  manual; NULL beyond the last. `key_out` (may be NULL) is the key in the
 *  file, static text. */
const whet_figure *whet_arch_figure(const whet_arch *arch, size_t index,
                                    const char **key_out);

/** "none", "reported", "vendor". */
const char *whet_trust_name(whet_trust trust);

/** "none", "ocp", "fnuz". */
const char *whet_fp8_name(whet_fp8 fp8);

/** Occupancy of a kernel of `facts` in groups of `group_items` work-items with
 *  `shared_bytes` of dynamic LDS. Formulae and their sources are in
 *  docs/write-an-arch-record.md. A kernel that does not fit at all has 0
 *  groups. */
whet_occupancy whet_arch_occupancy(const whet_arch *arch,
                                   const whet_kernel_facts *facts,
                                   uint64_t group_items, uint64_t shared_bytes);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_ARCH_H */
