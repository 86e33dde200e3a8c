/* Calibrations on disk: one JSON file per device identity in the state folder,
 * written aside and renamed. A damaged file counts as none, since measuring
 * again is cheap and a wrong limit would mislead every report. */

#include "device/replay_priv.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 * 1024 };

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

/* Rate member: null = not measured = 0. */
static whet_status read_rate(double *out, const json_t *object, const char *key,
                             whet_err *err)
{
    whet_status st;

    *out = 0;
    if (json_is_null(json_object_get(object, key)))
        return WHET_OK;
    st = whet_json_get_f64(out, object, key, err);
    if (st == WHET_OK && !(*out > 0 && *out <= RATE_MAX))
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"%s\" is %g, expected above 0 to %g", key,
                          *out, RATE_MAX);
    return st;
}

static whet_status from_json(whet_calibration *out, const json_t *object,
                             const whet_device_facts *facts, whet_err *err)
{
    static const char *const keys[] = {
        "whet_calibration", "device_id",     "name",      "driver",  "date",
        "copy_bytes_per_s", "f32_ops_per_s", "launch_ns", "wall_ns", NULL};
    whet_status st = whet_device__check_keys(object, keys, err);
    const char *id = "";
    int64_t version;

    if (st == WHET_OK)
        st = whet_json_get_i64(&version, object, "whet_calibration", 1, 1, err);
    if (st == WHET_OK)
        st = whet_json_get_str(&id, object, "device_id", err);
    if (st == WHET_OK && strcmp(id, facts->id) != 0)
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"device_id\" is \"%.64s\", expected \"%s\"",
                          id, facts->id);
    if (st == WHET_OK)
        st = read_rate(&out->copy_bytes_per_s, object, "copy_bytes_per_s", err);
    if (st == WHET_OK)
        st = read_rate(&out->f32_ops_per_s, object, "f32_ops_per_s", err);
    if (st == WHET_OK && !json_is_null(json_object_get(object, "launch_ns")))
        st = whet_device__opt_u64(&out->launch_ns, object, "launch_ns",
                                  WHET_REPLAY_TIME_MAX_NS, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->wall_ns, object, "wall_ns", INT64_MAX,
                                  err);
    if (st == WHET_OK)
        memcpy(out->device_id, facts->id, sizeof out->device_id);
    return st;
}

whet_status whet_calibration_load(whet_calibration *out,
                                  const whet_device_facts *facts, whet_err *err)
{
    whet_buf text = {0};
    json_t *root = NULL;
    char *path = NULL;
    whet_status st;

    *out = (whet_calibration){0};
    if ((st = store_path(&path, facts, false, err)) != WHET_OK)
        return st;
    st = whet_fs_read(&text, path, FILE_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_json_parse(&root, text.data, text.bytes, path, err);
    if (st == WHET_OK) {
        st = from_json(out, root, facts, err);
        if (st != WHET_OK)
            st = whet_err_prefix(err, st, "%s", path);
    }
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
    json_decref(root);
    whet_buf_deinit(&text);
    free(path);
    return st;
}

/* 0 = not measured, which JSON says as null. */
static json_t *rate_json(double rate)
{
    return rate > 0 ? json_real(rate) : json_null();
}

static bool is_rate(double rate)
{
    return rate >= 0 && rate <= RATE_MAX;
}

static whet_status check_calibration(const whet_calibration *calibration,
                                     whet_err *err)
{
    if (is_rate(calibration->copy_bytes_per_s) &&
        is_rate(calibration->f32_ops_per_s) &&
        calibration->launch_ns <= WHET_REPLAY_TIME_MAX_NS &&
        calibration->wall_ns <= INT64_MAX)
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "calibration: copy %g bytes/s, f32 %g ops/s out of "
                        "range, expected 0 (not measured) to %g",
                        calibration->copy_bytes_per_s,
                        calibration->f32_ops_per_s, RATE_MAX);
}

static json_t *to_json(const whet_calibration *calibration,
                       const whet_device_facts *facts)
{
    json_t *object = json_object();
    char date[32];

    whet_clock_format(date, calibration->wall_ns);
    if (object != NULL &&
        whet_json_set(object, "whet_calibration", json_integer(1)) &&
        whet_json_set(object, "device_id", json_string(facts->id)) &&
        whet_json_set(object, "name",
                      whet_json_outside_text(facts->name, strlen(facts->name),
                                             sizeof facts->name)) &&
        whet_json_set(object, "driver",
                      whet_json_outside_text(facts->driver,
                                             strlen(facts->driver),
                                             sizeof facts->driver)) &&
        whet_json_set(object, "date", json_string(date)) &&
        whet_json_set(object, "wall_ns",
                      json_integer((json_int_t)calibration->wall_ns)) &&
        whet_json_set(object, "copy_bytes_per_s",
                      rate_json(calibration->copy_bytes_per_s)) &&
        whet_json_set(object, "f32_ops_per_s",
                      rate_json(calibration->f32_ops_per_s)) &&
        whet_json_set(object, "launch_ns",
                      calibration->launch_ns > 0
                          ? json_integer((json_int_t)calibration->launch_ns)
                          : json_null()))
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

/* Nanoseconds for `amount` at `rate` a second; 0 only if there is nothing to
 * do or no rate. */
static uint64_t duration_ns(uint64_t amount, double rate)
{
    double ns;

    if (amount == 0 || !(rate > 0))
        return 0;
    ns = (double)amount / rate * 1e9;
    if (!(ns < 0x1p63))
        return UINT64_C(1) << 63;
    return ns < 1 ? 1 : (uint64_t)(ns + 0.5);
}

uint64_t whet_calibration_limit_ns(const whet_calibration *calibration,
                                   const whet_work *work)
{
    uint64_t copy_ns, ops_ns;

    if (calibration == NULL)
        return 0;
    copy_ns = duration_ns(work->bytes, calibration->copy_bytes_per_s);
    ops_ns = duration_ns(work->ops, calibration->f32_ops_per_s);
    return copy_ns > ops_ns ? copy_ns : ops_ns;
}
