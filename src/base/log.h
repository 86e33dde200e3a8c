#ifndef WHET_LOG_H
#define WHET_LOG_H

/* Messages for people, on stderr. Results never go through here. */

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum whet_log_level {
    WHET_LOG_ERROR = 0,
    WHET_LOG_WARN = 1,
    WHET_LOG_INFO = 2,
    WHET_LOG_DEBUG = 3
} whet_log_level;

/** Where messages go and which. Copy freely; passed down, never global. */
typedef struct whet_log {
    FILE *to; /**< NULL drops everything. */
    whet_log_level level;
    bool is_terminal; /**< Colours and a progress line are allowed. */
} whet_log;

/** Logger on stderr; is_terminal from isatty and NO_COLOR. */
whet_log whet_log_stderr(whet_log_level level);

/** One line, escaped, with "whet: " (and "warning: ") in front. */
void whet_log_write(const whet_log *log, whet_log_level level, const char *fmt,
                    ...) WHET_PRINTF(3, 4);

/** Replace the progress line (terminal only; nothing elsewhere, nor at level
 *  WHET_LOG_ERROR). It is escaped and cut to the terminal's width. An empty
 *  text clears it. whet_log_write clears it by itself. */
void whet_log_progress(const whet_log *log, const char *fmt, ...)
    WHET_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif /* WHET_LOG_H */
