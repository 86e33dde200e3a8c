#ifndef WHET_CLI_CALIBRATE_PRIV_H
#define WHET_CLI_CALIBRATE_PRIV_H

/* Private to `whet calibrate`: how a calibration is shown. */

#include "cli/cli.h"

#include "device/device.h"

/** Append a table for people: what was measured, how it was seen to be that,
 *  and beside it the published peaks of the architecture's record, which are
 *  never mixed with measured ones. `arch` NULL = no record. */
void whet_cli__calibration_text(whet_buf *out, const whet_calibration *c,
                                const whet_device_facts *facts,
                                const whet_arch *arch);

/** The same for programs; NULL on out of memory. */
json_t *whet_cli__calibration_json(const whet_calibration *c,
                                   const whet_device_facts *facts,
                                   const whet_arch *arch);

#endif /* WHET_CLI_CALIBRATE_PRIV_H */
