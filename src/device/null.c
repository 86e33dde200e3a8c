/* The null device: executes nothing and answers builds and calls from a
 * script. Most tests of judge, search and reports stand on it. */

#include "device/script_priv.h"

#include <stdlib.h>
#include <string.h>

enum { SCRIPT_BYTES_MAX = 1 << 20 };

struct whet_device {
    whet_replay replay;
    whet_script *script;
};

static void null_facts(whet_device_facts *out, const whet_limits *limits,
                       const char *text, size_t bytes)
{
    whet_hash hash = whet_hash_bytes(text, bytes);

    *out = (whet_device_facts){.backend = "null",
                               .name = "null",
                               .arch = "null",
                               .has_f64 = true,
                               .has_f16 = true,
                               .limits = *limits,
                               .evidence = WHET_EVIDENCE_SCRIPTED};
    /* By content: two scripts are two devices, wherever the files lie. */
    if (bytes == 0)
        whet_strcopy(out->driver, sizeof out->driver, "built-in script");
    else
        snprintf(out->driver, sizeof out->driver, "script %.12s", hash.text);
    whet_replay__identify(out);
}

static void null_close(whet_device *device)
{
    if (device == NULL)
        return;
    whet_script__free(device->script);
    free(device);
}

whet_status whet_null__open_text(whet_device **out, const char *text,
                                 size_t bytes, const char *where, whet_err *err)
{
    whet_status st;
    whet_device *device = calloc(1, sizeof *device);

    *out = NULL;
    if (device == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    st = whet_script__parse(&device->script, text, bytes, where, err);
    if (st != WHET_OK)
        goto out;
    device->replay.seed = device->script->seed;
    device->replay.epoch_ns = device->script->epoch_ns;
    null_facts(&device->replay.facts, &device->script->limits, text, bytes);
    *out = device;
    device = NULL;
out:
    null_close(device);
    return st;
}

static whet_status null_open(whet_device **out, const char *selector,
                             whet_err *err)
{
    whet_buf text = {0};
    whet_status st;

    *out = NULL;
    if (selector == NULL || selector[0] == '\0')
        return whet_null__open_text(out, "", 0, "built-in script", err);
    st = whet_fs_read(&text, selector, SCRIPT_BYTES_MAX, err);
    if (st == WHET_OK && text.bytes == 0)
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: empty file, expected a script "
                          "{\"whet_script\": 1, ...}",
                          selector);
    if (st == WHET_OK)
        st = whet_null__open_text(out, text.data, text.bytes, selector, err);
    whet_buf_deinit(&text);
    return st;
}

static whet_status null_probe(whet_device_facts *out, uint32_t *count_out,
                              whet_err *err)
{
    whet_device *device;
    whet_status st = null_open(&device, "", err);

    *count_out = 0;
    if (st != WHET_OK)
        return st;
    out[0] = device->replay.facts;
    *count_out = 1;
    null_close(device);
    return WHET_OK;
}

static const whet_device_facts *null_facts_of(const whet_device *device)
{
    return &device->replay.facts;
}

static whet_clock null_clock(whet_device *device)
{
    return whet_replay__clock(&device->replay);
}

static whet_status null_entropy(whet_device *device, void *out16, whet_err *err)
{
    (void)err;
    whet_replay__entropy(&device->replay, out16);
    return WHET_OK;
}

static whet_status null_replay_build(bool *accepted_out,
                                     whet_diagnostic *diagnostic,
                                     whet_device *device,
                                     const whet_hash *candidate,
                                     const char *point_text, whet_err *err)
{
    whet_script_effect effect =
        whet_script__effect(device->script, candidate, point_text, NULL);

    (void)err;
    *diagnostic = (whet_diagnostic){0};
    *accepted_out = effect.build == WHET_SCRIPT_ACCEPT;
    if (effect.build == WHET_SCRIPT_REFUSE) {
        diagnostic->kind = WHET_DIAGNOSTIC_ERROR;
        whet_strcopy(diagnostic->text, sizeof diagnostic->text,
                     "refused by the script");
    } else if (effect.build == WHET_SCRIPT_TIMEOUT) {
        diagnostic->kind = WHET_DIAGNOSTIC_TIMEOUT;
        whet_strcopy(diagnostic->text, sizeof diagnostic->text,
                     "timed out by the script");
    }
    whet_replay__advance(&device->replay, device->script->build_ns);
    return WHET_OK;
}

/* Uniform within time_ns * (1 +- jitter_pct / 100). The draw is named by
 * candidate, workload and call, so that the order of calls does not matter. */
static uint64_t call_time(const whet_device *device,
                          const whet_script_effect *effect,
                          const whet_hash *candidate, const char *workload,
                          uint64_t call)
{
    double time_ns = (double)effect->time_ns;
    whet_hasher hasher;
    whet_hash purpose;
    whet_rng rng;

    if (effect->jitter_pct <= 0)
        return effect->time_ns;
    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "candidate", candidate->text);
    whet_hasher_add_str(&hasher, "workload", workload);
    purpose = whet_hasher_finish(&hasher);
    whet_rng_init(&rng, device->script->seed, call, purpose.text);
    time_ns +=
        time_ns * (effect->jitter_pct / 100) * (2 * whet_rng_f64(&rng) - 1);
    return time_ns < 1 ? 1 : (uint64_t)(time_ns + 0.5);
}

static whet_status null_replay_call(whet_replay_call *out, whet_device *device,
                                    const whet_hash *candidate,
                                    const char *point_text,
                                    const char *workload, uint64_t call,
                                    whet_err *err)
{
    whet_script_effect effect =
        whet_script__effect(device->script, candidate, point_text, workload);

    *out = (whet_replay_call){0};
    if (effect.build != WHET_SCRIPT_ACCEPT)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "null: candidate %.12s was refused by the script, "
                            "so it has no calls",
                            candidate->text);
    out->elapsed_ns = call_time(device, &effect, candidate, workload, call);
    out->is_correct = !whet_script__fails(&effect, call);
    if (!out->is_correct)
        memcpy(out->reason, effect.fail, sizeof out->reason);
    whet_replay__advance(&device->replay, out->elapsed_ns);
    return WHET_OK;
}

const whet_device_ops whet_device_null = {
    .name = "null",
    .summary = "executes nothing: scripted times and failures, for tests",
    .selector_help = "script file; nothing = every call correct in 1 ms",
    .caps = WHET_DEVICE_CAP_REPLAY,
    .probe = null_probe,
    .open = null_open,
    .close = null_close,
    .facts = null_facts_of,
    .clock = null_clock,
    .entropy = null_entropy,
    .replay_build = null_replay_build,
    .replay_call = null_replay_call,
};
