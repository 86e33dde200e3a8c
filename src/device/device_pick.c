/* Opening a device with its card locked, so that two runs never share one. The
 * lock is taken before anything opens a context on the card. */

#include "device/inventory_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Has this device a card that others may want? Processors have none, replays
 * only facts of one. */
static bool has_card(const whet_device_ops *ops, const whet_device_facts *facts)
{
    return (ops->caps & WHET_DEVICE_CAP_LIVE) != 0 &&
           (ops->caps & WHET_DEVICE_CAP_NATIVE) == 0 && !facts->is_cpu;
}

/* What is locked: the address, or a name of its own where there is none. */
static void lock_name(char out[32], const whet_device_facts *facts)
{
    if (facts->pci[0] != '\0')
        (void)whet_strcopy(out, 32, facts->pci);
    else
        snprintf(out, 32, "%.12s-index:%u", facts->backend, facts->index);
}

static const whet_pick_opts *opts_or_default(const whet_pick_opts *opts)
{
    static const whet_pick_opts none = {0};

    return opts != NULL ? opts : &none;
}

/* The device that the text names. */
static whet_status open_named(whet_device_handle *out, whet_card_lock *lock_out,
                              const char *text, const whet_pick_opts *opts,
                              whet_err *err)
{
    char name[32];
    whet_status st = whet_device_open(out, text, err);

    if (st != WHET_OK || !has_card(out->ops, &out->facts))
        return st;
    lock_name(name, &out->facts);
    st = whet_card_lock__take(lock_out, name, opts->wait_ns, opts->cancel,
                              opts->log, err);
    if (st != WHET_OK)
        whet_device_close(out);
    return st;
}

/* Choose among the devices of a back-end that were found. */
static whet_status open_picked(whet_device_handle *out,
                               whet_card_lock *lock_out,
                               const whet_device_ops *ops,
                               const whet_device_facts *found, uint32_t count,
                               const whet_pick_opts *opts, whet_err *err)
{
    char names[WHET_DEVICE_LIST_MAX][32];
    const char *pci[WHET_DEVICE_LIST_MAX];
    char why[160] = "", text[64];
    uint32_t index = 0;
    whet_status st;

    for (uint32_t i = 0; i < count; i++) {
        lock_name(names[i], &found[i]);
        pci[i] = names[i];
    }
    st = whet_pick_card(&index, lock_out, why, pci, count, opts, err);
    if (st != WHET_OK)
        return st;
    snprintf(text, sizeof text, "%s:%u", ops->name, found[index].index);
    if (opts->log != NULL && count > 1)
        whet_log_write(opts->log, WHET_LOG_INFO, "%s, card %s: %s", text,
                       names[index], why);
    out->ops = ops;
    out->facts = found[index];
    st = ops->open_found(&out->device, &found[index], err);
    if (st != WHET_OK)
        whet_card_lock_release(lock_out);
    return st;
}

/* A device of a back-end, NULL for those of the first live one that is there.
 * One whose cards are all in use is there: what comes after it would be another
 * kind of device. */
static whet_status open_any(whet_device_handle *out, whet_card_lock *lock_out,
                            const whet_device_ops *wanted,
                            const whet_pick_opts *opts, whet_err *err)
{
    const whet_device_ops *const *all = whet_device_all();
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    whet_status st = WHET_EUNSUPPORTED;
    bool was_there = false;

    if (found == NULL)
        return whet_err_set(err, WHET_ENOMEM, "devices: out of memory");
    for (size_t i = 0; all[i] != NULL && !was_there; i++) {
        uint32_t count = 0;

        if (!(all[i]->caps & WHET_DEVICE_CAP_LIVE) ||
            (wanted != NULL && wanted != all[i]))
            continue;
        if (all[i]->caps & WHET_DEVICE_CAP_NATIVE) {
            st = open_named(out, lock_out, all[i]->name, opts, err);
            was_there = st == WHET_OK;
            continue;
        }
        st = all[i]->probe(found, &count, err);
        if (st != WHET_OK || count == 0)
            continue;
        st = open_picked(out, lock_out, all[i], found, count, opts, err);
        was_there = true;
    }
    free(found);
    /* The same words as everywhere when nothing is there. */
    if (wanted == NULL && !was_there)
        return open_named(out, lock_out, NULL, opts, err);
    return st;
}

whet_status whet_device_open_locked(whet_device_handle *out,
                                    whet_card_lock *lock_out, const char *text,
                                    const whet_pick_opts *opts, whet_err *err)
{
    const whet_device_ops *ops;

    memset(out, 0, sizeof *out);
    *lock_out = (whet_card_lock){.fd = -1};
    opts = opts_or_default(opts);
    if (text == NULL || strcmp(text, "auto") == 0)
        return open_any(out, lock_out, NULL, opts, err);
    ops = whet_device_find(text);
    if (ops != NULL && (ops->caps & WHET_DEVICE_CAP_LIVE))
        return open_any(out, lock_out, ops, opts, err);
    return open_named(out, lock_out, text, opts, err);
}
