/* Reading a recording. The document is checked member by member and turned
 * into one compact, sorted table, so that the JSON tree, many times its size,
 * does not stay in memory and a look-up is a binary search. */

#include "device/recording_priv.h"

#include <stdlib.h>
#include <string.h>

static whet_status no_memory(whet_err *err)
{
    return whet_err_set(err, WHET_ENOMEM, "out of memory");
}

const char *whet_recording__kind_name(uint32_t kind)
{
    static const char *const names[] = {"none", "error", "timeout", "crash",
                                        "limit"};

    return kind < sizeof names / sizeof names[0] ? names[kind] : "none";
}

/* Commas and brackets outside strings: an upper bound of the values. */
static size_t count_values(const char *text, size_t bytes)
{
    bool in_string = false;
    size_t count = 0;

    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];

        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == ',' || c == '[' || c == '{'))
            count++;
    }
    return count;
}

/* Hash member. */
static whet_status get_hash(whet_hash *out, const json_t *object,
                            const char *key, whet_err *err)
{
    const char *text;
    whet_status st = whet_json_get_str(&text, object, key, err);

    if (st != WHET_OK)
        return st;
    if (!whet_replay__is_hash(text))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"%s\" is \"%.80s\", expected 64 "
                            "lower-case hex digits",
                            key, text);
    memcpy(out->text, text, sizeof out->text);
    return WHET_OK;
}

/* Optional reason; `*out` is "" or in the arena. */
static whet_status get_reason(const char **out, whet_recording_data *data,
                              const json_t *object, const char *key,
                              whet_err *err)
{
    const char *text;
    whet_status st;

    *out = "";
    if (json_object_get(object, key) == NULL)
        return WHET_OK;
    if ((st = whet_json_get_str(&text, object, key, err)) != WHET_OK)
        return st;
    if (text[0] == '\0')
        return WHET_OK;
    if (!whet_replay__is_reason(text))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"%s\" is \"%.64s\", expected a reason "
                            "such as \"mismatch\"",
                            key, text);
    *out = whet_arena_strndup(data->arena, text, strlen(text));
    return *out != NULL ? WHET_OK : no_memory(err);
}

static whet_status read_diagnostic(whet_recording_entry *entry,
                                   whet_recording_data *data,
                                   const json_t *object, whet_err *err)
{
    static const char *const keys[] = {"kind", "line", "column", "text", NULL};
    char text[WHET_DIAGNOSTIC_BYTES_MAX];
    uint64_t line = 0, column = 0;
    const char *word = "";
    whet_status st = whet_device__check_keys(object, keys, err);

    if (st == WHET_OK)
        st = whet_json_get_str(&word, object, "kind", err);
    if (st != WHET_OK)
        return st;
    entry->kind = WHET_DIAGNOSTIC_NONE;
    for (uint32_t i = WHET_DIAGNOSTIC_ERROR; i <= WHET_DIAGNOSTIC_LIMIT; i++) {
        if (strcmp(word, whet_recording__kind_name(i)) == 0)
            entry->kind = i;
    }
    if (entry->kind == WHET_DIAGNOSTIC_NONE)
        return whet_err_set(err, WHET_EINVAL,
                            "member \"kind\" is \"%.64s\", expected \"error\", "
                            "\"timeout\", \"crash\" or \"limit\"",
                            word);
    st = whet_device__opt_u64(&line, object, "line", UINT32_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&column, object, "column", UINT32_MAX, err);
    if (st == WHET_OK)
        st =
            whet_device__opt_text(text, sizeof text, object, "text", true, err);
    if (st != WHET_OK)
        return st;
    entry->line = (uint32_t)line;
    entry->column = (uint32_t)column;
    entry->text = whet_arena_strndup(data->arena, text, strlen(text));
    return entry->text != NULL ? WHET_OK : no_memory(err);
}

static whet_status read_build(whet_recording_entry *entry,
                              whet_recording_data *data, const json_t *object,
                              whet_err *err)
{
    static const char *const keys[] = {"accepted", "build_ns", "diagnostic",
                                       NULL};
    const json_t *diagnostic = json_object_get(object, "diagnostic");
    whet_status st = whet_device__check_keys(object, keys, err);

    if (st == WHET_OK)
        st = whet_json_get_bool(&entry->is_accepted, object, "accepted", err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&entry->build_ns, object, "build_ns",
                                  WHET_REPLAY_TIME_MAX_NS, err);
    if (st != WHET_OK)
        return st;
    if (entry->is_accepted != (diagnostic == NULL))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"diagnostic\": expected if and only if "
                            "the build was not accepted");
    if (diagnostic == NULL)
        return WHET_OK;
    st = read_diagnostic(entry, data, diagnostic, err);
    return st == WHET_OK ? st : whet_err_prefix(err, st, "diagnostic");
}

