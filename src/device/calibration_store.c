/* Calibrations on disk: one JSON file per device identity in the state folder,
 * written aside and renamed. A damaged file counts as none, since measuring
 * again is cheap and a wrong limit would mislead every report. */

#include "device/calibration_priv.h"
#include "device/replay_priv.h"

#include <stdlib.h>
#include <string.h>

/* 2: rates by unit, with evidence and point. */
enum { FILE_BYTES_MAX = 64 * 1024, VERSION = 2 };

/* Far above any machine: 1e18 bytes or operations a second. */
#define RATE_MAX 1e18

static whet_status check_facts(const whet_device_facts *facts, whet_err *err)
{
    /* The id becomes a file name. */
    if (whet_replay__is_hash(facts->id))
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "device \"%s\" has no identity, expected 64 lower-case "
                        "hex digits",
                        facts->name);
}

/* STATE/calibration/ID.json; the folder is made if `create`. */
static whet_status store_path(char **path_out, const whet_device_facts *facts,
                              bool create, whet_err *err)
{
    char *state = NULL, *dir = NULL;
    whet_status st;

    *path_out = NULL;
    if ((st = check_facts(facts, err)) != WHET_OK)
        return st;
    if ((st = whet_fs_state_dir(&state, err)) != WHET_OK)
        return st;
    dir = whet_fs_join(state, "calibration");
    if (dir != NULL && create && (st = whet_fs_mkdirs(dir, err)) != WHET_OK)
        goto out;
    if (dir != NULL)
        *path_out = whet_asprintf("%s/%s.json", dir, facts->id);
    if (*path_out == NULL)
        st = whet_err_set(err, WHET_ENOMEM, "calibration: out of memory");
out:
    free(dir);
    free(state);
    return st;
}

/* Rate member, not negative. */
static whet_status read_rate(double *out, const json_t *object, const char *key,
                             whet_err *err)
{
    whet_status st = whet_json_get_f64(out, object, key, err);

    if (st == WHET_OK && !(*out > 0 && *out <= RATE_MAX))
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"%s\" is %g, expected above 0 to %g", key,
                          *out, RATE_MAX);
    return st;
}

static whet_status read_how(whet_measured *out, const json_t *object,
                            whet_err *err)
{
    whet_status st = whet_device__opt_text(out->evidence, sizeof out->evidence,
                                           object, "evidence", false, err);

    if (st == WHET_OK)
        st = whet_device__opt_text(out->point, sizeof out->point, object,
                                   "point", false, err);
    return st;
}

/* A bandwidth, null = not measured. */
static whet_status read_flow(double *out, whet_measured *how,
                             const json_t *root, const char *key, whet_err *err)
{
    static const char *const keys[] = {"bytes_per_s", "evidence", "point",
                                       NULL};
    json_t *object = json_object_get(root, key);
    whet_status st;

    if (json_is_null(object))
        return WHET_OK;
    st = whet_json_get_object(&object, root, key, err);
    if (st == WHET_OK)
        st = whet_device__check_keys(object, keys, err);
    if (st == WHET_OK)
        st = read_rate(out, object, "bytes_per_s", err);
    return st == WHET_OK ? read_how(how, object, err) : st;
}

/* "bf16.matrix": words that are printed as they stand. */
static bool is_unit(const char *name)
{
    return name[0] != '\0' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._")] == '\0';
}

