/* Live devices as the supervisor sees them. See live_priv.h. */

#include "device/live_priv.h"

#include <stdlib.h>

struct whet_device {
    whet_device_facts facts;
};

whet_status whet_live__open_found(whet_device **out,
                                  const whet_device_facts *facts, whet_err *err)
{
    *out = malloc(sizeof **out);
    if (*out == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory",
                            facts->backend);
    (*out)->facts = *facts;
    return WHET_OK;
}

void whet_live__close(whet_device *device)
{
    free(device);
}

const whet_device_facts *whet_live__facts(const whet_device *device)
{
    return &device->facts;
}

whet_clock whet_live__clock(whet_device *device)
{
    (void)device;
    return whet_clock_system();
}

whet_status whet_live__entropy(whet_device *device, void *out16, whet_err *err)
{
    (void)device;
    return whet_rng_secret(out16, 16, err);
}