static whet_status read_times(whet_recording_workload *workload,
                              whet_recording_data *data, const json_t *object,
                              whet_err *err)
{
    uint64_t *times_ns;
    json_t *array;
    whet_status st = whet_json_get_array(&array, object, "times_ns", err);

    if (st != WHET_OK)
        return st;
    workload->time_count = json_array_size(array);
    if (workload->time_count > WHET_RECORDING_TIME_MAX ||
        (workload->is_correct && workload->time_count == 0))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"times_ns\" has %zu items, expected at "
                            "most %d, and at least 1 if correct",
                            workload->time_count, WHET_RECORDING_TIME_MAX);
    times_ns =
        whet_arena_alloc(data->arena, workload->time_count * sizeof *times_ns);
    if (times_ns == NULL)
        return no_memory(err);
    for (size_t i = 0; i < workload->time_count; i++) {
        const json_t *item = json_array_get(array, i);
        json_int_t value = json_integer_value(item);

        if (!json_is_integer(item) || value < 1 ||
            value > WHET_REPLAY_TIME_MAX_NS)
            return whet_err_set(err, WHET_EINVAL,
                                "member \"times_ns\": item %zu: expected an "
                                "integer from 1 to %lld",
                                i, (long long)WHET_REPLAY_TIME_MAX_NS);
        times_ns[i] = (uint64_t)value;
    }
    workload->times_ns = times_ns;
    return WHET_OK;
}

static whet_status read_workload(whet_recording_workload *workload,
                                 whet_recording_data *data, const char *text,
                                 const json_t *object, whet_err *err)
{
    static const char *const keys[] = {"times_ns", "is_correct", "reason",
                                       NULL};
    whet_status st;

    if (text[0] == '\0' || strlen(text) > WHET_REPLAY_WORKLOAD_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "name has %zu bytes, expected 1 to %d",
                            strlen(text), WHET_REPLAY_WORKLOAD_BYTES_MAX);
    workload->text = whet_arena_strndup(data->arena, text, strlen(text));
    if (workload->text == NULL)
        return no_memory(err);
    st = whet_device__check_keys(object, keys, err);
    if (st == WHET_OK)
        st = whet_json_get_bool(&workload->is_correct, object, "is_correct",
                                err);
    if (st == WHET_OK)
        st = get_reason(&workload->reason, data, object, "reason", err);
    if (st != WHET_OK)
        return st;
    if (workload->is_correct != (workload->reason[0] == '\0'))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"reason\": expected if and only if the "
                            "calls were not correct");
    return read_times(workload, data, object, err);
}

static whet_status read_workloads(whet_recording_entry *entry,
                                  whet_recording_data *data,
                                  const json_t *parent, whet_err *err)
{
    json_t *object, *value;
    const char *key;
    size_t count, at = 0;
    whet_status st;

    if (json_object_get(parent, "workloads") == NULL)
        return WHET_OK;
    st = whet_json_get_object(&object, parent, "workloads", err);
    if (st != WHET_OK)
        return st;
    count = json_object_size(object);
    if (count > WHET_RECORDING_WORKLOAD_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%zu workloads, expected at most %d", count,
                            WHET_RECORDING_WORKLOAD_MAX);
    if (count > 0 && !entry->is_accepted)
        return whet_err_set(err, WHET_EINVAL,
                            "member \"workloads\": expected none, since the "
                            "build was not accepted");
    entry->workloads =
        whet_arena_alloc(data->arena, count * sizeof *entry->workloads);
    if (entry->workloads == NULL)
        return no_memory(err);
    json_object_foreach(object, key, value)
    {
        st = read_workload(&entry->workloads[at++], data, key, value, err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "workload \"%.64s\"", key);
    }
    entry->workload_count = count;
    return WHET_OK;
}

static whet_status read_hidden(whet_recording_entry *entry,
                               whet_recording_data *data, const json_t *object,
                               whet_err *err)
{
    const json_t *member = json_object_get(object, "hidden_ok");
    bool is_ok = false;
    whet_status st = WHET_OK;

    if (member != NULL && !json_is_null(member)) {
        st = whet_json_get_bool(&is_ok, object, "hidden_ok", err);
        entry->hidden =
            is_ok ? WHET_RECORDING_HIDDEN_OK : WHET_RECORDING_HIDDEN_WRONG;
    }
    if (st == WHET_OK)
        st = get_reason(&entry->hidden_reason, data, object, "hidden_reason",
                        err);
    if (st != WHET_OK)
        return st;
    if (entry->hidden != WHET_RECORDING_HIDDEN_WRONG &&
        entry->hidden_reason[0] != '\0')
        return whet_err_set(err, WHET_EINVAL,
                            "member \"hidden_reason\": expected only if "
                            "\"hidden_ok\" is false");
    if (entry->hidden == WHET_RECORDING_HIDDEN_WRONG &&
        entry->hidden_reason[0] == '\0')
        entry->hidden_reason = "mismatch";
    return WHET_OK;
}