static whet_status read_rates(whet_calibration *out, const json_t *root,
                              whet_err *err)
{
    static const char *const keys[] = {"name", "ops_per_s", "evidence", "point",
                                       NULL};
    json_t *array = NULL, *object;
    whet_status st = whet_json_get_array(&array, root, "rates", err);
    size_t i;

    if (st == WHET_OK && json_array_size(array) > WHET_RATE_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "member \"rates\" has over %d entries",
                            WHET_RATE_MAX);
    for (i = 0; st == WHET_OK && i < json_array_size(array); i++) {
        whet_rate rate = {0};

        object = json_array_get(array, i);
        if (!json_is_object(object))
            return whet_err_set(err, WHET_EINVAL,
                                "member \"rates\": entry %zu is no object", i);
        st = whet_device__check_keys(object, keys, err);
        if (st == WHET_OK)
            st = whet_device__opt_text(rate.name, sizeof rate.name, object,
                                       "name", false, err);
        if (st == WHET_OK && !is_unit(rate.name))
            st = whet_err_set(err, WHET_EINVAL,
                              "member \"rates\": entry %zu names no unit", i);
        if (st == WHET_OK)
            st = read_rate(&rate.ops_per_s, object, "ops_per_s", err);
        if (st == WHET_OK)
            st = read_how(&rate.how, object, err);
        if (st == WHET_OK && !whet_calibration_add_rate(
                                 out, rate.name, rate.ops_per_s, &rate.how))
            st = whet_err_set(err, WHET_EINVAL,
                              "member \"rates\" has over %d entries",
                              WHET_RATE_MAX);
    }
    return st;
}

/* Absent in older files, null = not held. */
static whet_status read_controls(whet_controls *out, const json_t *root,
                                 whet_err *err)
{
    static const char *const keys[] = {"spin", "twice", NULL};
    json_t *object = json_object_get(root, "controls");
    whet_status st;

    if (object == NULL || json_is_null(object))
        return WHET_OK;
    st = whet_json_get_object(&object, root, "controls", err);
    if (st == WHET_OK)
        st = whet_device__check_keys(object, keys, err);
    if (st == WHET_OK)
        st = read_rate(&out->spin, object, "spin", err);
    return st == WHET_OK ? read_rate(&out->twice, object, "twice", err) : st;
}

static whet_status read_numbers(whet_calibration *out, const json_t *object,
                                whet_err *err)
{
    uint64_t clock = 0, memory = 0;
    whet_status st =
        whet_device__opt_u64(&out->wall_ns, object, "wall_ns", INT64_MAX, err);

    if (st == WHET_OK && !json_is_null(json_object_get(object, "launch_ns")))
        st = whet_device__opt_u64(&out->launch_ns, object, "launch_ns",
                                  WHET_REPLAY_TIME_MAX_NS, err);
    if (st == WHET_OK && !json_is_null(json_object_get(object, "clock_mhz")))
        st = whet_device__opt_u64(&clock, object, "clock_mhz", UINT32_MAX, err);
    if (st == WHET_OK &&
        !json_is_null(json_object_get(object, "memory_clock_mhz")))
        st = whet_device__opt_u64(&memory, object, "memory_clock_mhz",
                                  UINT32_MAX, err);
    out->clock_mhz = (uint32_t)clock;
    out->memory_clock_mhz = (uint32_t)memory;
    return st;
}

static whet_status from_json(whet_calibration *out, const json_t *object,
                             const whet_device_facts *facts, whet_err *err)
{
    static const char *const keys[] = {"whet_calibration",
                                       "device_id",
                                       "name",
                                       "driver",
                                       "date",
                                       "copy",
                                       "read",
                                       "write",
                                       "lds",
                                       "rates",
                                       "controls",
                                       "launch_ns",
                                       "wall_ns",
                                       "clock_mhz",
                                       "memory_clock_mhz",
                                       NULL};
    whet_status st = whet_device__check_keys(object, keys, err);
    const char *id = "";
    int64_t version;

    if (st == WHET_OK)
        st = whet_json_get_i64(&version, object, "whet_calibration", VERSION,
                               VERSION, err);
    if (st == WHET_OK)
        st = whet_json_get_str(&id, object, "device_id", err);
    if (st == WHET_OK && strcmp(id, facts->id) != 0)
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"device_id\" is \"%.64s\", expected \"%s\"",
                          id, facts->id);
    if (st == WHET_OK)
        st = read_flow(&out->copy_bytes_per_s, &out->copy, object, "copy", err);
    if (st == WHET_OK)
        st = read_flow(&out->read_bytes_per_s, &out->read, object, "read", err);
    if (st == WHET_OK)
        st = read_flow(&out->write_bytes_per_s, &out->write, object, "write",
                       err);
    if (st == WHET_OK)
        st = read_flow(&out->lds_bytes_per_s, &out->lds, object, "lds", err);
    if (st == WHET_OK)
        st = read_rates(out, object, err);
    if (st == WHET_OK)
        st = read_controls(&out->controls, object, err);
    if (st == WHET_OK)
        st = read_numbers(out, object, err);
    if (st == WHET_OK)
        st = whet_device__opt_text(out->driver, sizeof out->driver, object,
                                   "driver", false, err);
    if (st == WHET_OK)
        memcpy(out->device_id, facts->id, sizeof out->device_id);
    return st;
}

