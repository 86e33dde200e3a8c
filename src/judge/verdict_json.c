/* Verdicts as JSON: what `--json` prints and what the ledger keeps. Reading
 * back treats the text as hostile: a ledger is a file from outside. */

#include "judge/judge_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 1 << 20 };

static const char one_at_a_time[] = "one at a time";

static json_t *counts_u64(const uint64_t *values, uint32_t count)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)values[i]));
    return array;
}

static json_t *counts_u32(const uint32_t *values, uint32_t count)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < count; i++)
        json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *timing_to_json(const whet_timing *t)
{
    if (t->call_count == 0)
        return json_null();
    return json_pack("{s:I,s:I,s:I,s:I,s:o,s:o}", "total_ns",
                     (json_int_t)t->total_ns, "median_ns",
                     (json_int_t)t->median_ns, "p5_ns", (json_int_t)t->p5_ns,
                     "p95_ns", (json_int_t)t->p95_ns, "call_ns",
                     counts_u64(t->call_ns, t->call_count), "block",
                     counts_u32(t->block_index, t->call_count));
}

static json_t *text(const char *value)
{
    return whet_json_outside_text(value, strlen(value), 4096);
}

static json_t *device_to_json(const whet_device_facts *d)
{
    return json_pack("{s:o,s:I,s:o,s:o,s:o,s:o,s:s}", "backend",
                     text(d->backend), "index", (json_int_t)d->index, "name",
                     text(d->name), "arch", text(d->arch), "driver",
                     text(d->driver), "pci", text(d->pci), "id", d->id);
}

static json_t *spend_to_json(const whet_spend *s)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "wall_ns", (json_int_t)s->wall_ns,
                     "build_ns", (json_int_t)s->build_ns, "device_ns",
                     (json_int_t)s->device_ns, "verify_ns",
                     (json_int_t)s->verify_ns, "start_ns",
                     (json_int_t)s->start_ns);
}

/* Were both arms' workers there at once? */
static json_t *contexts_to_json(const whet_device_facts *d)
{
    return json_string(d->is_exclusive == WHET_KNOWN_YES ? one_at_a_time
                                                         : "side by side");
}

static json_t *occupancy_to_json(const whet_occupancy *o)
{
    if (!o->is_known)
        return json_null();
    return json_pack("{s:I,s:I,s:I,s:s}", "waves_simd",
                     (json_int_t)o->waves_simd, "waves_cu",
                     (json_int_t)o->waves_cu, "groups_cu",
                     (json_int_t)o->groups_cu, "bound_by", o->bound_by);
}

static json_t *known_count(uint64_t value, bool is_known)
{
    if (!is_known || value > INT64_MAX)
        return json_null();
    return json_integer((json_int_t)value);
}

static json_t *kernels_to_json(const whet_verdict *v)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < v->kernel_count; i++) {
        const whet_verdict_kernel *k = &v->kernels[i];
        bool is_known = k->register_count > 0;

        json_array_append_new(
            array,
            json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
                      text(k->name), "registers",
                      known_count(k->register_count, is_known), "accumulators",
                      known_count(k->accumulator_count, is_known),
                      "spill_bytes", known_count(k->spill_bytes, is_known),
                      "private_bytes", known_count(k->private_bytes, is_known),
                      "lds_bytes",
                      known_count(k->lds_bytes, is_known || k->lds_bytes > 0),
                      "group_items", known_count(k->group_items, true),
                      "occupancy", occupancy_to_json(&k->occupancy)));
    }
    return array;
}

static json_t *diagnostic_to_json(const whet_diagnostic *d)
{
    if (d->kind == WHET_DIAGNOSTIC_NONE)
        return json_null();
    return json_pack("{s:i,s:I,s:I,s:o}", "kind", (int)d->kind, "line",
                     (json_int_t)d->line, "column", (json_int_t)d->column,
                     "text", text(d->text));
}

static json_t *ratio_to_json(const whet_verdict *v)
{
    if (!v->has_ratio)
        return json_null();
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:i,s:I,s:b}", "value",
        whet_json_number(v->ratio), "error", whet_json_number(v->ratio_error),
        "lo", whet_json_number(v->ratio_lo), "hi",
        whet_json_number(v->ratio_hi), "total",
        whet_json_number(v->total_ratio), "blocks", (int)v->block_count,
        "tried", (json_int_t)v->tried, "is_gain", v->is_gain);
}

