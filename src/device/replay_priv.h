#ifndef WHET_DEVICE_REPLAY_PRIV_H
#define WHET_DEVICE_REPLAY_PRIV_H

/* What the replay devices share: a virtual clock, keys drawn from a seed, and
 * checked reading of facts from JSON. Nothing here reads the machine's clock
 * or random numbers, so equal files and equal calls give equal results. */

#include "device/device.h"

extern const whet_device_ops whet_device_null;
extern const whet_device_ops whet_device_recorded;

/** 2026-01-01T00:00:00Z: wall time at which virtual time 0 lies unless the
 *  file says otherwise. */
#define WHET_REPLAY_EPOCH_NS INT64_C(1767225600000000000)

/** Longest time that a file may give for one build or call: one day. */
#define WHET_REPLAY_TIME_MAX_NS INT64_C(86400000000000)

/** Longest workload text a file may name, without the NUL. */
enum { WHET_REPLAY_WORKLOAD_BYTES_MAX = 1023 };

/** State of an open replay device, first member of struct whet_device. */
typedef struct whet_replay {
    whet_device_facts facts;
    uint64_t seed;
    uint64_t epoch_ns;
    uint64_t virtual_ns; /**< Since open. */
    uint64_t draw_count; /**< Of entropy. */
} whet_replay;

/** Let virtual time pass (saturating). */
void whet_replay__advance(whet_replay *replay, uint64_t ns);

/** Clock over the virtual time; borrowed from `replay`. */
whet_clock whet_replay__clock(whet_replay *replay);

/** Next 16 bytes: Philox block of (seed, number of the draw). */
void whet_replay__entropy(whet_replay *replay, void *out16);

/** Fill facts->id from backend, name, arch, driver and compute units. */
void whet_replay__identify(whet_device_facts *facts);

/** Is it a reason's word: lower-case letters, digits, '_' and '-', starting
 *  with a letter, shorter than the field of whet_replay_call? */
bool whet_replay__is_reason(const char *text);

/** Is it 64 lower-case hex digits? */
bool whet_replay__is_hash(const char *text);

/** Open over text instead of a file; `where` names it in messages. For the
 *  open functions and the fuzz targets. */
whet_status whet_null__open_text(whet_device **out, const char *text,
                                 size_t bytes, const char *where,
                                 whet_err *err);
whet_status whet_recorded__open_text(whet_device **out, const char *text,
                                     size_t bytes, const char *where,
                                     whet_err *err);

/* --- JSON ----------------------------------------------------------------- */

/**
 * Refuse members whose key is not one of `keys` (NULL-terminated), with "did
 * you mean".
 *
 * @return WHET_EINVAL, also if `object` is no object
 */
whet_status whet_device__check_keys(const json_t *object,
                                    const char *const *keys, whet_err *err);

/** Optional integer member in [0, max]; `*out` keeps its value if the member
 *  is missing. */
whet_status whet_device__opt_u64(uint64_t *out, const json_t *object,
                                 const char *key, int64_t max, whet_err *err);

/** Optional text member, escaped into a fixed array ("" if missing). Text
 *  that does not fit is refused, not cut. */
whet_status whet_device__opt_text(char *out, size_t out_bytes,
                                  const json_t *object, const char *key,
                                  bool keep_newlines, whet_err *err);

/** Optional boolean member; `*out` keeps its value if it is missing. */
whet_status whet_device__opt_bool(bool *out, const json_t *object,
                                  const char *key, whet_err *err);

/** Read limits over those already in `*out`. Every member is optional. */
whet_status whet_device__limits_from_json(whet_limits *out,
                                          const json_t *object, whet_err *err);

#endif /* WHET_DEVICE_REPLAY_PRIV_H */
