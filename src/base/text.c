/* UTF-8 decoding and the one rule for showing outside text. A message, a log
 * line or a report built with it cannot move the cursor, end a line early or
 * reorder what a reader sees. */

#include "base/text_priv.h"

#include <stdio.h>

static bool is_continuation(const char *text, size_t bytes, size_t index)
{
    return index < bytes && ((unsigned char)text[index] & 0xc0) == 0x80;
}

size_t whet_base__utf8_next(uint32_t *code_out, const char *text, size_t bytes)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code;
    size_t length;

    if (bytes == 0)
        return 0;
    code = (unsigned char)text[0];
    if (code < 0x80) {
        *code_out = code;
        return 1;
    }
    if (code >= 0xc2 && code <= 0xdf) {
        length = 2;
        code &= 0x1f;
    } else if (code >= 0xe0 && code <= 0xef) {
        length = 3;
        code &= 0x0f;
    } else if (code >= 0xf0 && code <= 0xf4) {
        length = 4;
        code &= 0x07;
    } else {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(text, bytes, i))
            return 0;
        code = (code << 6) | ((unsigned char)text[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *code_out = code;
    return length;
}

bool whet_base__is_unsafe(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
        return true;
    /* Marks, embeddings, overrides and isolates; 2028 and 2029 end a line in
     * some viewers although no newline byte is there. */
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t whet_base__utf8_cut(const char *text, size_t bytes, size_t max)
{
    size_t cut = max;

    if (bytes <= max)
        return bytes;
    while (cut > 0 && max - cut < 3 && is_continuation(text, bytes, cut))
        cut--;
    /* Bytes that are no UTF-8 at all have no boundary to respect. */
    return is_continuation(text, bytes, cut) ? max : cut;
}

void whet_base__escape_max(whet_buf *buf, const char *text, size_t bytes,
                           bool keep_newlines, size_t max_added)
{
    size_t at = 0, added = 0;

    while (at < bytes) {
        char escaped[16];
        uint32_t code = 0;
        size_t length = whet_base__utf8_next(&code, text + at, bytes - at);
        const char *from = text + at;
        size_t out_bytes = length;

        if (length <= 1 && (length == 0 || whet_base__is_unsafe(code))) {
            length = 1;
            if (keep_newlines && code == '\n' && text[at] == '\n') {
                out_bytes = 1;
            } else {
                out_bytes = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x",
                                             (unsigned)(unsigned char)text[at]);
                from = escaped;
            }
        } else if (whet_base__is_unsafe(code)) {
            out_bytes = (size_t)snprintf(escaped, sizeof escaped, "\\u{%04x}",
                                         (unsigned)code);
            from = escaped;
        }
        if (out_bytes > max_added - added)
            return;
        whet_buf_add(buf, from, out_bytes);
        added += out_bytes;
        at += length;
    }
}