json_t *whet_verdict_to_json(const whet_verdict *v)
{
    json_t *json = json_object();
    bool ok = json != NULL;

    ok = ok && whet_json_set(json, "outcome",
                             json_string(whet_outcome_name(v->outcome)));
    ok = ok && whet_json_set(json, "reason",
                             json_string(whet_reason_name(v->reason)));
    ok = ok && whet_json_set(json, "message", text(v->message));
    ok = ok && whet_json_set(json, "protocol", text(v->protocol));
    ok = ok && whet_json_set(json, "task", text(v->task));
    ok = ok && whet_json_set(json, "workload", text(v->workload));
    ok = ok && whet_json_set(json, "point", text(v->point));
    ok = ok && whet_json_set(json, "task_hash", json_string(v->task_hash.text));
    ok = ok && whet_json_set(json, "candidate", json_string(v->candidate.text));
    ok = ok && whet_json_set(json, "reference", json_string(v->reference.text));
    ok = ok && whet_json_set(json, "image", json_string(v->image.text));
    ok = ok && whet_json_set(json, "toolchain", text(v->toolchain));
    ok = ok && whet_json_set(json, "device", device_to_json(&v->device));
    ok = ok && whet_json_set(json, "evidence",
                             json_string(whet_evidence_name(v->evidence)));
    ok = ok &&
         whet_json_set(json, "verified_calls", json_integer(v->verified_calls));
    ok = ok && whet_json_set(json, "shapes_verified",
                             json_integer(v->shapes_verified));
    ok = ok && whet_json_set(json, "shapes_uncovered",
                             json_integer(v->shapes_uncovered));
    ok = ok &&
         whet_json_set(json, "worst_error", whet_json_number(v->worst_error));
    ok = ok && whet_json_set(json, "ratio", ratio_to_json(v));
    ok = ok && whet_json_set(json, "aa_error", whet_json_number(v->aa_error));
    ok = ok && whet_json_set(json, "candidate_time",
                             timing_to_json(&v->candidate_time));
    ok = ok && whet_json_set(json, "reference_time",
                             timing_to_json(&v->reference_time));
    ok = ok && whet_json_set(json, "limit_ns",
                             v->limit_ns ? json_integer((json_int_t)v->limit_ns)
                                         : json_null());
    ok = ok && whet_json_set(json, "share_of_limit",
                             whet_json_number(whet_verdict_share_of_limit(v)));
    ok = ok &&
         whet_json_set(json, "floor_ns", json_integer((json_int_t)v->floor_ns));
    ok = ok &&
         whet_json_set(json, "launch_ns",
                       v->launch_ns ? json_integer((json_int_t)v->launch_ns)
                                    : json_null());
    ok = ok && whet_json_set(json, "spend", spend_to_json(&v->spend));
    ok = ok && whet_json_set(json, "contexts", contexts_to_json(&v->device));
    ok = ok && whet_json_set(json, "kernels", kernels_to_json(v));
    ok = ok &&
         whet_json_set(json, "libraries", whet_judge__libraries_to_json(v));
    ok = ok && whet_json_set(json, "rules", whet_judge__rules_to_json(v));
    ok = ok && whet_json_set(json, "is_unsafe", json_boolean(v->is_unsafe));
    ok = ok &&
         whet_json_set(json, "diagnostic", diagnostic_to_json(&v->diagnostic));
    if (ok)
        return json;
    json_decref(json);
    return NULL;
}

/* What we write is escaped: control characters mean that somebody else wrote
 * it, and would reach a terminal. Only diagnostics have more lines than one. */
static bool is_clean(const char *text, bool has_lines)
{
    whet_buf escaped = {0};
    bool clean;

    whet_buf_escape(&escaped, text, strlen(text), has_lines);
    clean = !escaped.failed && strcmp(whet_buf_str(&escaped), text) == 0;
    whet_buf_deinit(&escaped);
    return clean;
}

