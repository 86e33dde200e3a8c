#ifndef WHET_DEVICE_FACTS_H
#define WHET_DEVICE_FACTS_H

/* What is known of a device. Part of device.h. */

#include "base/base.h"
#include "candidate/candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How numbers of a device came to be; never mixed or shown alike. */
typedef enum whet_evidence {
    WHET_EVIDENCE_MEASURED = 0, /**< On the device, just now. */
    WHET_EVIDENCE_RECORDED,     /**< Measured earlier, replayed. */
    WHET_EVIDENCE_SCRIPTED      /**< Made up by a test script. */
} whet_evidence;

/** "measured", "recorded", "scripted". */
const char *whet_evidence_name(whet_evidence evidence);

/** A yes or no that may be unknown. */
typedef enum whet_known {
    WHET_UNKNOWN = 0,
    WHET_KNOWN_NO,
    WHET_KNOWN_YES
} whet_known;

/** One device as found. Text is escaped and NUL-terminated; 0 = unknown. */
typedef struct whet_device_facts {
    char backend[32]; /**< Registry name. */
    uint32_t index;   /**< Within the back-end. */
    char name[128];   /**< "cpu-haswell-AMD EPYC" as the driver says. */
    /** Architecture text for the toolchain: "sm_90a", "gfx928"; features after
     *  the colon are kept apart. */
    char arch[96];
    char arch_features[64]; /**< "sramecc+:xnack-", "" if none. */
    char arch_evidence[96]; /**< What said so: "KFD sysfs", "driver", "assumed:
                                 default". "" where it is no question. */
    char driver[96];        /**< Platform and driver version. */
    char pci[32]; /**< PCI address, lower case "0000:c1:00.0", "" if none.
                       Identifies a card seen by two interfaces. */
    uint32_t physical_index; /**< Before *_VISIBLE_DEVICES; UINT32_MAX =
                                  unknown. */
    bool is_cpu;
    bool has_f64, has_f16;
    uint32_t clock_mhz; /**< Maximum, as the driver says. */
    uint64_t llc_bytes; /**< Last-level cache. */
    uint32_t memory_clock_mhz;
    uint64_t lds_cu_bytes;   /**< LDS of a compute unit. */
    uint64_t register_count; /**< 32-bit vector registers of a compute unit. */
    uint32_t cu_items_max;   /**< Work-items resident on a compute unit. */
    whet_known has_ecc;
    /** Kernels may reach ordinary host memory: see docs/judging.md. */
    whet_known has_pageable_access;
    /** Only one process at a time may have a context on it. */
    whet_known is_exclusive;
    whet_limits limits;
    whet_evidence evidence;
    char id[WHET_HASH_TEXT_BYTES]; /**< Identity: hash over backend, name,
                                        arch, driver and compute units. */
} whet_device_facts;

/** Read facts. Back-end and id are those of the device that was recorded;
 *  the caller replaces them. Range-checked, escaped. */
whet_status whet_device_facts_from_json(whet_device_facts *out,
                                        const json_t *object, whet_err *err);

/** Facts as JSON that whet_device_facts_from_json reads back; NULL on out of
 *  memory. Limits beyond the range of JSON integers are written as the
 *  largest one. */
json_t *whet_device_facts_to_json(const whet_device_facts *facts);

#ifdef __cplusplus
}
#endif

#endif /* WHET_DEVICE_FACTS_H */
