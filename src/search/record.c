/* The ledger side of a run: everything that defines it is written before the
 * first evaluation (task files, baseline, templates as blobs), so that resume
 * and re-judging need nothing but the ledger. */

#include "search/run_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t file_bytes_max = 1 << 20;

static char *memo_key(const char *kind, const char *hash, unsigned rung)
{
    return whet_asprintf("%s:%s:%u", kind, hash, rung);
}

const json_t *whet_search__recall(const whet_run *run, const char *kind,
                                  const char *hash, unsigned rung)
{
    char *key = memo_key(kind, hash, rung);
    const json_t *data = key ? json_object_get(run->memo, key) : NULL;

    free(key);
    return data;
}

static void remember(whet_run *run, const char *kind, const char *hash,
                     unsigned rung, json_t *data)
{
    char *key = memo_key(kind, hash, rung);

    if (key != NULL)
        json_object_set(run->memo, key, data);
    free(key);
}

whet_status whet_search__record(whet_run *run, const char *kind,
                                const char *hash, unsigned rung, json_t *data,
                                whet_err *err)
{
    whet_status st = WHET_OK;

    if (data == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    if (run->is_resumed && !run->has_written) {
        json_t *resumed = json_object();

        st = whet_ledger_append(NULL, run->ledger, run->id, "resumed", "",
                                resumed, err);
        json_decref(resumed);
    }
    if (st == WHET_OK)
        st = whet_ledger_append(NULL, run->ledger, run->id, kind, hash, data,
                                err);
    if (st == WHET_OK) {
        run->has_written = true;
        remember(run, kind, hash, rung, data);
    }
    json_decref(data);
    return st;
}

static json_t *point_json(const whet_candidate *candidate,
                          const whet_point *point)
{
    json_t *json = json_object();
    unsigned i;

    for (i = 0; i < candidate->tunable_count; i++)
        json_object_set_new(json, candidate->tunables[i].name,
                            json_integer(point->value[i]));
    return json;
}

whet_status whet_search__record_candidate(whet_run *run,
                                          const whet_trial *trial,
                                          whet_err *err)
{
    const whet_source *source = &run->sources[trial->source];
    const whet_candidate *candidate = source->candidate;
    whet_hash blob =
        whet_hash_bytes(candidate->source, candidate->source_bytes);
    char text[256];

    if (whet_search__recall(run, "candidate", trial->hash.text, 0) != NULL)
        return WHET_OK;
    whet_point_format(text, sizeof text, candidate, &trial->point);
    return whet_search__record(
        run, "candidate", trial->hash.text, 0,
        json_pack("{s:s,s:s,s:o,s:s,s:s,s:s,s:s}", "source", blob.text,
                  "language", candidate->language, "point",
                  point_json(candidate, &trial->point), "point_text", text,
                  "move", trial->parent[0] ? "tune" : "skill", "skill",
                  source->skill, "parent", trial->parent),
        err);
}

/* --- starting ------------------------------------------------------------- */

static whet_status put_file(json_t *files, whet_run *run, const char *path,
                            const char *name, whet_err *err)
{
    whet_buf text = {0};
    whet_hash hash;
    whet_status st;

    if (!whet_search__is_plain_name(name))
        return whet_err_set(err, WHET_EINVAL,
                            "%s: a ledger cannot keep a task file of this "
                            "name, expected at most 200 printable characters",
                            path);
    st = whet_fs_read(&text, path, file_bytes_max, err);
    if (st == WHET_OK)
        st = whet_ledger_put_blob(&hash, run->ledger, whet_buf_str(&text),
                                  text.bytes, err);
    if (st == WHET_OK && !whet_json_set(files, name, json_string(hash.text)))
        st = whet_err_set(err, WHET_ENOMEM, "out of memory");
    whet_buf_deinit(&text);
    return st;
}

/* The task folder's files, one level of folders deep. What an editor or a
 * version control hides there is no part of the task. */
static whet_status put_folder(json_t *files, whet_run *run, const char *dir,
                              const char *prefix, int depth, whet_err *err)
{
    char **names = NULL;
    whet_status st = whet_fs_list(&names, dir, err);
    size_t i;

    for (i = 0; st == WHET_OK && names[i] != NULL; i++) {
        char *path = whet_fs_join(dir, names[i]);
        char *name = whet_asprintf("%s%s", prefix, names[i]);
        size_t length = name ? strlen(name) : 0;

        if (names[i][0] == '.') {
            free(path);
            free(name);
            continue;
        }
        if (path == NULL || name == NULL) {
            st = whet_err_set(err, WHET_ENOMEM, "out of memory");
        } else if (whet_fs_is_dir(path)) {
            char *below = whet_asprintf("%s/", name);

            if (depth > 0 && below != NULL)
                st = put_folder(files, run, path, below, depth - 1, err);
            free(below);
        } else if (length < 3 || strcmp(name + length - 3, ".so") != 0) {
            st = put_file(files, run, path, name, err);
        }
        free(path);
        free(name);
    }
    whet_fs_list_free(names);
    return st;
}

static whet_status put_source(json_t *list, whet_run *run, const char *skill,
                              const whet_candidate *candidate, whet_err *err)
{
    whet_hash hash;
    whet_status st = whet_ledger_put_blob(&hash, run->ledger, candidate->source,
                                          candidate->source_bytes, err);

    if (st == WHET_OK)
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "skill", skill,
                                              "language", candidate->language,
                                              "source", hash.text));
    return st;
}