static whet_status read_lines(char *out, size_t bytes, const json_t *json,
                              const char *key, bool has_lines, whet_err *err)
{
    const char *value;
    whet_status st = whet_json_get_str(&value, json, key, err);

    if (st == WHET_OK && !whet_strcopy(out, bytes, value))
        st = whet_err_set(err, WHET_EINVAL, "%s: longer than %zu bytes", key,
                          bytes - 1);
    if (st == WHET_OK && !is_clean(out, has_lines))
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: control characters, expected plain text", key);
    return st;
}

static whet_status read_text(char *out, size_t bytes, const json_t *json,
                             const char *key, whet_err *err)
{
    return read_lines(out, bytes, json, key, false, err);
}

static whet_status read_hash(whet_hash *out, const json_t *json,
                             const char *key, whet_err *err)
{
    whet_status st = read_text(out->text, sizeof out->text, json, key, err);
    size_t length = st == WHET_OK ? strlen(out->text) : 0;

    if (st == WHET_OK && length != 0 &&
        (length != 64 || strspn(out->text, "0123456789abcdef") != 64))
        st = whet_err_set(err, WHET_EINVAL, "%s: expected 64 hex digits", key);
    return st;
}

static whet_status read_u64(uint64_t *out, const json_t *json, const char *key,
                            whet_err *err)
{
    int64_t value = 0;
    whet_status st = WHET_OK;

    if (!json_is_null(json_object_get(json, key)))
        st = whet_json_get_i64(&value, json, key, 0, INT64_MAX, err);
    *out = (uint64_t)value;
    return st;
}

static whet_status read_u32(uint32_t *out, const json_t *json, const char *key,
                            whet_err *err)
{
    int64_t value = 0;
    whet_status st = whet_json_get_i64(&value, json, key, 0, UINT32_MAX, err);

    *out = (uint32_t)value;
    return st;
}

/* null means unknown. */
static whet_status read_real(double *out, const json_t *json, const char *key,
                             whet_err *err)
{
    *out = NAN;
    if (json_is_null(json_object_get(json, key)))
        return WHET_OK;
    return whet_json_get_f64(out, json, key, err);
}