whet_status whet_calibration__parse(whet_calibration *out, const char *text,
                                    size_t bytes, const char *where,
                                    const whet_device_facts *facts,
                                    whet_err *err)
{
    json_t *root = NULL;
    whet_status st = whet_json_parse(&root, text, bytes, where, err);

    *out = (whet_calibration){0};
    if (st == WHET_OK) {
        st = from_json(out, root, facts, err);
        if (st != WHET_OK)
            st = whet_err_prefix(err, st, "%s", where);
    }
    json_decref(root);
    return st;
}

whet_status whet_calibration_load(whet_calibration *out,
                                  const whet_device_facts *facts, whet_err *err)
{
    whet_buf text = {0};
    char *path = NULL;
    whet_status st;

    *out = (whet_calibration){0};
    if ((st = store_path(&path, facts, false, err)) != WHET_OK)
        return st;
    st = whet_fs_read(&text, path, FILE_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_calibration__parse(out, text.data, text.bytes, path, facts,
                                     err);
    if (st == WHET_EINVAL) {
        whet_err_prefix(err, st, "stored calibration is damaged");
        st = WHET_ENOTFOUND;
        if (err != NULL)
            err->code = st;
    } else if (st == WHET_ENOTFOUND) {
        whet_err_set(err, st, "no calibration of device \"%s\" in %s",
                     facts->name, path);
    }
    if (st != WHET_OK)
        *out = (whet_calibration){0};
    whet_buf_deinit(&text);
    free(path);
    return st;
}

static json_t *text_json(const char *text, size_t bytes)
{
    return whet_json_outside_text(text, strlen(text), bytes);
}

/* 0 = not measured, which JSON says as null. */
static json_t *flow_json(double rate, const whet_measured *how)
{
    if (!(rate > 0))
        return json_null();
    return json_pack("{s:f,s:o,s:o}", "bytes_per_s", rate, "evidence",
                     text_json(how->evidence, sizeof how->evidence), "point",
                     text_json(how->point, sizeof how->point));
}

static json_t *controls_json(const whet_controls *controls)
{
    if (!(controls->spin > 0) || !(controls->twice > 0))
        return json_null();
    return json_pack("{s:f,s:f}", "spin", controls->spin, "twice",
                     controls->twice);
}

static json_t *rates_json(const whet_calibration *calibration)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; array != NULL && i < calibration->rate_count; i++) {
        const whet_rate *rate = &calibration->rates[i];

        if (json_array_append_new(
                array,
                json_pack(
                    "{s:s,s:f,s:o,s:o}", "name", rate->name, "ops_per_s",
                    rate->ops_per_s, "evidence",
                    text_json(rate->how.evidence, sizeof rate->how.evidence),
                    "point",
                    text_json(rate->how.point, sizeof rate->how.point))) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *number_json(uint64_t value)
{
    return value > 0 ? json_integer((json_int_t)value) : json_null();
}

static bool is_rate(double rate)
{
    return rate >= 0 && rate <= RATE_MAX;
}

static whet_status check_calibration(const whet_calibration *calibration,
                                     whet_err *err)
{
    const whet_calibration *c = calibration;
    uint32_t i;

    if (!is_rate(c->copy_bytes_per_s) || !is_rate(c->read_bytes_per_s) ||
        !is_rate(c->write_bytes_per_s) || !is_rate(c->lds_bytes_per_s) ||
        c->launch_ns > WHET_REPLAY_TIME_MAX_NS || c->wall_ns > INT64_MAX ||
        c->rate_count > WHET_RATE_MAX)
        return whet_err_set(
            err, WHET_EINVAL,
            "calibration: copy %g, read %g, write %g, LDS %g bytes/s out of "
            "range, expected 0 (not measured) to %g",
            c->copy_bytes_per_s, c->read_bytes_per_s, c->write_bytes_per_s,
            c->lds_bytes_per_s, RATE_MAX);
    for (i = 0; i < c->rate_count; i++)
        if (!(c->rates[i].ops_per_s > 0) || !is_rate(c->rates[i].ops_per_s))
            return whet_err_set(err, WHET_EINVAL,
                                "calibration: %s is %g ops/s, expected above 0 "
                                "to %g",
                                c->rates[i].name, c->rates[i].ops_per_s,
                                RATE_MAX);
    return WHET_OK;
}

static json_t *to_json(const whet_calibration *c,
                       const whet_device_facts *facts)
{
    json_t *object = json_object();
    char date[32];

    whet_clock_format(date, c->wall_ns);
    if (object != NULL &&
        whet_json_set(object, "whet_calibration", json_integer(VERSION)) &&
        whet_json_set(object, "device_id", json_string(facts->id)) &&
        whet_json_set(object, "name",
                      text_json(facts->name, sizeof facts->name)) &&
        whet_json_set(object, "driver",
                      text_json(facts->driver, sizeof facts->driver)) &&
        whet_json_set(object, "date", json_string(date)) &&
        whet_json_set(object, "wall_ns",
                      json_integer((json_int_t)c->wall_ns)) &&
        whet_json_set(object, "copy",
                      flow_json(c->copy_bytes_per_s, &c->copy)) &&
        whet_json_set(object, "read",
                      flow_json(c->read_bytes_per_s, &c->read)) &&
        whet_json_set(object, "write",
                      flow_json(c->write_bytes_per_s, &c->write)) &&
        whet_json_set(object, "lds", flow_json(c->lds_bytes_per_s, &c->lds)) &&
        whet_json_set(object, "rates", rates_json(c)) &&
        whet_json_set(object, "controls", controls_json(&c->controls)) &&
        whet_json_set(object, "launch_ns", number_json(c->launch_ns)) &&
        whet_json_set(object, "clock_mhz", number_json(c->clock_mhz)) &&
        whet_json_set(object, "memory_clock_mhz",
                      number_json(c->memory_clock_mhz)))
        return object;
    json_decref(object);
    return NULL;
}

whet_status whet_calibration_store(const whet_calibration *calibration,
                                   const whet_device_facts *facts,
                                   whet_err *err)
{
    whet_buf text = {0};
    json_t *root = NULL;
    char *path = NULL, *pretty = NULL;
    whet_status st;

    if ((st = check_calibration(calibration, err)) != WHET_OK)
        return st;
    if ((st = store_path(&path, facts, true, err)) != WHET_OK)
        return st;
    root = to_json(calibration, facts);
    pretty = root != NULL ? whet_json_pretty(root) : NULL;
    if (pretty != NULL) {
        whet_buf_puts(&text, pretty);
        whet_buf_puts(&text, "\n");
    }
    if (pretty == NULL || text.failed)
        st = whet_err_set(err, WHET_ENOMEM, "calibration: out of memory");
    else
        st = whet_fs_write(path, text.data, text.bytes, err);
    free(pretty);
    json_decref(root);
    whet_buf_deinit(&text);
    free(path);
    return st;
}