static bool count_event(const whet_event *event, void *payload)
{
    ++*(uint64_t *)payload;
    return true;
}

/* A word for the run that is the same whenever a recorded device replays it.
 * A replayed clock always starts at the same moment, so the number of earlier
 * runs tells those of one ledger apart. */
static whet_status name_run(whet_run *run, whet_err *err)
{
    whet_event_query query = {.kind = "run_started"};
    uint64_t earlier = 0;
    whet_hasher hasher;
    char text[96];
    whet_status st =
        whet_ledger_each(run->ledger, &query, count_event, &earlier, err);

    if (st != WHET_OK)
        return st;
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64,
             run->opts.seed, whet_clock_wall(&run->clock), earlier);
    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "task", run->task->hash.text);
    whet_hasher_add_str(&hasher, "device", run->device.facts.id);
    whet_hasher_add_str(&hasher, "start", text);
    snprintf(run->id, sizeof run->id, "r%.12s",
             whet_hasher_finish(&hasher).text);
    return WHET_OK;
}

static json_t *start_data(const whet_run *run, json_t *files, json_t *sources,
                          json_t *baseline)
{
    const whet_budget *budget = &run->opts.budget;
    whet_point point = whet_candidate_default_point(run->baseline);
    whet_hash base = whet_candidate_hash(run->baseline, &point);

    return json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:b,s:o,s:o,s:o,s:o,s:s}",
        "task", run->task->name, "task_hash", run->task->hash.text, "device",
        run->opts.device ? run->opts.device : "auto", "device_id",
        run->device.facts.id, "device_name", run->device.facts.name, "workload",
        run->workload_text, "seed", (json_int_t)run->opts.seed, "evaluations",
        (json_int_t)budget->evaluations, "wall_ns", (json_int_t)budget->wall_ns,
        "confirm_calls", (json_int_t)run->opts.confirm_calls, "is_unsafe",
        run->opts.is_unsafe, "task_files", files, "sources", sources,
        "baseline", baseline, "device_facts",
        whet_device_facts_to_json(&run->device.facts), "baseline_hash",
        base.text);
}

static whet_status write_start(whet_run *run, whet_err *err)
{
    json_t *files = json_object(), *sources = json_array();
    json_t *baseline = json_array(), *data;
    whet_status st = whet_ledger_begin(run->ledger, err);
    unsigned i;

    if (st == WHET_OK)
        st = put_folder(files, run, run->task->dir, "", 1, err);
    for (i = 0; st == WHET_OK && i < run->source_count; i++)
        st = put_source(sources, run, run->sources[i].skill,
                        run->sources[i].candidate, err);
    if (st == WHET_OK)
        st = put_source(baseline, run, "", run->baseline, err);
    data = start_data(run, files, sources, baseline);
    if (st == WHET_OK)
        st = whet_search__record(run, "run_started", "", 0, data, err);
    else
        json_decref(data);
    if (st == WHET_OK)
        return whet_ledger_commit(run->ledger, err);
    whet_ledger_rollback(run->ledger);
    return st;
}

