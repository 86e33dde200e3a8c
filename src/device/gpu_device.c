/* Opening a GPU by number or address. No driver is loaded here; a child lists
 * the devices. */

#include "device/gpu_priv.h"
#include "device/live_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX + 1, sizeof *found);
    whet_device_facts *chosen = found + WHET_DEVICE_LIST_MAX;
    struct wanted wanted;
    uint32_t count = 0;
    whet_status st;

    *out = NULL;
    if (found == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
    /* Before a child is started for nothing. */
    st = parse_selector(&wanted, name, selector, err);
    if (st == WHET_OK)
        st = whet_gpu__list(found, &count, name, err);
    if (st == WHET_OK)
        st = choose(chosen, found, count, name, selector, err);
    if (st == WHET_OK)
        st = whet_live__open_found(out, chosen, err);
    free(found);
    return st;
}
