#ifndef WHET_DEVICE_ARCH_PRIV_H
#define WHET_DEVICE_ARCH_PRIV_H

/* The table of a record's figures, shared by its reader and by what shows it.
 */

#include "device/arch.h"

enum { WHET_ARCH__BYTES_MAX = 256 << 10 };

/**
 * Parse a record.
 *
 * @param where  file name for messages
 * @return WHET_EINVAL as WHERE:LINE:COLUMN
 */
whet_status whet_arch__parse(whet_arch *out, const char *text, size_t bytes,
                             const char *where, whet_err *err);

#endif /* WHET_DEVICE_ARCH_PRIV_H */