static whet_status read_calls(whet_timing *out, const json_t *json,
                              whet_err *err)
{
    json_t *ns, *blocks;
    whet_status st = whet_json_get_array(&ns, json, "call_ns", err);
    size_t i, count;

    if (st == WHET_OK)
        st = whet_json_get_array(&blocks, json, "block", err);
    if (st != WHET_OK)
        return st;
    count = json_array_size(ns);
    if (count == 0 || count > CALLS_MAX || json_array_size(blocks) != count)
        return whet_err_set(err, WHET_EINVAL, "call_ns: %zu entries", count);
    out->call_ns = calloc(count, sizeof *out->call_ns);
    out->block_index = calloc(count, sizeof *out->block_index);
    if (out->call_ns == NULL || out->block_index == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (i = 0; i < count; i++) {
        const json_t *first = json_array_get(ns, i);
        const json_t *second = json_array_get(blocks, i);
        json_int_t a = json_integer_value(first);
        json_int_t b = json_integer_value(second);

        if (!json_is_integer(first) || !json_is_integer(second) || a < 0 ||
            b < 0 || b > CALLS_MAX)
            return whet_err_set(err, WHET_EINVAL, "call_ns: out of range");
        out->call_ns[i] = (uint64_t)a;
        out->block_index[i] = (uint32_t)b;
    }
    out->call_count = (uint32_t)count;
    return WHET_OK;
}

static whet_status read_timing(whet_timing *out, const json_t *json,
                               const char *key, whet_err *err)
{
    json_t *object;
    whet_status st;

    if (json_is_null(json_object_get(json, key)))
        return WHET_OK;
    st = whet_json_get_object(&object, json, key, err);
    if (st != WHET_OK ||
        (st = read_u64(&out->total_ns, object, "total_ns", err)) != WHET_OK ||
        (st = read_u64(&out->median_ns, object, "median_ns", err)) != WHET_OK ||
        (st = read_u64(&out->p5_ns, object, "p5_ns", err)) != WHET_OK ||
        (st = read_u64(&out->p95_ns, object, "p95_ns", err)) != WHET_OK)
        return st;
    return read_calls(out, object, err);
}

static whet_status read_device(whet_device_facts *out, const json_t *json,
                               whet_err *err)
{
    json_t *object;
    whet_status st = whet_json_get_object(&object, json, "device", err);

    if (st != WHET_OK ||
        (st = read_text(out->backend, sizeof out->backend, object, "backend",
                        err)) != WHET_OK ||
        (st = read_u32(&out->index, object, "index", err)) != WHET_OK ||
        (st = read_text(out->name, sizeof out->name, object, "name", err)) !=
            WHET_OK ||
        (st = read_text(out->arch, sizeof out->arch, object, "arch", err)) !=
            WHET_OK ||
        (st = read_text(out->driver, sizeof out->driver, object, "driver",
                        err)) != WHET_OK ||
        (st = read_text(out->pci, sizeof out->pci, object, "pci", err)) !=
            WHET_OK)
        return st;
    return read_text(out->id, sizeof out->id, object, "id", err);
}

static whet_status read_ratio(whet_verdict *out, const json_t *json,
                              whet_err *err)
{
    json_t *object;
    int64_t blocks = 0;
    whet_status st;

    out->ratio_error = NAN;
    if (json_is_null(json_object_get(json, "ratio")))
        return WHET_OK;
    st = whet_json_get_object(&object, json, "ratio", err);
    if (st != WHET_OK ||
        (st = read_real(&out->ratio, object, "value", err)) != WHET_OK ||
        (st = read_real(&out->ratio_lo, object, "lo", err)) != WHET_OK ||
        (st = read_real(&out->ratio_hi, object, "hi", err)) != WHET_OK ||
        (st = read_real(&out->total_ratio, object, "total", err)) != WHET_OK ||
        /* Older verdicts lack these two. */
        (json_object_get(object, "tried") != NULL &&
         (st = read_u32(&out->tried, object, "tried", err)) != WHET_OK) ||
        (json_object_get(object, "error") != NULL &&
         (st = read_real(&out->ratio_error, object, "error", err)) !=
             WHET_OK) ||
        (st = whet_json_get_i64(&blocks, object, "blocks", 0, CALLS_MAX,
                                err)) != WHET_OK ||
        (st = whet_json_get_bool(&out->is_gain, object, "is_gain", err)) !=
            WHET_OK)
        return st;
    if (isnan(out->ratio_hi)) /* infinity travels as null */
        out->ratio_hi = INFINITY;
    if (!(out->ratio > 0.0 && out->ratio_lo >= 0.0 &&
          out->ratio_lo <= out->ratio_hi && out->total_ratio > 0.0))
        return whet_err_set(err, WHET_EINVAL,
                            "ratio: expected value and total above 0, and "
                            "lo up to hi");
    out->block_count = (unsigned)blocks;
    out->has_ratio = true;
    return WHET_OK;
}

static whet_status read_spend(whet_spend *out, const json_t *json,
                              whet_err *err)
{
    json_t *o;
    whet_status st = whet_json_get_object(&o, json, "spend", err);

    if (st != WHET_OK ||
        (st = read_u64(&out->wall_ns, o, "wall_ns", err)) != WHET_OK ||
        (st = read_u64(&out->build_ns, o, "build_ns", err)) != WHET_OK ||
        (st = read_u64(&out->device_ns, o, "device_ns", err)) != WHET_OK ||
        (st = read_u64(&out->verify_ns, o, "verify_ns", err)) != WHET_OK)
        return st;
    return read_u64(&out->start_ns, o, "start_ns", err);
}

static whet_status read_outcome(whet_verdict *out, const json_t *json,
                                whet_err *err)
{
    const char *name, *outcome, *evidence;
    whet_status st = whet_json_get_str(&name, json, "reason", err);
    int i;

    if (st != WHET_OK ||
        (st = whet_json_get_str(&outcome, json, "outcome", err)) != WHET_OK ||
        (st = whet_json_get_str(&evidence, json, "evidence", err)) != WHET_OK)
        return st;
    out->reason = whet_reason_find(name);
    if (out->reason == WHET_REASON_COUNT)
        return whet_err_set(err, WHET_EINVAL, "reason: unknown");
    out->outcome = whet_reason_outcome(out->reason);
    if (strcmp(outcome, whet_outcome_name(out->outcome)) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "outcome: does not belong to reason %s", name);
    for (i = 0; i <= WHET_EVIDENCE_SCRIPTED; i++)
        if (strcmp(evidence, whet_evidence_name((whet_evidence)i)) == 0) {
            out->evidence = (whet_evidence)i;
            return WHET_OK;
        }
    return whet_err_set(err, WHET_EINVAL, "evidence: unknown");
}

static whet_status read_identity(whet_verdict *v, const json_t *json,
                                 whet_err *err)
{
    const struct {
        const char *key;
        char *to;
        size_t bytes;
    } texts[] = {
        {"message", v->message, sizeof v->message},
        {"protocol", v->protocol, sizeof v->protocol},
        {"task", v->task, sizeof v->task},
        {"workload", v->workload, sizeof v->workload},
        {"point", v->point, sizeof v->point},
        {"toolchain", v->toolchain, sizeof v->toolchain},
    };
    const struct {
        const char *key;
        whet_hash *to;
    } hashes[] = {{"task_hash", &v->task_hash},
                  {"candidate", &v->candidate},
                  {"reference", &v->reference},
                  {"image", &v->image}};
    whet_status st = WHET_OK;
    size_t i;

    for (i = 0; st == WHET_OK && i < sizeof texts / sizeof texts[0]; i++)
        st = read_text(texts[i].to, texts[i].bytes, json, texts[i].key, err);
    for (i = 0; st == WHET_OK && i < sizeof hashes / sizeof hashes[0]; i++)
        st = read_hash(hashes[i].to, json, hashes[i].key, err);
    return st;
}

static whet_status read_diagnostic(whet_diagnostic *out, const json_t *json,
                                   whet_err *err)
{
    json_t *object;
    int64_t kind = 0;
    whet_status st;

    if (json_is_null(json_object_get(json, "diagnostic")))
        return WHET_OK;
    st = whet_json_get_object(&object, json, "diagnostic", err);
    if (st != WHET_OK ||
        (st = whet_json_get_i64(&kind, object, "kind", 0, WHET_DIAGNOSTIC_LIMIT,
                                err)) != WHET_OK ||
        (st = read_u32(&out->line, object, "line", err)) != WHET_OK ||
        (st = read_u32(&out->column, object, "column", err)) != WHET_OK)
        return st;
    out->kind = (whet_diagnostic_kind)kind;
    return read_lines(out->text, sizeof out->text, object, "text", true, err);
}

static whet_status read_occupancy(whet_occupancy *out, const json_t *json,
                                  whet_err *err)
{
    static const char *const words[] = {"registers", "lds", "waves", "groups"};
    const char *word;
    json_t *object;
    whet_status st;
    size_t i;

    if (json_is_null(json_object_get(json, "occupancy")))
        return WHET_OK;
    st = whet_json_get_object(&object, json, "occupancy", err);
    if (st != WHET_OK ||
        (st = read_u32(&out->waves_simd, object, "waves_simd", err)) !=
            WHET_OK ||
        (st = read_u32(&out->waves_cu, object, "waves_cu", err)) != WHET_OK ||
        (st = read_u32(&out->groups_cu, object, "groups_cu", err)) != WHET_OK ||
        (st = whet_json_get_str(&word, object, "bound_by", err)) != WHET_OK)
        return st;
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0)
            out->bound_by = words[i];
    out->is_known = out->bound_by != NULL;
    return out->is_known ? WHET_OK
                         : whet_err_set(err, WHET_EINVAL, "bound_by: unknown");
}

