/* The caller's one-line error. Messages are often built from text that a
 * compiler, a model or a file supplied, so everything is made harmless here,
 * once, instead of at each caller. */

#include "base/err.h"

#include "base/text_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Replaces what could break the line or is not UTF-8 (messages also travel in
 * JSON) and drops the part of a character that a cut left over. */
static void make_harmless(char *msg, bool was_cut)
{
    size_t bytes = strlen(msg), in = 0, out = 0;

    while (in < bytes) {
        uint32_t code = 0;
        size_t length = whet_base__utf8_next(&code, msg + in, bytes - in);

        if (length == 0 && was_cut && bytes - in < 4 &&
            (unsigned char)msg[in] >= 0xc2)
            break;
        if (length == 0 || whet_base__is_unsafe(code)) {
            msg[out++] = '?';
            in += length == 0 ? 1 : length;
            continue;
        }
        memmove(msg + out, msg + in, length);
        out += length;
        in += length;
    }
    msg[out] = '\0';
}

/* Formatting goes through a copy because arguments may point into err->msg. */
static whet_status store(whet_err *err, whet_status code, const char *text,
                         bool was_cut)
{
    size_t bytes = strnlen(text, sizeof err->msg - 1);

    err->code = code;
    memcpy(err->msg, text, bytes);
    err->msg[bytes] = '\0';
    make_harmless(err->msg, was_cut);
    return code;
}

whet_status whet_err_vset(whet_err *err, whet_status code, const char *fmt,
                          va_list args)
{
    char text[WHET_ERR_MSG_BYTES];
    int need;

    if (err == NULL)
        return code;
    need = vsnprintf(text, sizeof text, fmt, args);
    if (need < 0)
        return store(err, code, "message could not be formatted", false);
    return store(err, code, text, (size_t)need >= sizeof text);
}

whet_status whet_err_set(whet_err *err, whet_status code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    whet_err_vset(err, code, fmt, args);
    va_end(args);
    return code;
}

whet_status whet_err_prefix(whet_err *err, whet_status code, const char *fmt,
                            ...)
{
    char prefix[WHET_ERR_MSG_BYTES];
    char text[2 * WHET_ERR_MSG_BYTES + 4];
    va_list args;
    int need;

    if (err == NULL)
        return code;
    va_start(args, fmt);
    need = vsnprintf(prefix, sizeof prefix, fmt, args);
    va_end(args);
    if (need < 0)
        prefix[0] = '\0';
    need = snprintf(text, sizeof text, "%s: %s", prefix, err->msg);
    return store(err, code, text, need >= WHET_ERR_MSG_BYTES);
}

whet_status whet_err_errno(whet_err *err, int errno_value, const char *fmt, ...)
{
    char what[WHET_ERR_MSG_BYTES];
    char text[WHET_ERR_MSG_BYTES + 128];
    char reason_buf[96];
    const char *reason = strerror_r(errno_value, reason_buf, sizeof reason_buf);
    const whet_status code = errno_value == ENOMEM ? WHET_ENOMEM : WHET_EFAIL;
    va_list args;
    int need;

    if (err == NULL)
        return code;
    va_start(args, fmt);
    need = vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (need < 0)
        what[0] = '\0';
    /* A long subject is cut rather than the reason behind it. */
    what[WHET_ERR_MSG_BYTES - 1 - sizeof reason_buf] = '\0';
    need = snprintf(text, sizeof text, "%s: %.95s", what, reason);
    return store(err, code, text, need >= WHET_ERR_MSG_BYTES);
}

int whet_err_exit_status(whet_status code)
{
    switch (code) {
    case WHET_OK:
        return 0;
    case WHET_EINVAL:
    case WHET_ENOTFOUND:
        return 2;
    case WHET_ECANCELLED:
        return 130;
    case WHET_EFAIL:
    case WHET_ENOMEM:
    case WHET_EUNSUPPORTED:
    case WHET_ETIMEOUT:
        break;
    }
    return 3;
}
