/* The registry of devices, opening one by text, and the floor below which no
 * time can be true. */

#include "device/device.h"
#include "device/opencl_priv.h"
#include "device/replay_priv.h"

#include <stdio.h>
#include <string.h>

enum { BACKEND_MAX = 16 };

static const whet_device_ops *const devices[] = {
    &whet_device_opencl, &whet_device_recorded, &whet_device_null, NULL};

const char *whet_evidence_name(whet_evidence evidence)
{
    switch (evidence) {
    case WHET_EVIDENCE_MEASURED:
        return "measured";
    case WHET_EVIDENCE_RECORDED:
        return "recorded";
    case WHET_EVIDENCE_SCRIPTED:
        return "scripted";
    }
    return "unknown";
}

const whet_device_ops *const *whet_device_all(void)
{
    return devices;
}

const whet_device_ops *whet_device_find(const char *name)
{
    size_t i;

    for (i = 0; devices[i] != NULL; i++)
        if (strcmp(devices[i]->name, name) == 0)
            return devices[i];
    return NULL;
}

static whet_status open_with(whet_device_handle *out,
                             const whet_device_ops *ops, const char *selector,
                             whet_err *err)
{
    whet_device *device = NULL;
    whet_status st = ops->open(&device, selector, err);

    if (st != WHET_OK)
        return st;
    out->ops = ops;
    out->device = device;
    out->facts = *ops->facts(device);
    return WHET_OK;
}

/* The first live device that is there; the first reason if there is none. */
static whet_status open_any(whet_device_handle *out, whet_err *err)
{
    whet_err first = {0};
    whet_err why = {0};
    size_t i;

    for (i = 0; devices[i] != NULL; i++) {
        if (!(devices[i]->caps & WHET_DEVICE_CAP_LIVE))
            continue;
        if (open_with(out, devices[i], "", &why) == WHET_OK)
            return WHET_OK;
        if (first.code == WHET_OK)
            first = why;
    }
    return whet_err_set(err, WHET_EUNSUPPORTED, "no device: %s",
                        first.msg[0] != '\0' ? first.msg
                                             : "no back-end is built in");
}

static whet_status unknown_backend(const char *name, whet_err *err)
{
    const char *names[BACKEND_MAX];
    const char *closest;
    whet_buf all = {0};
    size_t count;
    whet_status st;

    for (count = 0; devices[count] != NULL && count < BACKEND_MAX; count++) {
        names[count] = devices[count]->name;
        whet_buf_printf(&all, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    closest = whet_closest_name(name, names, count);
    st = whet_err_set(err, WHET_EINVAL,
                      "device \"%s\": unknown%s%s%s, expected auto, %s", name,
                      closest != NULL ? "; did you mean \"" : "",
                      closest != NULL ? closest : "",
                      closest != NULL ? "\"?" : "", whet_buf_str(&all));
    whet_buf_deinit(&all);
    return st;
}

whet_status whet_device_open(whet_device_handle *out, const char *text,
                             whet_err *err)
{
    const char *selector;
    const whet_device_ops *ops;
    char name[32];
    size_t name_bytes;

    memset(out, 0, sizeof *out);
    if (text == NULL || strcmp(text, "auto") == 0)
        return open_any(out, err);
    name_bytes = strcspn(text, ":");
    selector = text[name_bytes] == ':' ? text + name_bytes + 1 : "";
    snprintf(name, sizeof name, "%.*s",
             (int)(name_bytes < 31 ? name_bytes : 31), text);
    ops = name_bytes < sizeof name ? whet_device_find(name) : NULL;
    if (ops == NULL)
        return unknown_backend(name, err);
    return open_with(out, ops, selector, err);
}

void whet_device_close(whet_device_handle *handle)
{
    if (handle->ops != NULL)
        handle->ops->close(handle->device);
    memset(handle, 0, sizeof *handle);
}

/* Per nanosecond and core: 6 cycles; 2 fused multiply-adds of 16 lanes, which
 * count 2 each; 2 transfers of 64 bytes. */
uint64_t whet_device_floor_ns(const whet_device_facts *facts, uint64_t ops,
                              uint64_t bytes)
{
    const uint64_t cycles = 6;
    uint64_t ops_ns, bytes_ns;
    uint64_t cores = facts->limits.cu_count;

    if (!facts->is_cpu || cores == 0)
        return 0;
    ops_ns = ops / (cores * cycles * 2 * 16 * 2);
    bytes_ns = bytes / (cores * cycles * 2 * 64);
    return ops_ns > bytes_ns ? ops_ns : bytes_ns;
}