static whet_status read_kernel(whet_verdict_kernel *k, const json_t *json,
                               whet_err *err)
{
    whet_status st;

    if (!json_is_object(json))
        return whet_err_set(err, WHET_EINVAL, "kernels: expected objects");
    if ((st = read_text(k->name, sizeof k->name, json, "name", err)) !=
            WHET_OK ||
        (st = read_u64(&k->register_count, json, "registers", err)) !=
            WHET_OK ||
        (st = read_u64(&k->accumulator_count, json, "accumulators", err)) !=
            WHET_OK ||
        (st = read_u64(&k->spill_bytes, json, "spill_bytes", err)) != WHET_OK ||
        (st = read_u64(&k->private_bytes, json, "private_bytes", err)) !=
            WHET_OK ||
        (st = read_u64(&k->lds_bytes, json, "lds_bytes", err)) != WHET_OK ||
        (st = read_u64(&k->group_items, json, "group_items", err)) != WHET_OK)
        return st;
    return read_occupancy(&k->occupancy, json, err);
}

/* Older verdicts lack these two. */
static whet_status read_kernels(whet_verdict *v, const json_t *json,
                                whet_err *err)
{
    const char *contexts;
    whet_status st = WHET_OK;
    json_t *array;
    size_t i;

    if (json_object_get(json, "contexts") != NULL) {
        st = whet_json_get_str(&contexts, json, "contexts", err);
        if (st == WHET_OK && strcmp(contexts, one_at_a_time) == 0)
            v->device.is_exclusive = WHET_KNOWN_YES;
    }
    if (st != WHET_OK || json_object_get(json, "kernels") == NULL)
        return st;
    st = whet_json_get_array(&array, json, "kernels", err);
    if (st == WHET_OK && json_array_size(array) > WHET_LAUNCH_MAX)
        st = whet_err_set(err, WHET_EINVAL, "kernels: %zu entries",
                          json_array_size(array));
    for (i = 0; st == WHET_OK && i < json_array_size(array); i++)
        st = read_kernel(&v->kernels[i], json_array_get(array, i), err);
    if (st == WHET_OK)
        v->kernel_count = (uint32_t)json_array_size(array);
    return st;
}

