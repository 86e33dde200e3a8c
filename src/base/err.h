#ifndef WHET_ERR_H
#define WHET_ERR_H

/* Status codes and the one-line error that a caller supplies.
 *
 * The lowest level that knows the cause writes the line; levels above pass it
 * on or add one prefix. Programming errors assert instead. */

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WHET_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define WHET_NODISCARD __attribute__((warn_unused_result))
#else
#define WHET_PRINTF(fmt, first)
#define WHET_NODISCARD
#endif

/** What a caller may branch on. Everything else is WHET_EFAIL. */
typedef enum whet_status {
    WHET_OK = 0,
    WHET_EFAIL = -1,        /**< No code fits; read the message. */
    WHET_ENOMEM = -2,       /**< Out of memory. */
    WHET_EINVAL = -3,       /**< Input from outside is malformed. */
    WHET_ENOTFOUND = -4,    /**< The named thing does not exist. */
    WHET_EUNSUPPORTED = -5, /**< This machine lacks the capability. */
    WHET_ETIMEOUT = -6,     /**< Deadline passed; the work was abandoned. */
    WHET_ECANCELLED = -7    /**< The user or a callback asked to stop. */
} whet_status;

enum { WHET_ERR_MSG_BYTES = 512 };

/** Filled in only when a call returns a status other than WHET_OK. */
typedef struct whet_err {
    whet_status code;
    char msg[WHET_ERR_MSG_BYTES]; /**< One line, NUL-terminated, no newline. */
} whet_err;

/**
 * Record a failure and hand the same code back, so that a function can
 * `return whet_err_set(err, WHET_EINVAL, "...");`.
 *
 * @param err  may be NULL: only the code travels then
 *
 * Control characters, newlines, bidirectional controls and bytes that are not
 * UTF-8 become '?', so a message built from hostile text stays one harmless
 * line (and valid in JSON). Arguments may point into err->msg. Overlong text is
 * cut.
 */
whet_status whet_err_set(whet_err *err, whet_status code, const char *fmt, ...)
    WHET_PRINTF(3, 4);

/** As whet_err_set, with the arguments in a list. */
whet_status whet_err_vset(whet_err *err, whet_status code, const char *fmt,
                          va_list args) WHET_PRINTF(3, 0);

/**
 * Put "PREFIX: " in front of the message already in `err` and return its code.
 *
 * @param err  may be NULL, then `code` is returned unchanged
 */
whet_status whet_err_prefix(whet_err *err, whet_status code, const char *fmt,
                            ...) WHET_PRINTF(3, 4);

/** As whet_err_set, with ": " and the text of `errno_value` appended. The code
 *  is WHET_ENOMEM for ENOMEM and WHET_EFAIL for all else. */
whet_status whet_err_errno(whet_err *err, int errno_value, const char *fmt, ...)
    WHET_PRINTF(3, 4);

/** Exit status for a failed command: 2 for bad input (WHET_EINVAL,
 *  WHET_ENOTFOUND), 130 for WHET_ECANCELLED, 3 otherwise; 0 for WHET_OK. */
int whet_err_exit_status(whet_status code);

#ifdef __cplusplus
}
#endif

#endif /* WHET_ERR_H */
