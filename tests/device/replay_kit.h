#ifndef WHET_TESTS_REPLAY_KIT_H
#define WHET_TESTS_REPLAY_KIT_H

/* Shared by the tests of the replay devices: opening a device over text by
 * way of a file, as a user does, and a log of what a sequence of calls gave. */

#include "device/replay_priv.h"

/** Write `text` to a fresh file, open it and remove it again. */
whet_status kit_open(whet_device **out, const whet_device_ops *ops,
                     const char *text, whet_err *err);

/** Hash made of one digit. */
whet_hash kit_hash(char digit);

/** Opening must fail with WHET_EINVAL and a message that holds `part`. */
void kit_expect_refused(const whet_device_ops *ops, const char *text,
                        const char *part);

/** Play a fixed sequence of builds, calls, keys and clock readings; append
 *  all that came back, failures too. */
void kit_play(whet_buf *log, const whet_device_ops *ops, whet_device *device);

#endif /* WHET_TESTS_REPLAY_KIT_H */