static whet_status read_entry(whet_recording_entry *entry,
                              whet_recording_data *data, const json_t *object,
                              whet_err *err)
{
    static const char *const keys[] = {
        "candidate", "point",         "build", "workloads",
        "hidden_ok", "hidden_reason", NULL};
    const char *point = "";
    json_t *build = NULL;
    whet_status st = whet_device__check_keys(object, keys, err);

    entry->text = "";
    if (st == WHET_OK)
        st = get_hash(&entry->candidate, object, "candidate", err);
    if (st == WHET_OK)
        st = whet_json_get_str(&point, object, "point", err);
    if (st == WHET_OK && strlen(point) > WHET_RECORDING_POINT_BYTES_MAX)
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"point\" has %zu bytes, expected at most %d",
                          strlen(point), WHET_RECORDING_POINT_BYTES_MAX);
    if (st == WHET_OK)
        st = whet_json_get_object(&build, object, "build", err);
    if (st != WHET_OK)
        return st;
    st = read_build(entry, data, build, err);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "build");
    st = read_workloads(entry, data, object, err);
    return st == WHET_OK ? read_hidden(entry, data, object, err) : st;
}

static int compare_entries(const void *a, const void *b)
{
    const whet_recording_entry *left = a, *right = b;

    return memcmp(left->candidate.text, right->candidate.text,
                  sizeof left->candidate.text);
}

static whet_status read_entries(whet_recording_data *data, const json_t *root,
                                whet_err *err)
{
    json_t *array;
    size_t count;
    whet_status st = whet_json_get_array(&array, root, "entries", err);

    if (st != WHET_OK)
        return st;
    count = json_array_size(array);
    if (count > WHET_RECORDING_ENTRY_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%zu entries, expected at most %d", count,
                            WHET_RECORDING_ENTRY_MAX);
    data->entries =
        whet_arena_alloc(data->arena, count * sizeof *data->entries);
    if (data->entries == NULL)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        st = read_entry(&data->entries[i], data, json_array_get(array, i), err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "entries[%zu]", i);
    }
    qsort(data->entries, count, sizeof *data->entries, compare_entries);
    for (size_t i = 1; i < count; i++) {
        if (compare_entries(&data->entries[i - 1], &data->entries[i]) == 0)
            return whet_err_set(err, WHET_EINVAL,
                                "candidate %s has two entries, expected one",
                                data->entries[i].candidate.text);
    }
    data->entry_count = count;
    return WHET_OK;
}

static whet_status read_root(whet_recording_data *data, const json_t *root,
                             whet_err *err)
{
    static const char *const keys[] = {"whet_recording", "device", "task",
                                       "task_hash",      "seed",   "epoch_ns",
                                       "entries",        NULL};
    json_t *device = NULL;
    int64_t number = 0;
    whet_status st = whet_device__check_keys(root, keys, err);

    if (st == WHET_OK)
        st = whet_json_get_i64(&number, root, "whet_recording", 1, 1, err);
    if (st == WHET_OK)
        st = whet_json_get_object(&device, root, "device", err);
    if (st == WHET_OK) {
        st = whet_device_facts_from_json(&data->facts, device, err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "device");
    }
    if (st == WHET_OK)
        st = whet_device__opt_text(data->task, sizeof data->task, root, "task",
                                   false, err);
    if (st == WHET_OK && data->task[0] == '\0')
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"task\" is missing, expected its name");
    if (st == WHET_OK)
        st = get_hash(&data->task_hash, root, "task_hash", err);
    if (st == WHET_OK)
        st = whet_json_get_i64(&number, root, "seed", 0, INT64_MAX, err);
    data->seed = (uint64_t)number;
    data->epoch_ns = WHET_REPLAY_EPOCH_NS;
    if (st == WHET_OK)
        st = whet_device__opt_u64(&data->epoch_ns, root, "epoch_ns", INT64_MAX,
                                  err);
    return st == WHET_OK ? read_entries(data, root, err) : st;
}

whet_status whet_recording__parse(whet_recording_data **out, const char *text,
                                  size_t bytes, const char *where,
                                  whet_err *err)
{
    whet_status st = WHET_OK;
    whet_recording_data *data = NULL;
    json_t *root = NULL;

    *out = NULL;
    if (bytes > WHET_RECORDING_BYTES_MAX ||
        count_values(text, bytes) > WHET_RECORDING_VALUE_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: too large, expected at most %d bytes and %d "
                            "values",
                            where, WHET_RECORDING_BYTES_MAX,
                            WHET_RECORDING_VALUE_MAX);
    data = calloc(1, sizeof *data);
    if (data == NULL || (data->arena = whet_arena_new()) == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
        goto out;
    }
    if ((st = whet_json_parse(&root, text, bytes, where, err)) != WHET_OK)
        goto out;
    if ((st = read_root(data, root, err)) != WHET_OK) {
        st = whet_err_prefix(err, st, "%s", where);
        goto out;
    }
    *out = data;
    data = NULL;
out:
    json_decref(root);
    whet_recording__free(data);
    return st;
}

void whet_recording__free(whet_recording_data *data)
{
    if (data == NULL)
        return;
    whet_arena_free(data->arena);
    free(data);
}

static int compare_key(const void *key, const void *item)
{
    const whet_hash *candidate = key;
    const whet_recording_entry *entry = item;

    return memcmp(candidate->text, entry->candidate.text,
                  sizeof candidate->text);
}

const whet_recording_entry *
whet_recording__find(const whet_recording_data *data,
                     const whet_hash *candidate)
{
    return bsearch(candidate, data->entries, data->entry_count,
                   sizeof *data->entries, compare_key);
}