/* --- finding the pieces --------------------------------------------------- */

static bool accepts(const whet_run *run, const char *language)
{
    return (run->device.ops->caps & WHET_DEVICE_CAP_REPLAY) ||
           whet_device_accepts(run->device.ops, language);
}

static whet_status add_source(whet_run *run, const char *skill,
                              whet_candidate *candidate, whet_err *err)
{
    if (!accepts(run, candidate->language)) {
        whet_candidate_free(candidate);
        return WHET_OK;
    }
    if (run->source_count == WHET_TEMPLATE_MAX) {
        whet_candidate_free(candidate);
        return whet_err_set(err, WHET_EINVAL,
                            "more than %d templates apply to this task",
                            WHET_TEMPLATE_MAX);
    }
    (void)whet_strcopy(run->sources[run->source_count].skill, WHET_NAME_BYTES,
                       skill);
    run->sources[run->source_count++].candidate = candidate;
    return WHET_OK;
}

/* A template that a skill keeps for one kind of device is not tried on the
 * other: it would be right and slow. */
static bool has_features(const whet_run *run, const whet_skill *skill)
{
    const char *kind = run->device.facts.is_cpu ? "cpu" : "gpu";
    unsigned i;

    for (i = 0; i < skill->feature_count; i++)
        if (strcmp(skill->features[i], kind) != 0)
            return false;
    return true;
}

static whet_status find_sources(whet_run *run, whet_err *err)
{
    whet_skills skills = {0};
    whet_status st = whet_skills_load(&skills, run->opts.skills, err);
    unsigned i;

    for (i = 0; st == WHET_OK && i < skills.count; i++) {
        const whet_skill *skill = &skills.items[i];
        whet_candidate *candidate;
        whet_err why = {0};

        if (skill->template_path == NULL ||
            !whet_skill_applies(skill, run->task) || !has_features(run, skill))
            continue;
        st = whet_candidate_load(&candidate, skill->template_path, run->task,
                                 &why);
        if (st == WHET_OK) {
            st = add_source(run, skill->id, candidate, err);
        } else if (st == WHET_EINVAL) {
            /* Written for other names than this task's, say: no reason to
             * do without the others. */
            whet_log_write(&run->opts.log, WHET_LOG_WARN,
                           "skill %s is left out: %s", skill->id, why.msg);
            st = WHET_OK;
        } else {
            st = whet_err_set(err, st, "%s", why.msg);
        }
    }
    whet_skills_deinit(&skills);
    return st;
}

/* What the ledger keeps as text must be text. */
static whet_status check_text(const whet_run *run, whet_err *err)
{
    json_t *text = json_string(run->opts.device ? run->opts.device : "auto");

    json_decref(text);
    if (text != NULL)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "the name of the device is not valid UTF-8");
}

static whet_status prepare(whet_run *run, whet_err *err)
{
    run->clock = run->device.ops->clock(run->device.device);
    run->start_ns = whet_clock_now(&run->clock);
    run->memo = json_object();
    whet_workload_format(run->workload_text, sizeof run->workload_text,
                         run->task, &run->workload);
    run->has_calibration =
        whet_calibration_load(&run->calibration, &run->device.facts, NULL) ==
        WHET_OK;
    return run->memo ? WHET_OK
                     : whet_err_set(err, WHET_ENOMEM, "out of memory");
}

/* Hashes of candidates do not cover the task. */
static whet_status check_recording(const whet_run *run, whet_err *err)
{
    const char *hash = whet_recording_task_hash(&run->device);

    if (hash[0] == '\0' || strcmp(hash, run->task->hash.text) == 0)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "the recording is of another task than %s",
                        run->task->name);
}

/* Nothing of a run that could not start stays behind. */
static void remove_ledger(const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    size_t i;

    for (i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = whet_asprintf("%s%s", path, suffixes[i]);

        if (name != NULL)
            (void)unlink(name);
        free(name);
    }
}

static whet_status start_ledger(whet_run *run, whet_err *err)
{
    bool was_absent = !whet_fs_exists(run->opts.ledger);
    whet_status st = whet_ledger_open(&run->ledger, run->opts.ledger,
                                      WHET_LEDGER_CREATE, &run->clock, err);

    if (st != WHET_OK)
        return st;
    st = name_run(run, err);
    if (st == WHET_OK)
        st = write_start(run, err);
    if (st != WHET_OK && was_absent) {
        whet_ledger_close(run->ledger);
        run->ledger = NULL;
        remove_ledger(run->opts.ledger);
    }
    return st;
}

