#ifndef WHET_DEVICE_SCRIPT_PRIV_H
#define WHET_DEVICE_SCRIPT_PRIV_H

/* The script of the null device: which builds pass, how long calls take and
 * which of them fail. Parsed once into rules that are applied in order. */

#include "device/replay_priv.h"

typedef enum whet_script_build {
    WHET_SCRIPT_ACCEPT = 0,
    WHET_SCRIPT_REFUSE,
    WHET_SCRIPT_TIMEOUT
} whet_script_build;

/** What is scripted for one build or call. */
typedef struct whet_script_effect {
    whet_script_build build;
    uint64_t time_ns;
    double jitter_pct;
    char fail[64];           /**< A reason's word; "" = calls are correct. */
    uint64_t fail_every;     /**< Every N-th call fails, counted from ... */
    uint64_t fail_from_call; /**< ... this one. */
} whet_script_effect;

/** One rule; a bit of `sets` for each group of members that it gives. */
typedef struct whet_script_rule {
    const char *match;    /**< Arena. */
    const char *workload; /**< Arena; NULL = any, and builds too. */
    unsigned sets;
    whet_script_effect effect;
} whet_script_rule;

typedef struct whet_script {
    whet_arena *arena;
    uint64_t seed, epoch_ns, build_ns;
    whet_limits limits;
    whet_script_rule *rules; /**< [0] is the default and matches all. */
    size_t rule_count;
} whet_script;

/**
 * Parse a script.
 *
 * @param text  empty = the built-in script: every build passes, every call is
 *              correct and takes 1 ms
 * @return WHET_EINVAL as "WHERE:LINE:COLUMN: ..." or "WHERE: rules[3]: ..."
 */
whet_status whet_script__parse(whet_script **out, const char *text,
                               size_t bytes, const char *where, whet_err *err);

/** Free a script. NULL is fine. */
void whet_script__free(whet_script *script);

/** Combine the rules that match. `workload` is NULL for a build. */
whet_script_effect whet_script__effect(const whet_script *script,
                                       const whet_hash *candidate,
                                       const char *point_text,
                                       const char *workload);

/** Does call number `call` fail? */
bool whet_script__fails(const whet_script_effect *effect, uint64_t call);

#endif /* WHET_DEVICE_SCRIPT_PRIV_H */
