#ifndef WHET_DEVICE_CALIBRATION_PRIV_H
#define WHET_DEVICE_CALIBRATION_PRIV_H

/* For the fuzz target of stored calibrations. */

#include "device/device.h"

/** Read a stored calibration of this device from text; `where` names it.
 *  @return WHET_EINVAL if it is damaged or another device's */
whet_status whet_calibration__parse(whet_calibration *out, const char *text,
                                    size_t bytes, const char *where,
                                    const whet_device_facts *facts,
                                    whet_err *err);

#endif /* WHET_DEVICE_CALIBRATION_PRIV_H */