whet_status whet_search__begin(whet_run *run, whet_err *err)
{
    const char *workload = run->opts.workload ? run->opts.workload : "0";
    whet_status st;

    if ((st = whet_task_load(&run->task, run->opts.task, err)) != WHET_OK ||
        (st = whet_task_workload(&run->workload, run->task, workload, err)) !=
            WHET_OK ||
        (st = check_text(run, err)) != WHET_OK ||
        (st =
             whet_device_open_locked(&run->device, &run->lock, run->opts.device,
                                     &run->opts.pick, err)) != WHET_OK ||
        (st = prepare(run, err)) != WHET_OK ||
        (st = whet_search_baseline(&run->baseline, run->task, &run->device,
                                   run->opts.baseline, err)) != WHET_OK ||
        (st = find_sources(run, err)) != WHET_OK)
        return st;
    if ((st = check_recording(run, err)) != WHET_OK)
        return st;
    if (run->source_count == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "no skill with a template applies to task %s (op "
                            "%s)",
                            run->task->name, run->task->op);
    if ((st = whet_search__open_judge(run, err)) != WHET_OK ||
        (st = whet_search__need_baseline(run, err)) != WHET_OK)
        return st;
    return start_ledger(run, err);
}

/* --- resuming ------------------------------------------------------------- */

static bool keep_start(const whet_event *event, void *payload)
{
    whet_run *run = payload;

    json_decref(run->started);
    run->started = json_deep_copy(event->data);
    return true;
}

static bool keep_result(const whet_event *event, void *payload)
{
    whet_run *run = payload;
    json_t *rung = json_object_get(event->data, "rung");
    json_t *copy = json_deep_copy(event->data);

    remember(run, event->kind, event->subject,
             (unsigned)json_integer_value(rung), copy);
    json_decref(copy);
    return true;
}

/* Time that earlier parts took, without the pauses between them: what the run
 * said when it stopped, else the wall stamps of its events, gaps at "resumed"
 * left out. */
struct span {
    uint64_t last_ns, sum_ns;
};

static bool add_span(const whet_event *event, void *payload)
{
    struct span *span = payload;
    const json_t *wall_ns = json_object_get(event->data, "wall_ns");

    if (span->last_ns != 0 && event->wall_ns > span->last_ns &&
        strcmp(event->kind, "resumed") != 0)
        span->sum_ns += event->wall_ns - span->last_ns;
    if (strcmp(event->kind, "run_stopped") == 0 &&
        json_integer_value(wall_ns) > 0)
        span->sum_ns = (uint64_t)json_integer_value(wall_ns);
    span->last_ns = event->wall_ns;
    return true;
}

static whet_status read_run(whet_run *run, whet_err *err)
{
    whet_clock clock = whet_clock_system();
    whet_event_query query = {.kind = "run_started"};
    whet_status st = whet_ledger_open(&run->ledger, run->opts.ledger,
                                      WHET_LEDGER_READ, &clock, err);

    if (st == WHET_OK)
        st = whet_ledger_last_run(run->id, run->ledger, err);
    if (st == WHET_OK && run->id[0] == '\0')
        st = whet_err_set(err, WHET_ENOTFOUND, "%s: holds no run",
                          run->opts.ledger);
    query.run = run->id;
    if (st == WHET_OK)
        st = whet_ledger_each(run->ledger, &query, keep_start, run, err);
    if (st == WHET_OK && run->started == NULL)
        st = whet_err_set(err, WHET_EINVAL, "%s: run %s has no beginning",
                          run->opts.ledger, run->id);
    return st;
}

static whet_status take_sources(whet_run *run, whet_err *err)
{
    json_t *list, *baseline;
    whet_status st = whet_json_get_array(&list, run->started, "sources", err);
    size_t i;

    if (st == WHET_OK)
        st = whet_json_get_array(&baseline, run->started, "baseline", err);
    if (st == WHET_OK)
        st = whet_search_source(&run->baseline, run->ledger, run->task,
                                json_array_get(baseline, 0), err);
    for (i = 0; st == WHET_OK && i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        whet_candidate *candidate;
        const char *skill;

        st = whet_json_get_str(&skill, entry, "skill", err);
        if (st == WHET_OK)
            st = whet_search_source(&candidate, run->ledger, run->task, entry,
                                    err);
        if (st == WHET_OK)
            st = add_source(run, skill, candidate, err);
    }
    return st;
}

