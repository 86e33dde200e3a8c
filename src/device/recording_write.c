/* Writing a recording. The limits of the reader hold here too, so that every
 * recording that was written can be read. */

#include "device/recording_priv.h"

#include <stdlib.h>
#include <string.h>

struct whet_recording {
    json_t *root;
    json_t *entries; /**< Owned; object by candidate, in order of adding. */
    size_t value_count;
};

enum {
    /* Upper bounds of the JSON values besides times. */
    VALUES_PER_ROOT = 64,
    VALUES_PER_ENTRY = 24,
    VALUES_PER_WORKLOAD = 8
};

static whet_status no_memory(whet_err *err)
{
    return whet_err_set(err, WHET_ENOMEM, "recording: out of memory");
}

/* Account for values before they are added. */
static whet_status reserve(whet_recording *recording, size_t count,
                           whet_err *err)
{
    if (count > WHET_RECORDING_VALUE_MAX - recording->value_count)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: too large, expected at most %d values",
                            WHET_RECORDING_VALUE_MAX);
    recording->value_count += count;
    return WHET_OK;
}

static whet_status check_hash(const whet_hash *hash, const char *what,
                              whet_err *err)
{
    if (memchr(hash->text, '\0', sizeof hash->text) != NULL &&
        whet_replay__is_hash(hash->text))
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "recording: %s: expected 64 lower-case hex digits",
                        what);
}

static bool set_integer(json_t *object, const char *key, uint64_t value)
{
    return whet_json_set(object, key, json_integer((json_int_t)value));
}

static bool set_text(json_t *object, const char *key, const char *text,
                     size_t max_bytes)
{
    return whet_json_set(object, key,
                         whet_json_outside_text(text, strlen(text), max_bytes));
}

whet_status whet_recording_new(whet_recording **out,
                               const whet_device_facts *facts, const char *task,
                               const whet_hash *task_hash, uint64_t seed,
                               uint64_t epoch_ns, whet_err *err)
{
    whet_status st = WHET_OK;
    whet_recording *recording = NULL;

    *out = NULL;
    if ((st = check_hash(task_hash, "task hash", err)) != WHET_OK)
        return st;
    if (seed > INT64_MAX || epoch_ns > INT64_MAX || task[0] == '\0' ||
        strlen(task) >= WHET_NAME_BYTES)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: expected a task name of 1 to %d bytes "
                            "and seed and epoch below 2^63",
                            WHET_NAME_BYTES - 1);
    recording = calloc(1, sizeof *recording);
    if (recording == NULL)
        return no_memory(err);
    recording->value_count = VALUES_PER_ROOT;
    recording->root = json_object();
    recording->entries = json_object();
    if (recording->root == NULL || recording->entries == NULL ||
        !set_integer(recording->root, "whet_recording", 1) ||
        !whet_json_set(recording->root, "device",
                       whet_device_facts_to_json(facts)) ||
        !set_text(recording->root, "task", task, WHET_NAME_BYTES - 1) ||
        !set_text(recording->root, "task_hash", task_hash->text,
                  WHET_HASH_TEXT_BYTES) ||
        !set_integer(recording->root, "seed", seed) ||
        !set_integer(recording->root, "epoch_ns", epoch_ns)) {
        st = no_memory(err);
        goto out;
    }
    *out = recording;
    recording = NULL;
out:
    whet_recording_free(recording);
    return st;
}

void whet_recording_free(whet_recording *recording)
{
    if (recording == NULL)
        return;
    json_decref(recording->entries);
    json_decref(recording->root);
    free(recording);
}