static whet_status read_verdict(whet_verdict *v, const json_t *json,
                                whet_err *err)
{
    whet_status st;

    if ((st = read_outcome(v, json, err)) != WHET_OK ||
        (st = read_identity(v, json, err)) != WHET_OK ||
        (st = read_device(&v->device, json, err)) != WHET_OK ||
        (st = read_u32(&v->verified_calls, json, "verified_calls", err)) !=
            WHET_OK ||
        (st = read_u32(&v->shapes_verified, json, "shapes_verified", err)) !=
            WHET_OK ||
        (st = read_u32(&v->shapes_uncovered, json, "shapes_uncovered", err)) !=
            WHET_OK ||
        (st = read_real(&v->worst_error, json, "worst_error", err)) !=
            WHET_OK ||
        (st = read_ratio(v, json, err)) != WHET_OK ||
        (st = read_real(&v->aa_error, json, "aa_error", err)) != WHET_OK ||
        (st = read_timing(&v->candidate_time, json, "candidate_time", err)) !=
            WHET_OK ||
        (st = read_timing(&v->reference_time, json, "reference_time", err)) !=
            WHET_OK ||
        (st = read_u64(&v->limit_ns, json, "limit_ns", err)) != WHET_OK ||
        (st = read_u64(&v->floor_ns, json, "floor_ns", err)) != WHET_OK ||
        (st = read_u64(&v->launch_ns, json, "launch_ns", err)) != WHET_OK ||
        (st = read_spend(&v->spend, json, err)) != WHET_OK ||
        (st = read_kernels(v, json, err)) != WHET_OK ||
        (st = whet_judge__libraries_from_json(v, json, err)) != WHET_OK ||
        (st = whet_judge__rules_from_json(v, json, err)) != WHET_OK ||
        (st = whet_json_get_bool(&v->is_unsafe, json, "is_unsafe", err)) !=
            WHET_OK)
        return st;
    return read_diagnostic(&v->diagnostic, json, err);
}

whet_status whet_verdict_from_json(whet_verdict *out, const json_t *json,
                                   whet_err *err)
{
    whet_status st;

    memset(out, 0, sizeof *out);
    if (!json_is_object(json))
        return whet_err_set(err, WHET_EINVAL,
                            "verdict: expected a JSON object");
    st = read_verdict(out, json, err);
    out->device.evidence = out->evidence;
    if (st == WHET_OK)
        return WHET_OK;
    whet_verdict_deinit(out);
    return whet_err_prefix(err, st, "verdict");
}
