#ifndef WHET_DEVICE_HIP_PRIV_H
#define WHET_DEVICE_HIP_PRIV_H

/* The HIP back-end's parts: finding a runtime that sees devices (hip_api.c),
 * its attribute numbers (hip_numbers.c), errors (hip_errors.c), the card's
 * architecture from what the system tells (hip_arch.c, hip_agents.c), and the
 * back-end itself (hip.c).
 *
 * Two vendors ship runtimes with the same function names: ROCm's libamdhip64
 * and DTK's libgalaxyhip. Their attribute numbers and their property struct
 * differ, and one of them finds no device on the other's driver. */

#include "device/gpu_priv.h"

enum {
    WHET_HIP__AGENT_MAX = 64,
    WHET_HIP__TEXT_BYTES_MAX = 1 << 20, /**< Of a tool's output. */
    WHET_HIP__ARCH_BYTES = 32,
    WHET_HIP__FEATURE_BYTES = 64
};

/* --- attribute numbers ---------------------------------------------------- */

/** One ABI's numbers; -1 = it has none for this fact, or none is known. */
typedef struct whet_hip_numbering {
    int number[WHET_GPU_ATTRIBUTE_COUNT]; /**< For api->numbering. */
    const char *name;                     /**< "ROCm", for messages. */
} whet_hip_numbering;

/** ROCm's since HIP 4.5: hip_runtime_api.h of HIP 5.2.3. */
extern const whet_hip_numbering whet_hip__rocm;
/** HIP's before it was put in CUDA's order: hip_runtime_api.h of HIP 4.x, as
 *  include/ext_hip.h of hashcat/hashcat at commit 091260b lists it. */
extern const whet_hip_numbering whet_hip__hip4;
/** DTK 26.04's: the order of HIP 4 from 18 on; source in hip_numbers.c. */
extern const whet_hip_numbering whet_hip__dtk;
/** DTK's without the limits of a launch, whose numbers nobody checked. */
extern const whet_hip_numbering whet_hip__dtk_checked;
/** No number known: facts come from elsewhere. */
extern const whet_hip_numbering whet_hip__none;

/**
 * Which numbering does the loaded runtime speak? The first whose answers for
 * device 0 all make sense: wave size 32 or 64, and compute units and LDS in
 * range. `prefers_dtk` decides which is tried first.
 *
 * @return never NULL; whet_hip__none if no answer makes sense
 */
const whet_hip_numbering *whet_hip__numbering(const whet_gpu_api *api,
                                              bool prefers_dtk);

/* --- runtime library ------------------------------------------------------ */

/** Where to look. NULL = the documented default; all borrowed. */
typedef struct whet_hip_search {
    const char *libraries; /**< Colon list; nothing else is looked at then. */
    const char *rocm_path; /**< Toolkit folder, before /opt/rocm*. */
    const char *dtk_path;  /**< Toolkit folder, before /opt/dtk*. */
    const char *opt;       /**< "/opt" */
    const char *sysfs;     /**< "/sys" */
    const char *configured_arch; /**< User's word on the architecture. */
    bool skips_loader;           /**< Do not ask the loader for bare names. */
    bool skips_tools;            /**< Run no tool to learn the architecture. */
    unsigned try_timeout_s; /**< Longest start of one library of several; 0:
                                 20, so that a second one has time, too. */
} whet_hip_search;

/** From WHET_HIP_LIBRARY, WHET_HIP_ARCH, ROCM_PATH and DTKROOT (which the
 *  toolkits' env.sh set; or DTK_ROOT), and WHET_HIP_SYSFS (another root of
 *  sysfs, for tests). */
void whet_hip__search_env(whet_hip_search *out);

/** Candidate libraries in the order in which they are tried: names without a
 *  slash are left to the loader, others exist. On a machine whose kernel driver
 *  shows a card of PCI vendor 1d94 (Hygon) the DTK ones come first. */
void whet_hip__paths(whet_gpu_paths *out, const whet_hip_search *search);

/** Calls of this family alone: what api->vendor points to. */
typedef struct whet_hip_vendor {
    int (*set_device)(int device);
    int (*get_device)(int *out);
    int (*peek_at_last_error)(void);
    int (*properties)(void *out, int device);       /**< May be NULL. */
    int (*properties_r0600)(void *out, int device); /**< May be NULL. */
    const whet_hip_numbering *numbering;
} whet_hip_vendor;

/** Does the library speak for DTK, by its name or the folder it lies in? */
bool whet_hip__is_dtk(const char *path);

/**
 * Load the first candidate that sees devices and fill the table. With several
 * candidates each is tried in a forked child first: libraries of two toolkits
 * in one process would share the HSA library of the first. Variables that slow
 * launches or make the runtime talk are removed from this process. To be
 * called while the process has one thread; the library is never closed.
 *
 * @param out  `vendor` is the caller's to free
 * @return WHET_EUNSUPPORTED with every candidate's reason and a remedy
 */
whet_status whet_hip__open(whet_gpu_api *out, const whet_hip_search *search,
                           whet_err *err);

