/* The caller's one-line error. Messages are often built from text that a
 * compiler, a model or a file supplied, so everything is made harmless here,
 * once, instead of at each caller. */

#include "base/err.h"

#include "base/text_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an overlong message this much of its end is kept: the reason and what was
 * expected stand there, while what is long is a path or a name before them. */
enum { TAIL_BYTES = 200 };

/* Replaces what could break the line or is not UTF-8: messages also travel in
 * JSON. */
static void make_harmless(char *msg)
{
    size_t bytes = strlen(msg), in = 0, out = 0;

    while (in < bytes) {
        uint32_t code = 0;
        size_t length = whet_base__utf8_next(&code, msg + in, bytes - in);

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

/* Beginning and end of a text that does not fit, without halves of
 * characters. */
static void shorten(char msg[WHET_ERR_MSG_BYTES], const char *text)
{
    static const char gap[] = "...";
    size_t bytes = strlen(text);
    size_t room = WHET_ERR_MSG_BYTES - sizeof gap - TAIL_BYTES;
    size_t head = whet_base__utf8_cut(text, bytes, room);
    size_t tail = bytes - TAIL_BYTES;

    /* A character has at most three bytes after its first. */
    for (int i = 0; i < 3 && ((unsigned char)text[tail] & 0xc0) == 0x80; i++)
        tail++;
    memcpy(msg, text, head);
    memcpy(msg + head, gap, sizeof gap - 1);
    memcpy(msg + head + sizeof gap - 1, text + tail, bytes - tail + 1);
}

static whet_status store(whet_err *err, whet_status code, const char *text)
{
    err->code = code;
    if (strlen(text) < sizeof err->msg)
        memcpy(err->msg, text, strlen(text) + 1);
    else
        shorten(err->msg, text);
    make_harmless(err->msg);
    return code;
}

/* Formatting goes through a copy because arguments may point into err->msg. */
whet_status whet_err_vset(whet_err *err, whet_status code, const char *fmt,
                          va_list args)
{
    char brief[WHET_ERR_MSG_BYTES];
    char *text = NULL;
    va_list again;
    int need;

    if (err == NULL)
        return code;
    va_copy(again, args);
    need = vsnprintf(brief, sizeof brief, fmt, args);
    if (need < 0)
        store(err, code, "message could not be formatted");
    else if ((size_t)need < sizeof brief || vasprintf(&text, fmt, again) < 0)
        store(err, code, brief);
    else {
        store(err, code, text);
        free(text);
    }
    va_end(again);
    return code;
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
    whet_err prefix = {0};
    va_list args;

    if (err == NULL)
        return code;
    va_start(args, fmt);
    whet_err_vset(&prefix, code, fmt, args);
    va_end(args);
    return whet_err_set(err, code, "%s: %s", prefix.msg, err->msg);
}

whet_status whet_err_errno(whet_err *err, int errno_value, const char *fmt, ...)
{
    char reason_buf[96];
    const char *reason = strerror_r(errno_value, reason_buf, sizeof reason_buf);
    const whet_status code = errno_value == ENOMEM ? WHET_ENOMEM : WHET_EFAIL;
    whet_err what = {0};
    va_list args;

    if (err == NULL)
        return code;
    va_start(args, fmt);
    whet_err_vset(&what, code, fmt, args);
    va_end(args);
    return whet_err_set(err, code, "%s: %s", what.msg, reason);
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