/* Options of the run, from its first event; the caller may raise the budget
 * and move the device. */
static whet_status take_options(whet_run *run, whet_err *err)
{
    const json_t *s = run->started;
    int64_t seed, evaluations, wall_ns, calls;
    const char *device;
    whet_status st;

    if ((st = whet_json_get_i64(&seed, s, "seed", 0, INT64_MAX, err)) !=
            WHET_OK ||
        (st = whet_json_get_i64(&evaluations, s, "evaluations", 0, UINT32_MAX,
                                err)) != WHET_OK ||
        (st = whet_json_get_i64(&wall_ns, s, "wall_ns", 0, INT64_MAX, err)) !=
            WHET_OK ||
        (st = whet_json_get_i64(&calls, s, "confirm_calls", 0, 1 << 20, err)) !=
            WHET_OK ||
        (st = whet_json_get_bool(&run->opts.is_unsafe, s, "is_unsafe", err)) !=
            WHET_OK ||
        (st = whet_json_get_str(&device, s, "device", err)) != WHET_OK)
        return st;
    run->opts.seed = (uint64_t)seed;
    run->opts.confirm_calls = (unsigned)calls;
    if (run->opts.budget.evaluations == 0)
        run->opts.budget.evaluations = (uint32_t)evaluations;
    if (run->opts.budget.wall_ns == 0)
        run->opts.budget.wall_ns = (uint64_t)wall_ns;
    if (run->opts.device == NULL)
        run->opts.device = device;
    return WHET_OK;
}

static whet_status reopen_device(whet_run *run, whet_err *err)
{
    const char *id;
    whet_status st = whet_device_open_locked(
        &run->device, &run->lock, run->opts.device, &run->opts.pick, err);

    if (st == WHET_OK)
        st = whet_json_get_str(&id, run->started, "device_id", err);
    if (st == WHET_OK && strcmp(id, run->device.facts.id) != 0)
        st = whet_err_set(err, WHET_EINVAL,
                          "run %s was on another device; resume it there",
                          run->id);
    return st;
}

whet_status whet_search__reopen(whet_run *run, whet_err *err)
{
    whet_event_query query = {.run = run->id};
    const char *workload, *hash;
    struct span span = {0, 0};
    char *dir = NULL;
    whet_status st;

    run->is_resumed = true;
    if ((st = read_run(run, err)) != WHET_OK ||
        (st = take_options(run, err)) != WHET_OK ||
        (st = whet_search_task_dir(&dir, run->ledger, run->started, err)) !=
            WHET_OK ||
        (st = whet_task_load(&run->task, dir, err)) != WHET_OK ||
        (st = whet_json_get_str(&hash, run->started, "task_hash", err)) !=
            WHET_OK ||
        (st = whet_json_get_str(&workload, run->started, "workload", err)) !=
            WHET_OK ||
        (st = whet_task_workload(&run->workload, run->task, workload, err)) !=
            WHET_OK ||
        (st = reopen_device(run, err)) != WHET_OK ||
        (st = prepare(run, err)) != WHET_OK ||
        (st = take_sources(run, err)) != WHET_OK)
        goto out;
    if (strcmp(hash, run->task->hash.text) != 0) {
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: the task's files are not those of run %s",
                          run->opts.ledger, run->id);
        goto out;
    }
    whet_ledger_close(run->ledger);
    run->ledger = NULL;
    st = whet_ledger_open(&run->ledger, run->opts.ledger, WHET_LEDGER_WRITE,
                          &run->clock, err);
    if (st == WHET_OK)
        st = whet_ledger_each(run->ledger, &query, keep_result, run, err);
    if (st == WHET_OK)
        st = whet_ledger_each(run->ledger, &query, add_span, &span, err);
    run->earlier_ns = span.sum_ns;
    if (st == WHET_OK)
        st = whet_search__open_judge(run, err);
out:
    free(dir);
    return st;
}
