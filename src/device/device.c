/* The registry of devices, opening one by text, and its toolchain. */

#include "device/device.h"
#include "device/gpu_priv.h"
#include "device/inventory_priv.h"
#include "device/opencl_priv.h"
#include "device/replay_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKEND_MAX = 16 };

static const whet_device_ops *const devices[] = {
    &whet_device_hip,      &whet_device_cuda, &whet_device_opencl,
    &whet_device_recorded, &whet_device_null, NULL};

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

/* The first live device that is there; all reasons if there is none. */
static whet_status open_any(whet_device_handle *out, whet_err *err)
{
    whet_buf reasons = {0};
    whet_status st = WHET_EUNSUPPORTED;
    size_t i;

    for (i = 0; devices[i] != NULL && st != WHET_OK; i++) {
        whet_err why = {0};

        if (!(devices[i]->caps & WHET_DEVICE_CAP_LIVE))
            continue;
        st = open_with(out, devices[i], "", &why);
        if (st != WHET_OK)
            whet_buf_printf(&reasons, "%s%s", reasons.bytes > 0 ? "; " : "",
                            why.msg);
    }
    if (st != WHET_OK)
        st = whet_err_set(err, WHET_EUNSUPPORTED, "no device: %s",
                          reasons.bytes > 0 ? whet_buf_str(&reasons)
                                            : "no back-end is built in");
    whet_buf_deinit(&reasons);
    return st;
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

/* Is this the toolchain that the user asked for? */
static bool is_wanted(const char *name)
{
    const char *wanted = getenv("WHET_TOOLCHAIN");

    return wanted == NULL || wanted[0] == '\0' || strcmp(wanted, name) == 0;
}

whet_status whet_device_toolchain(const whet_toolchain_ops **out,
                                  char identity[256],
                                  const whet_device_handle *handle,
                                  whet_err *err)
{
    const char *const *names = handle->ops->toolchains;
    whet_buf reasons = {0};
    size_t i;

    *out = NULL;
    for (i = 0; names != NULL && names[i] != NULL && *out == NULL; i++) {
        const whet_toolchain_ops *ops = whet_toolchain_find(names[i]);
        whet_err why = {0};

        if (ops == NULL || !is_wanted(names[i]))
            continue;
        if (ops->identify(identity, handle->facts.index, &why) == WHET_OK)
            *out = ops;
        else
            whet_buf_printf(&reasons, "%s%s", reasons.bytes > 0 ? "; " : "",
                            why.msg);
    }
    if (*out == NULL)
        whet_err_set(err, WHET_EUNSUPPORTED, "no compiler for %s: %s",
                     handle->ops->name,
                     reasons.bytes > 0 ? whet_buf_str(&reasons)
                                       : "none of its toolchains is the one "
                                         "that WHET_TOOLCHAIN names");
    whet_buf_deinit(&reasons);
    return *out != NULL ? WHET_OK : WHET_EUNSUPPORTED;
}

static bool add_env(char **env, size_t *count, char *entry)
{
    if (entry == NULL)
        return false;
    env[(*count)++] = entry;
    return true;
}

whet_status whet_device_env(char ***out, const whet_device_ops *ops,
                            whet_err *err)
{
    const char *const *entries = ops->worker_env;
    const char *const *names = ops->worker_env_names;
    size_t most = 1, count = 0;
    bool is_made;
    size_t i;

    for (i = 0; entries != NULL && entries[i] != NULL; i++)
        most++;
    for (i = 0; names != NULL && names[i] != NULL; i++)
        most++;
    *out = calloc(most, sizeof **out);
    is_made = *out != NULL;
    for (i = 0; is_made && entries != NULL && entries[i] != NULL; i++)
        is_made = add_env(*out, &count, whet_strdup(entries[i]));
    for (i = 0; is_made && names != NULL && names[i] != NULL; i++) {
        const char *value = getenv(names[i]);

        if (value != NULL)
            is_made =
                add_env(*out, &count, whet_asprintf("%s=%s", names[i], value));
    }
    if (is_made)
        return WHET_OK;
    whet_device_env_free(*out);
    *out = NULL;
    return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", ops->name);
}

void whet_device_env_free(char **env)
{
    size_t i;

    for (i = 0; env != NULL && env[i] != NULL; i++)
        free(env[i]);
    free(env);
}

bool whet_device_accepts(const whet_device_ops *ops, const char *language)
{
    size_t i;

    for (i = 0; ops->toolchains != NULL && ops->toolchains[i] != NULL; i++) {
        const whet_toolchain_ops *t = whet_toolchain_find(ops->toolchains[i]);

        if (t != NULL && whet_toolchain_accepts(t, language))
            return true;
    }
    return false;
}

bool whet_device_child(int *status_out, int argc, char **argv)
{
    const whet_device_ops *ops;

    if (argc < 2 || strcmp(argv[1], "__device") != 0)
        return false;
    if (argc > 2 && strcmp(argv[2], "inventory") == 0) {
        *status_out = whet_inventory__child_main(argc - 2, argv + 2);
        return true;
    }
    ops = argc > 2 ? whet_device_find(argv[2]) : NULL;
    if (ops == NULL || ops->child_main == NULL) {
        fprintf(stderr, "whet: __device: expected a back-end with a child\n");
        *status_out = 2;
        return true;
    }
    *status_out = ops->child_main(argc - 2, argv + 2);
    return true;
}
