/* A GPU as the supervisor sees it: facts, clock, secrets. No driver is loaded
 * here; a child lists the devices. */

#include "device/gpu_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

struct whet_device {
    whet_device_facts facts;
};

/* What a selector asks for: nothing, a number, or a PCI address. */
struct wanted {
    unsigned long index;
    char pci[32];
    bool is_any;
};

static whet_status parse_selector(struct wanted *out, const char *name,
                                  const char *selector, whet_err *err)
{
    char *end = NULL;

    memset(out, 0, sizeof *out);
    out->is_any = selector[0] == '\0';
    if (out->is_any || whet_gpu__pci(out->pci, sizeof out->pci, selector))
        return WHET_OK;
    out->index = strtoul(selector, &end, 10);
    if (selector[0] >= '0' && selector[0] <= '9' && *end == '\0')
        return WHET_OK;
    return whet_err_set(err, WHET_EINVAL,
                        "device %s:%s: expected a number, or a PCI address "
                        "like 0000:c1:00.0",
                        name, selector);
}

static bool is_wanted(const whet_device_facts *facts,
                      const struct wanted *wanted)
{
    if (wanted->is_any)
        return true;
    if (wanted->pci[0] != '\0')
        return strcasecmp(facts->pci, wanted->pci) == 0;
    return facts->index == wanted->index;
}

static whet_status choose(whet_device_facts *out,
                          const whet_device_facts *found, uint32_t count,
                          const char *name, const char *selector, whet_err *err)
{
    struct wanted wanted;
    whet_status st = parse_selector(&wanted, name, selector, err);
    uint32_t i;

    if (st != WHET_OK)
        return st;
    for (i = 0; i < count; i++)
        if (is_wanted(&found[i], &wanted)) {
            *out = found[i];
            return WHET_OK;
        }
    return whet_err_set(err, WHET_ENOTFOUND,
                        "device %s:%s: not there; the last of %u is %s:%u",
                        name, selector, count, name, found[count - 1].index);
}

whet_status whet_gpu__open(whet_device **out, const char *name,
                           const char *selector, whet_err *err)
{
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    whet_device *device = calloc(1, sizeof *device);
    struct wanted wanted;
    uint32_t count = 0;
    whet_status st;

    *out = NULL;
    if (found == NULL || device == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
        goto out;
    }
    /* Before a child is started for nothing. */
    if ((st = parse_selector(&wanted, name, selector, err)) != WHET_OK)
        goto out;
    if ((st = whet_gpu__list(found, &count, name, err)) != WHET_OK)
        goto out;
    st = choose(&device->facts, found, count, name, selector, err);
    if (st != WHET_OK)
        goto out;
    *out = device;
    device = NULL;
out:
    free(device);
    free(found);
    return st;
}

void whet_gpu__close(whet_device *device)
{
    free(device);
}

const whet_device_facts *whet_gpu__device_facts(const whet_device *device)
{
    return &device->facts;
}

whet_clock whet_gpu__clock(whet_device *device)
{
    (void)device;
    return whet_clock_system();
}

whet_status whet_gpu__entropy(whet_device *device, void *out16, whet_err *err)
{
    char *at = out16;
    size_t left = 16;

    (void)device;
    while (left > 0) {
        ssize_t got = getrandom(at, left, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return whet_err_errno(err, errno, "random numbers of the system");
        at += got;
        left -= (size_t)got;
    }
    return WHET_OK;
}