static json_t *diagnostic_json(const whet_diagnostic *diagnostic)
{
    json_t *object = json_object();

    if (object != NULL &&
        whet_json_set(
            object, "kind",
            json_string(whet_recording__kind_name(diagnostic->kind))) &&
        set_integer(object, "line", diagnostic->line) &&
        set_integer(object, "column", diagnostic->column) &&
        set_text(object, "text", diagnostic->text,
                 WHET_DIAGNOSTIC_BYTES_MAX - 1))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *entry_json(const whet_hash *candidate, const char *point_text,
                          uint64_t build_ns, const whet_diagnostic *diagnostic)
{
    json_t *entry = json_object(), *build = json_object();

    if (entry != NULL && build != NULL &&
        set_text(entry, "candidate", candidate->text, WHET_HASH_TEXT_BYTES) &&
        set_text(entry, "point", point_text, WHET_RECORDING_POINT_BYTES_MAX) &&
        whet_json_set(build, "accepted", json_boolean(diagnostic == NULL)) &&
        set_integer(build, "build_ns", build_ns) &&
        (diagnostic == NULL ||
         whet_json_set(build, "diagnostic", diagnostic_json(diagnostic))) &&
        whet_json_set(entry, "build", json_incref(build)) &&
        (diagnostic != NULL ||
         whet_json_set(entry, "workloads", json_object()))) {
        json_decref(build);
        return entry;
    }
    json_decref(build);
    json_decref(entry);
    return NULL;
}

whet_status whet_recording_add_build(whet_recording *recording,
                                     const whet_hash *candidate,
                                     const char *point_text, uint64_t build_ns,
                                     const whet_diagnostic *diagnostic,
                                     whet_err *err)
{
    whet_status st = check_hash(candidate, "candidate", err);

    if (st != WHET_OK)
        return st;
    if (json_object_get(recording->entries, candidate->text) != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: candidate %.12s was added already",
                            candidate->text);
    if (json_object_size(recording->entries) >= WHET_RECORDING_ENTRY_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: expected at most %d entries",
                            WHET_RECORDING_ENTRY_MAX);
    if (diagnostic != NULL && (diagnostic->kind <= WHET_DIAGNOSTIC_NONE ||
                               diagnostic->kind > WHET_DIAGNOSTIC_LIMIT))
        return whet_err_set(err, WHET_EINVAL,
                            "recording: candidate %.12s: refused without a "
                            "kind of diagnostic",
                            candidate->text);
    if (build_ns > (uint64_t)WHET_REPLAY_TIME_MAX_NS)
        build_ns = (uint64_t)WHET_REPLAY_TIME_MAX_NS;
    if ((st = reserve(recording, VALUES_PER_ENTRY, err)) != WHET_OK)
        return st;
    if (!whet_json_set(recording->entries, candidate->text,
                       entry_json(candidate, point_text, build_ns, diagnostic)))
        return no_memory(err);
    return WHET_OK;
}

/* An entry that was added and accepted. */
static whet_status accepted_entry(json_t **out, whet_recording *recording,
                                  const whet_hash *candidate, whet_err *err)
{
    *out = json_object_get(recording->entries, candidate->text);
    if (*out != NULL && json_object_get(*out, "workloads") != NULL)
        return WHET_OK;
    return whet_err_set(err, WHET_ENOTFOUND,
                        "recording: candidate %.12s has no accepted build",
                        candidate->text);
}

static whet_status check_calls(const char *workload, const uint64_t *times_ns,
                               size_t count, const char *reason, whet_err *err)
{
    if (workload[0] == '\0' ||
        strlen(workload) > WHET_REPLAY_WORKLOAD_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: workload has %zu bytes, expected 1 to "
                            "%d",
                            strlen(workload), WHET_REPLAY_WORKLOAD_BYTES_MAX);
    if (reason[0] != '\0' && !whet_replay__is_reason(reason))
        return whet_err_set(err, WHET_EINVAL,
                            "recording: reason is \"%.64s\", expected a word",
                            reason);
    if (reason[0] == '\0' && count == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: workload %.64s: correct calls without "
                            "times",
                            workload);
    for (size_t i = 0; i < count; i++) {
        if (times_ns[i] < 1 || times_ns[i] > (uint64_t)WHET_REPLAY_TIME_MAX_NS)
            return whet_err_set(err, WHET_EINVAL,
                                "recording: workload %.64s: call %zu: expected "
                                "1 ns to a day",
                                workload, i);
    }
    return WHET_OK;
}

/* The workload's object, made if it is new. */
static whet_status workload_json(json_t **out, whet_recording *recording,
                                 json_t *workloads, const char *workload,
                                 whet_err *err)
{
    whet_status st;
    json_t *object;

    *out = json_object_get(workloads, workload);
    if (*out != NULL)
        return WHET_OK;
    if (json_object_size(workloads) >= WHET_RECORDING_WORKLOAD_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "recording: expected at most %d workloads of a "
                            "candidate",
                            WHET_RECORDING_WORKLOAD_MAX);
    if ((st = reserve(recording, VALUES_PER_WORKLOAD, err)) != WHET_OK)
        return st;
    object = json_object();
    if (object == NULL || !whet_json_set(object, "times_ns", json_array()) ||
        !whet_json_set(object, "is_correct", json_true()) ||
        !whet_json_set(object, "reason", json_string("")) ||
        !whet_json_set(workloads, workload, json_incref(object))) {
        json_decref(object);
        return no_memory(err);
    }
    json_decref(object);
    *out = object;
    return WHET_OK;
}

whet_status whet_recording_add_calls(whet_recording *recording,
                                     const whet_hash *candidate,
                                     const char *workload,
                                     const uint64_t *times_ns, size_t count,
                                     const char *reason, whet_err *err)
{
    json_t *entry, *object, *times;
    whet_status st;

    if ((st = check_calls(workload, times_ns, count, reason, err)) != WHET_OK)
        return st;
    if ((st = accepted_entry(&entry, recording, candidate, err)) != WHET_OK)
        return st;
    st = workload_json(&object, recording, json_object_get(entry, "workloads"),
                       workload, err);
    if (st != WHET_OK)
        return st;
    times = json_object_get(object, "times_ns");
    if (count > WHET_RECORDING_TIME_MAX - json_array_size(times))
        return whet_err_set(err, WHET_EINVAL,
                            "recording: expected at most %d calls of a "
                            "workload",
                            WHET_RECORDING_TIME_MAX);
    if ((st = reserve(recording, count, err)) != WHET_OK)
        return st;
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(times,
                                  json_integer((json_int_t)times_ns[i])) != 0)
            return no_memory(err);
    }
    if (reason[0] == '\0' ||
        !json_is_true(json_object_get(object, "is_correct")))
        return WHET_OK;
    if (!whet_json_set(object, "is_correct", json_false()) ||
        !whet_json_set(object, "reason", json_string(reason)))
        return no_memory(err);
    return WHET_OK;
}

