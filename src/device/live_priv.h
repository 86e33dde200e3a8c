#ifndef WHET_DEVICE_LIVE_PRIV_H
#define WHET_DEVICE_LIVE_PRIV_H

/* What live devices share on the supervisor's side: an open one is its facts,
 * with the system's clock and secrets. Slots of whet_device_ops. */

#include "device/device.h"

/** Open what was listed. */
whet_status whet_live__open_found(whet_device **out,
                                  const whet_device_facts *facts,
                                  whet_err *err);
void whet_live__close(whet_device *device);
const whet_device_facts *whet_live__facts(const whet_device *device);
whet_clock whet_live__clock(whet_device *device);
whet_status whet_live__entropy(whet_device *device, void *out16, whet_err *err);

#endif /* WHET_DEVICE_LIVE_PRIV_H */