/**
 * Architecture text that the runtime itself gives ("gfx90a:sramecc+:xnack-").
 *
 * @param text  "" if it gives none that looks like one
 */
void whet_hip__runtime_arch(char text[96], const whet_gpu_api *api, int device);

/** Text of a version number as hipDriverGetVersion counts it: "5.2.21153". */
void whet_hip__version(char text[32], int number);

/** Causes and remedies; NULL if the code is unknown. */
const whet_gpu_error *whet_hip__explain(int code);

/** All of them, by code. */
const whet_gpu_error *whet_hip__errors(size_t *count_out);

/* --- what the system tells of the cards ----------------------------------- */

/** A GPU as the kernel driver or a tool describes it; 0 or "" = unknown. */
typedef struct whet_hip_agent {
    char arch[WHET_HIP__ARCH_BYTES]; /**< "gfx928" */
    char features[WHET_HIP__FEATURE_BYTES];
    char pci[32]; /**< "0000:c1:00.0" */
    uint32_t vendor_id;
    uint32_t cu_count, wave_size, simd_per_cu, waves_per_simd;
    uint32_t lds_bytes; /**< Of a compute unit. */
    uint32_t clock_mhz;
} whet_hip_agent;

typedef struct whet_hip_agents {
    whet_hip_agent agents[WHET_HIP__AGENT_MAX];
    uint32_t count;
} whet_hip_agents;

/** Split "gfx90a:sramecc+:xnack-"; false if the text is not of that form
 *  (outputs are "" then). */
bool whet_hip__split_arch(char arch[WHET_HIP__ARCH_BYTES],
                          char features[WHET_HIP__FEATURE_BYTES],
                          const char *text, size_t bytes);

/** Architecture from the kernel driver's number, major * 10000 + minor * 100 +
 *  step, step in hexadecimal: 90210 is gfx92a (ROCm/HSA "gfx_target_version").
 *  @return false if the number is none */
bool whet_hip__target_arch(char arch[WHET_HIP__ARCH_BYTES], uint64_t version);

/** Read one KFD properties file: lines "NAME NUMBER".
 *  @return WHET_ENOTFOUND for a node without a GPU; WHET_EINVAL if malformed */
whet_status whet_hip__parse_kfd(whet_hip_agent *out, const char *text,
                                size_t bytes, whet_err *err);

/** Read rocminfo's output: agents whose "Device Type" is GPU, HCU or DCU.
 *  @return WHET_ENOTFOUND if it shows none; WHET_EINVAL if malformed */
whet_status whet_hip__parse_rocminfo(whet_hip_agents *out, const char *text,
                                     size_t bytes, whet_err *err);

/** Read the output of amdgpu-arch or rocm_agent_enumerator: one architecture a
 *  line; gfx000 stands for the CPU.
 *  @return WHET_ENOTFOUND if it shows none; WHET_EINVAL if malformed */
whet_status whet_hip__parse_list(whet_hip_agents *out, const char *text,
                                 size_t bytes, whet_err *err);

/** All GPUs of `sysfs`/class/kfd/kfd/topology/nodes, by node number.
 *  @return WHET_ENOTFOUND if there is no KFD or no GPU; WHET_EINVAL */
whet_status whet_hip__read_kfd(whet_hip_agents *out, const char *sysfs,
                               whet_err *err);

/** How to find a device's architecture. */
typedef struct whet_hip_arch_opts {
    const char *sysfs;      /**< NULL = "/sys" */
    const char *tool_dirs;  /**< Colon list looked at for rocminfo and the
                                 like, before PATH; NULL = none. */
    bool skips_tools;       /**< Run no tool. */
    const char *runtime;    /**< What the runtime says, "" or NULL = nothing. */
    const char *configured; /**< By the user, NULL = nothing. */
    const char *pci;        /**< Of the device, "" or NULL = unknown. */
    uint32_t ordinal;       /**< Physical index; UINT32_MAX = unknown. */
} whet_hip_arch_opts;

/** The answer. */
typedef struct whet_hip_arch {
    char arch[WHET_HIP__ARCH_BYTES];
    char features[WHET_HIP__FEATURE_BYTES];
    char evidence[96];    /**< "KFD sysfs node 1", "assumed: default". */
    whet_hip_agent agent; /**< What KFD tells of the device; zero if nothing. */
} whet_hip_arch;

/** The first that answers: the runtime, KFD sysfs, rocminfo, amdgpu-arch,
 *  rocm_agent_enumerator, the configured one, gfx928 (marked "assumed"). A tool
 *  has ten seconds. */
void whet_hip__arch(whet_hip_arch *out, const whet_hip_arch_opts *opts);

/* --- devices -------------------------------------------------------------- */

/** Facts of all devices of the loaded runtime; in the listing child. */
whet_status whet_hip__enumerate(whet_device_facts *out, uint32_t *count_out,
                                whet_err *err);

#endif /* WHET_DEVICE_HIP_PRIV_H */