whet_status whet_recording_set_hidden(whet_recording *recording,
                                      const whet_hash *candidate,
                                      const char *reason, whet_err *err)
{
    json_t *entry;
    whet_status st;

    if (reason[0] != '\0' && !whet_replay__is_reason(reason))
        return whet_err_set(err, WHET_EINVAL,
                            "recording: reason is \"%.64s\", expected a word",
                            reason);
    if ((st = accepted_entry(&entry, recording, candidate, err)) != WHET_OK)
        return st;
    /* One failure counts for good, whatever is added later. */
    if (json_is_false(json_object_get(entry, "hidden_ok")))
        return WHET_OK;
    if (!whet_json_set(entry, "hidden_ok", json_boolean(reason[0] == '\0')) ||
        (reason[0] != '\0' &&
         !whet_json_set(entry, "hidden_reason", json_string(reason))))
        return no_memory(err);
    return WHET_OK;
}

whet_status whet_recording_finish(json_t **out, whet_recording *recording,
                                  whet_err *err)
{
    json_t *array = json_array(), *entry;
    const char *key;

    *out = NULL;
    if (array == NULL)
        return no_memory(err);
    json_object_foreach(recording->entries, key, entry)
    {
        if (json_array_append(array, entry) == 0)
            continue;
        json_decref(array);
        return no_memory(err);
    }
    if (!whet_json_set(recording->root, "entries", array))
        return no_memory(err);
    *out = json_incref(recording->root);
    return WHET_OK;
}
