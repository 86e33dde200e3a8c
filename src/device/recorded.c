/* The recorded device: answers builds and calls from a file of stored
 * evaluations. It knows only what was measured; anything else is "not
 * recorded", never a guess. */

#include "device/recording_priv.h"

#include <stdlib.h>
#include <string.h>

struct whet_device {
    whet_replay replay;
    whet_recording_data *data;
};

static whet_status recorded_probe(whet_device_facts *out, uint32_t *count_out,
                                  whet_err *err)
{
    (void)out;
    (void)err;
    /* A recording has to be named; there is nothing to find. */
    *count_out = 0;
    return WHET_OK;
}

static void recorded_close(whet_device *device)
{
    if (device == NULL)
        return;
    whet_recording__free(device->data);
    free(device);
}

whet_status whet_recorded__open_text(whet_device **out, const char *text,
                                     size_t bytes, const char *where,
                                     whet_err *err)
{
    whet_status st;
    whet_device_facts *facts;
    whet_device *device = calloc(1, sizeof *device);

    *out = NULL;
    if (device == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    st = whet_recording__parse(&device->data, text, bytes, where, err);
    if (st != WHET_OK)
        goto out;
    device->replay.seed = device->data->seed;
    device->replay.epoch_ns = device->data->epoch_ns;
    facts = &device->replay.facts;
    *facts = device->data->facts;
    /* Its own identity: results replayed from a file must never pass for
     * results of the device itself, nor made-up ones for measured ones. */
    whet_strcopy(facts->backend, sizeof facts->backend, "recorded");
    if (facts->evidence != WHET_EVIDENCE_SCRIPTED)
        facts->evidence = WHET_EVIDENCE_RECORDED;
    whet_replay__identify(facts);
    *out = device;
    device = NULL;
out:
    recorded_close(device);
    return st;
}

static whet_status recorded_open(whet_device **out, const char *selector,
                                 whet_err *err)
{
    whet_buf text = {0};
    whet_status st;

    *out = NULL;
    if (selector == NULL || selector[0] == '\0')
        return whet_err_set(err, WHET_EINVAL,
                            "recorded: no file named, expected "
                            "\"recorded:FILE\"");
    st = whet_fs_read(&text, selector, WHET_RECORDING_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_recorded__open_text(out, whet_buf_str(&text), text.bytes,
                                      selector, err);
    whet_buf_deinit(&text);
    return st;
}

static const whet_device_facts *recorded_facts(const whet_device *device)
{
    return &device->replay.facts;
}

static whet_clock recorded_clock(whet_device *device)
{
    return whet_replay__clock(&device->replay);
}

static whet_status recorded_entropy(whet_device *device, void *out16,
                                    whet_err *err)
{
    (void)err;
    whet_replay__entropy(&device->replay, out16);
    return WHET_OK;
}

static whet_status find_entry(const whet_recording_entry **out,
                              const whet_device *device,
                              const whet_hash *candidate,
                              const char *point_text, whet_err *err)
{
    *out = whet_recording__find(device->data, candidate);
    if (*out != NULL)
        return WHET_OK;
    return whet_err_set(err, WHET_ENOTFOUND,
                        "not recorded: candidate %.12s at %.200s",
                        candidate->text, point_text);
}

static whet_status recorded_build(bool *accepted_out,
                                  whet_diagnostic *diagnostic,
                                  whet_device *device,
                                  const whet_hash *candidate,
                                  const char *point_text, whet_err *err)
{
    const whet_recording_entry *entry;
    whet_status st = find_entry(&entry, device, candidate, point_text, err);

    *accepted_out = false;
    *diagnostic = (whet_diagnostic){0};
    if (st != WHET_OK)
        return st;
    *accepted_out = entry->is_accepted;
    diagnostic->kind = (whet_diagnostic_kind)entry->kind;
    diagnostic->line = entry->line;
    diagnostic->column = entry->column;
    whet_strcopy(diagnostic->text, sizeof diagnostic->text, entry->text);
    whet_replay__advance(&device->replay, entry->build_ns);
    return WHET_OK;
}

static const whet_recording_workload *
find_workload(const whet_recording_entry *entry, const char *text)
{
    for (size_t i = 0; i < entry->workload_count; i++) {
        if (strcmp(entry->workloads[i].text, text) == 0)
            return &entry->workloads[i];
    }
    return NULL;
}

static whet_status recorded_call(whet_replay_call *out, whet_device *device,
                                 const whet_hash *candidate,
                                 const char *point_text, const char *workload,
                                 uint64_t call, whet_err *err)
{
    const whet_recording_workload *calls;
    const whet_recording_entry *entry;
    whet_status st = find_entry(&entry, device, candidate, point_text, err);

    *out = (whet_replay_call){0};
    if (st != WHET_OK)
        return st;
    calls = find_workload(entry, workload);
    if (calls != NULL) {
        out->is_correct = calls->is_correct;
        whet_strcopy(out->reason, sizeof out->reason, calls->reason);
        if (calls->time_count > 0)
            out->elapsed_ns = calls->times_ns[call % calls->time_count];
        whet_replay__advance(&device->replay, out->elapsed_ns);
        return WHET_OK;
    }
    /* Hidden shapes are drawn anew in each session, so a recording keeps one
     * answer for all of them; they are checked, never timed. */
    if (!entry->is_accepted || entry->hidden == WHET_RECORDING_HIDDEN_UNKNOWN)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "not recorded: candidate %.12s on workload "
                            "%.200s",
                            candidate->text, workload);
    out->is_correct = entry->hidden == WHET_RECORDING_HIDDEN_OK;
    whet_strcopy(out->reason, sizeof out->reason, entry->hidden_reason);
    return WHET_OK;
}

const char *whet_recording_task_hash(const whet_device_handle *handle)
{
    if (handle->ops != &whet_device_recorded || handle->device == NULL)
        return "";
    return handle->device->data->task_hash.text;
}

const whet_device_ops whet_device_recorded = {
    .name = "recorded",
    .summary = "replays stored evaluations with their times, keys and clock",
    .selector_help = "recording file, from `whet export --recording`",
    .caps = WHET_DEVICE_CAP_REPLAY,
    .probe = recorded_probe,
    .open = recorded_open,
    .close = recorded_close,
    .facts = recorded_facts,
    .clock = recorded_clock,
    .entropy = recorded_entropy,
    .replay_build = recorded_build,
    .replay_call = recorded_call,
};
